"""One run of a workload at a time: a small file beside the workload's tables says which run holds them, until when.

The lease belongs to a run, not to a process. Each task of the run renews it, and a thread renews it while a task works.
Between tasks, also before a retry, it lasts without renewal. A run that is given up loses it when it expires. The lease
of a command line ends at once when its process is gone, because nothing else continues that run. Deciding and writing
happen under a file lock: if two runs meet an expired lease, one of them gets it.

A run that gets the lease also gets a token greater than all before. Every commit carries it
(`jobs/lake/leasing/fence.py`). The file names the writers that have not reported the end of their last write. If some
of them have an earlier token, the lease is contested: its run first fences the tables against them.

Assumes a file system with flock, and clocks that agree to a small part of the term. A file that is not a lease is
reported and left alone: nobody knows then which run holds the lake.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from jobs.exits import LeaseHeld, LeaseLost, LeaseUnreadable

TERM = timedelta(minutes=30)
"""How long a lease lasts without renewal: longer than the gaps and retry delays between a run's tasks."""

WAIT = 2.0
"""Seconds between two looks at a lease that the command line waits for."""

PATIENCE = 60.0
"""Seconds to wait for the file lock. It is held for moments, or while tables are created."""

FORMAT = 2
"""The format of the file. Format 1, without this key, had no tokens."""

TOKENS = 1 << 43
"""Tokens are smaller than this: times 2^20 they fit 63 bits. A token is at least the milliseconds since 1970."""

UNKNOWN = "unknown"
"""Stands for writers that are not listed, since the file is absent or has format 1."""


@dataclass(frozen=True)
class Lease:
    """The run that holds the lake: its id, its holder in words, the end without renewal, the process it ends with.

    `token`: greater than those of all runs before. `writer`: names the process among the run's own. `contested`:
    writers of earlier runs may still be at work.
    """

    run_id: str
    holder: str
    expires: datetime
    host: str = ""
    process: int | None = None
    token: int = 0
    writer: str = ""
    contested: bool = False

    def is_over(self, now: datetime) -> bool:
        """Whether another run may take the lake."""
        gone = self.process is not None and self.host == socket.gethostname() and not _is_alive(self.process)
        return gone or self.expires <= now


@dataclass(frozen=True)
class Stored:
    """The content of the file: the last token given, the run that holds the lake, if any, and the writers' tokens."""

    token: int = 0
    lease: Lease | None = None
    writers: Mapping[str, int] = field(default_factory=lambda: {UNKNOWN: 0})


def lease_file(lake: Path, workload: str) -> Path:
    """The path of a workload's lease."""
    return lake / workload / "_work" / "lease.json"


def read(path: Path) -> Lease | None:
    """The current lease, even if it is over; None if no run has it. Raises LeaseUnreadable."""
    return stored(path).lease


def stored(path: Path) -> Stored:
    """The whole content of the file. Raises LeaseUnreadable if it cannot be understood."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Stored()
    except UnicodeDecodeError as error:
        raise LeaseUnreadable(path, f"it is no text ({error.reason})") from error
    if not text.strip():
        raise LeaseUnreadable(path, "it is empty")
    try:
        return _parsed(json.loads(text))
    except json.JSONDecodeError as error:
        raise LeaseUnreadable(path, f"it is cut off or damaged ({error})") from error
    except _Newer as newer:
        raise LeaseUnreadable(path, f"a newer Trendmill wrote it (format {newer}, known here: {FORMAT})") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LeaseUnreadable(path, f"it is not a lease ({type(error).__name__}: {error})") from error


def take(
    path: Path,
    run_id: str,
    holder: str,
    *,
    process: int | None = None,
    term: timedelta = TERM,
    now: datetime | None = None,
) -> Lease:
    """Take the lease for a run, or renew it. Raises LeaseHeld if another run has it, and LeaseUnreadable.

    `process`: the process that the run cannot outlive, if there is one.
    """
    now = now or datetime.now(UTC)
    with locked(path):
        record = stored(path)
        held = record.lease
        if held is not None and held.run_id != run_id and not held.is_over(now):
            raise _refusal(path, record, held, now)
        goes_on = held is not None and held.run_id == run_id and not held.is_over(now)
        token = record.token if goes_on else max(record.token + 1, int(now.timestamp() * 1000))
        contested = any(earlier != token for earlier in record.writers.values())
        lease = Lease(
            run_id, holder, now + term, socket.gethostname(), process, token, uuid.uuid4().hex[:12], contested
        )
        _write(path, Stored(token, lease, {**record.writers, lease.writer: token}))
        return lease


def renew(path: Path, lease: Lease, *, term: timedelta = TERM) -> Lease:
    """Extend a lease that a process of the run has. Raises LeaseLost if another run took the lake."""
    with locked(path):
        record = stored(path)
        if not owns(record, lease):
            raise lost_to(record)
        renewed = replace(lease, expires=datetime.now(UTC) + term)
        _write(path, Stored(lease.token, renewed, {**record.writers, lease.writer: lease.token}))
        return renewed


def owns(record: Stored, lease: Lease) -> bool:
    """Whether the lease still holds the lake: no later token was given. Without a file no token was given."""
    if record.token == 0 and record.lease is None:
        return True
    return record.token == lease.token and (record.lease is None or record.lease.run_id == lease.run_id)


def lost_to(record: Stored) -> LeaseLost:
    """The error of a run that finds this record in place of its own lease."""
    now_held = "another run, which has ended," if record.lease is None else record.lease.holder
    return LeaseLost(f"{now_held} took the lake over after this run's lease had ended")


def fenced(path: Path, lease: Lease) -> None:
    """Note that no writer of an earlier token can commit any more."""
    _update_writers(
        path, lease, lambda writers: {name: token for name, token in writers.items() if token == lease.token}
    )


def rest(path: Path, lease: Lease) -> None:
    """Note that all writes of this process have ended, so that no run needs to fence the tables against it."""
    _update_writers(
        path, lease, lambda writers: {name: token for name, token in writers.items() if name != lease.writer}
    )


def give_back(path: Path, run_id: str) -> None:
    """End a run's lease; nothing happens if another run has it by now, or if the file is no lease.

    If the disk has no room to write that down, the file is removed; the next run then fences the tables first.
    """
    with locked(path):
        try:
            record = stored(path)
        except LeaseUnreadable:
            return
        if record.lease is not None and record.lease.run_id == run_id:
            try:
                _write(path, replace(record, lease=None))
            except OSError:
                path.unlink(missing_ok=True)


def wait_for(
    path: Path, run_id: str, holder: str, *, process: int | None, tell: Callable[[str], None], term: timedelta = TERM
) -> Lease:
    """Take the lease as soon as the run that has it is done. `tell` gets one message for each run that is awaited."""
    awaited: str | None = None
    while True:
        try:
            return take(path, run_id, holder, process=process, term=term)
        except LeaseHeld as held:
            if held.holder != awaited:
                tell(f"waiting: {held}")
                awaited = held.holder
        time.sleep(WAIT)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """During the block, no other process changes the lease's file. Raises LeaseHeld after a minute of waiting."""
    path.parent.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + PATIENCE
    with path.with_suffix(".lock").open("a") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise LeaseHeld(f"a process that is creating tables, or that is paused, with {lock.name}") from None
                time.sleep(0.01)
        yield


def _refusal(path: Path, record: Stored, held: Lease, now: datetime) -> LeaseHeld:
    """Say which run holds the lake. An end that no renewal can have set becomes one term from now, and is reported."""
    if held.expires <= now + 2 * TERM:
        return LeaseHeld(held.holder, held.expires)
    bounded = replace(held, expires=now + TERM)
    _write(path, replace(record, lease=bounded))
    was = f"it said {held.expires:%Y-%m-%d %H:%M}Z, farther ahead than a lease lasts: a wrong clock, or an edited file"
    return LeaseHeld(held.holder, bounded.expires, was)


def _update_writers(path: Path, lease: Lease, update: Callable[[Mapping[str, int]], Mapping[str, int]]) -> None:
    with locked(path):
        record = stored(path)
        if record.token == lease.token:
            _write(path, replace(record, writers=update(record.writers)))


class _Newer(Exception):
    """The file's format is one that is not known yet."""


def _parsed(content: dict[str, Any]) -> Stored:
    number = content.get("format", 1)
    if not isinstance(number, int) or number > FORMAT:
        raise _Newer(number)
    if number == 1:
        return Stored(0, _lease(content, 0))
    token, writers = content["token"], dict(content["writers"])
    if not all(isinstance(value, int) and 0 <= value < TOKENS for value in (token, *writers.values())):
        raise ValueError("a token that is none")
    return Stored(token, None if content["lease"] is None else _lease(content["lease"], token), writers)


def _lease(content: dict[str, Any], token: int) -> Lease:
    expires, process = datetime.fromisoformat(content["expires"]), content["process"]
    if expires.tzinfo is None:
        raise ValueError("an end without a time zone")
    if process is not None and not (isinstance(process, int) and 0 < process < 1 << 31):
        raise ValueError("a process that is none")
    run_id, holder, host = (str(content[name]) for name in ("run_id", "holder", "host"))
    return Lease(run_id, holder, expires, host, process, token)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _write(path: Path, content: Stored) -> None:
    """Write the file whole or not at all, even if the machine loses power."""
    lease = content.lease
    fields = ("run_id", "holder", "host", "process")
    entries = lease and {**{name: getattr(lease, name) for name in fields}, "expires": lease.expires.isoformat()}
    text = {"format": FORMAT, "token": content.token, "lease": entries, "writers": dict(content.writers)}
    fresh = path.with_suffix(f".{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(text, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
