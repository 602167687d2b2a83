"""One run of a workload at a time: a small file beside the workload's tables says which run has them, and until when.

The lease belongs to a run, not to a process: each task of the run renews it, a thread renews it while a task works, and
between tasks, also before a retry, it simply lasts. A run that is given up loses it when it expires; a command line's
lease ends at once when its process is gone, because nothing else will go on with that run. Deciding and writing happen
under a file lock, so that of two runs that meet an expired lease one gets it. Assumes a file system with flock and
clocks that agree to a small part of the term.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from jobs.exits import LeaseHeld

TERM = timedelta(minutes=30)
"""How long a lease lasts without renewal: longer than the gaps and retry delays between a run's tasks."""

WAIT = 2.0
"""Seconds between two looks at a lease that the command line waits for."""


@dataclass(frozen=True)
class Lease:
    """Who has the lake: the run, its holder in words, the end if it is not renewed, and the process it ends with."""

    run_id: str
    holder: str
    expires: datetime
    host: str = ""
    process: int | None = None

    def is_over(self, now: datetime) -> bool:
        """Whether another run may take the lake."""
        gone = self.process is not None and self.host == socket.gethostname() and not _is_alive(self.process)
        return gone or self.expires <= now


def lease_file(lake: Path, workload: str) -> Path:
    """Where a workload's lease lies."""
    return lake / workload / "_work" / "lease.json"


def read(path: Path) -> Lease | None:
    """The lease as it stands, over or not; None when there is none."""
    try:
        stored = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    return Lease(**{**stored, "expires": datetime.fromisoformat(stored["expires"])})


def take(
    path: Path,
    run_id: str,
    holder: str,
    *,
    process: int | None = None,
    term: timedelta = TERM,
    now: datetime | None = None,
) -> Lease:
    """Take the lease for a run, or renew the one it has; raises LeaseHeld when another run has it.

    `process`: the process that the run cannot outlive, if there is one.
    """
    now = now or datetime.now(UTC)
    with _locked(path):
        found = read(path)
        if found is not None and found.run_id != run_id and not found.is_over(now):
            raise LeaseHeld(found.holder, found.expires)
        lease = Lease(run_id, holder, now + term, socket.gethostname(), process)
        _write(path, lease)
        return lease


def give_back(path: Path, run_id: str) -> None:
    """End a run's lease; nothing happens if another run has it by now."""
    with _locked(path):
        found = read(path)
        if found is not None and found.run_id == run_id:
            path.unlink()


def wait_for(
    path: Path, run_id: str, holder: str, *, process: int | None, tell: Callable[[str], None], term: timedelta = TERM
) -> Lease:
    """Take the lease as soon as the run that has it is done; `tell` hears once about each run that is waited for."""
    told: str | None = None
    while True:
        try:
            return take(path, run_id, holder, process=process, term=term)
        except LeaseHeld as held:
            if held.holder != told:
                tell(f"waiting: {held}")
                told = held.holder
        time.sleep(WAIT)


@contextmanager
def kept(path: Path, lease: Lease, *, term: timedelta = TERM) -> Iterator[Callable[[], None]]:
    """Renew a lease while a task works. Yields a check that raises LeaseHeld if another run took the lake meanwhile."""
    done = threading.Event()
    lost: list[LeaseHeld] = []

    def renew() -> None:
        while not done.wait(term.total_seconds() / 4):
            try:
                take(path, lease.run_id, lease.holder, process=lease.process, term=term)
            except LeaseHeld as held:
                lost.append(held)
                return

    def check() -> None:
        if lost:
            raise lost[0]

    keeper = threading.Thread(target=renew, name="lease", daemon=True)
    keeper.start()
    try:
        yield check
    finally:
        done.set()
        keeper.join()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _write(path: Path, lease: Lease) -> None:
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps({**asdict(lease), "expires": lease.expires.isoformat()}))
    fresh.replace(path)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
