"""Keeping a lease while a task works: fence the tables first where it is contested, renew it, say when writing ended.

A renewal that fails, whatever the reason, is tried again until the lease has ended; from then on nothing may be
written until one succeeds, which it does only if no other run took the lake meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from jobs.exits import LeaseLost, RunError
from jobs.lake.leasing.fence import Fence, fence_off, fencing
from jobs.lake.leasing.lease import TERM, Lease, fenced, renew, rest


@contextmanager
def kept(
    path: Path, lease: Lease, *, term: timedelta = TERM, tell: Callable[[str], None] = print
) -> Iterator[Callable[[], None]]:
    """Let this process write while it holds a lease. Yields a check that raises LeaseLost if it no longer does.

    `tell` hears of what a person should know: that the tables are fenced, that renewing has trouble.
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
            # One that cannot be noted leaves the lake to be fenced by the next run, and must not hide an error.
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
