"""Keeping a lease while a task works: fence the tables if it is contested, renew it, note when writing ended.

A renewal that fails, for whatever reason, is tried again until the lease has ended. From then on nothing may be written
until a renewal succeeds, and it succeeds only if no other run has taken the lake.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from jobs.exits import LeaseLost, RunError
from jobs.lake.leasing.fence import Fence, fence_off, fencing
from jobs.lake.leasing.lease import TERM, fenced, renew, rest
from jobs.lake.leasing.record import Lease


@contextmanager
def kept(
    path: Path, lease: Lease, *, term: timedelta = TERM, tell: Callable[[str], None] = print
) -> Iterator[Callable[[], None]]:
    """Let this process write while it holds a lease. Yields a check that raises LeaseLost if it no longer does.

    `tell` gets messages for a person: that the tables are fenced, that renewing has trouble.
    """
    fence, done = Fence(path, lease), threading.Event()
    keeper = threading.Thread(target=_renew, args=(fence, done, term, tell), name="lease", daemon=True)
    keeper.start()
    try:
        if lease.contested:
            if tables := fence_off(fence.home, lease.token):
                tell(f"an earlier run may not have ended its writes: {tables} tables now refuse them")
            fenced(path, lease)
        with fencing(fence):
            yield fence.check
    finally:
        done.set()
        keeper.join()
        if fence.settled and fence.lost is None:
            # If the end cannot be noted, the next run fences the lake. This must not hide an error.
            with suppress(OSError, RunError):
                rest(path, lease)


def _renew(fence: Fence, done: threading.Event, term: timedelta, tell: Callable[[str], None]) -> None:
    between, soon = term.total_seconds() / 4, min(term.total_seconds() / 60, 5.0)
    pause = between
    while not done.wait(pause):
        try:
            fence.expires = renew(fence.path, fence.lease, term=term).expires
            fence.trouble, pause = None, between
        except LeaseLost as lost:
            fence.lost = lost
            return
        except (OSError, RunError) as trouble:
            if fence.trouble is None:
                tell(f"the lease could not be renewed, which is tried until it ends: {trouble}")
            fence.trouble, pause = trouble, soon
