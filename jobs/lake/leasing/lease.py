"""One run of a workload at a time: a small file beside the workload's tables says which run holds them, until when.

The lease belongs to a run, not to a process. Each task of the run renews it, and a thread renews it while a task works.
Between tasks, also before a retry, it lasts without renewal. A run that is given up loses it when it expires. The lease
of a command line ends at once when its process is gone, because nothing else continues that run. Deciding and writing
happen under a file lock: if two runs meet an expired lease, one of them gets it.

A run that gets the lease also gets a token greater than all before. Every commit carries it
(`jobs/lake/leasing/fence.py`). The file names the writers that have not reported the end of their last write. If some
of them have an earlier token, the lease is contested: its run first fences the tables against them.

Assumes a file system with flock, and clocks that agree to a small part of the term. A storage without locks has the
file as versions of a table (`lease_versions.py`): what meets a later version is decided anew. A file that is not a
lease is reported and left alone: nobody knows then which run holds the lake.
"""

from __future__ import annotations

import fcntl
import os
import random
import socket
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from jobs.exits import LeaseHeld, LeaseLost, LeaseUnreadable
from jobs.lake.leasing.lease_versions import Overtaken, read_version, write_version
from jobs.lake.leasing.record import Lease, Stored, parsed, text_of
from jobs.stored_path import StoredPath

TERM = timedelta(minutes=30)
"""How long a lease lasts without renewal: longer than the gaps and retry delays between a run's tasks."""

WAIT = 2.0
"""Seconds between two looks at a lease that the command line waits for."""

PATIENCE = 60.0
"""Seconds to wait for the file lock. It is held for moments, or while tables are created."""


P = ParamSpec("P")
Decision = TypeVar("Decision")


def decided(change: Callable[P, Decision]) -> Callable[P, Decision]:
    """The change, decided anew whenever another program's came between its look at the file and its write."""

    @wraps(change)
    def until_first(*arguments: P.args, **named: P.kwargs) -> Decision:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return change(*arguments, **named)
            except Overtaken:
                if time.monotonic() >= until:
                    raise LeaseHeld("programs that change the lease all the time") from None
                time.sleep(random.uniform(0.0, 0.1))

    return until_first


def lease_file(lake: Path, workload: str) -> Path:
    """The path of a workload's lease."""
    return lake / workload / "_work" / "lease.json"


def read(path: Path) -> Lease | None:
    """The current lease, even if it is over; None if no run has it. Raises LeaseUnreadable."""
    return stored(path).lease


def stored(path: Path) -> Stored:
    """The whole content of the file. Raises LeaseUnreadable if it cannot be understood."""
    if isinstance(path, StoredPath):
        text, version = read_version(path)
        return Stored(version=version) if text is None else parsed(path, text, version)
    try:
        return parsed(path, path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Stored()
    except UnicodeDecodeError as error:
        raise LeaseUnreadable(path, f"it is no text ({error.reason})") from error


@decided
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
        _write(path, Stored(token, lease, {**record.writers, lease.writer: token}, record.version))
        return lease


def refuse_another(path: Path, run_id: str) -> None:
    """Raise LeaseHeld if another run has the lease now; nothing is taken. A file that is no lease passes: `take` says
    so."""
    with suppress(LeaseUnreadable):
        record, now = stored(path), datetime.now(UTC)
        if (held := record.lease) is not None and held.run_id != run_id and not held.is_over(now):
            raise LeaseHeld(held.holder, held.expires)


@decided
def renew(path: Path, lease: Lease, *, term: timedelta = TERM) -> Lease:
    """Extend a lease that a process of the run has. Raises LeaseLost if another run took the lake."""
    with locked(path):
        record = stored(path)
        if not owns(record, lease):
            raise lost_to(record)
        renewed = replace(lease, expires=datetime.now(UTC) + term)
        _write(path, Stored(lease.token, renewed, {**record.writers, lease.writer: lease.token}, record.version))
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


@decided
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
    """During the block, no other process changes the lease's file. Raises LeaseHeld after a minute of waiting.

    A storage has no locks: there, a change of what was read in the block is refused instead.
    """
    if isinstance(path, StoredPath):
        yield
        return
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


@decided
def _update_writers(path: Path, lease: Lease, update: Callable[[Mapping[str, int]], Mapping[str, int]]) -> None:
    with locked(path):
        record = stored(path)
        if record.token == lease.token:
            _write(path, replace(record, writers=update(record.writers)))


def _write(path: Path, content: Stored) -> None:
    """Write the file whole or not at all, even if the machine loses power."""
    if isinstance(path, StoredPath):
        write_version(path, text_of(content), content.version)
        return
    fresh = path.with_suffix(f".{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text_of(content))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
