"""Keeping a lease while a task works: it is renewed, trouble is told, and one that was lost stops the task's writes."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jobs.exits import LeaseHeld, LeaseLost
from jobs.lake.leasing import lease as lease_module
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import lease_file, read, stored, take


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return lease_file(tmp_path, "nyc_flights")


def test_it_is_renewed_while_a_task_works_and_loss_is_noticed(path: Path) -> None:
    """A task longer than the term keeps the lease; one that lost it stops at its next check for good."""
    term, of_other = timedelta(seconds=2), path.with_name("other")
    take(of_other, "r2", "other")
    lease = take(path, "r1", "long", term=term)
    with kept(path, lease, term=term) as check:
        _until(lambda: _end(path) >= lease.expires + term)
        check()
        with pytest.raises(LeaseHeld):
            take(path, "r2", "other")
        [keeper] = [thread for thread in threading.enumerate() if thread.name == "lease"]
        os.replace(of_other, path)  # at once, so that no renewal comes between
        with pytest.raises(LeaseLost, match="other took the lake over"):
            check()
        keeper.join()
        with pytest.raises(LeaseLost, match="other"):
            check()
    assert [lease.run_id for lease in [read(path)] if lease] == ["r2"]


def _end(path: Path) -> datetime:
    lease = stored(path).lease
    assert lease is not None
    return lease.expires


def _holds(check: Callable[[], None]) -> bool:
    try:
        check()
    except LeaseLost:
        return False
    return True


def _until(holds: Callable[[], bool]) -> None:
    while not holds():
        threading.Event().wait(0.01)


def test_a_renewal_that_fails_is_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk for a while is told once and costs nothing."""
    term, failures, messages = timedelta(seconds=2), iter([True, True, True]), []
    write = lease_module._write

    def fails(*arguments: Any) -> None:
        if next(failures, False):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(*arguments)

    with kept(path, take(path, "r1", "long", term=term), term=term, tell=messages.append) as check:
        monkeypatch.setattr(lease_module, "_write", fails)
        first = stored(path).lease
        while stored(path).lease == first:
            check()
        check()
    assert len(messages) == 1
    assert "No space left on device" in messages[0]


def test_a_lease_that_cannot_be_renewed_in_time_is_lost_with_the_reason(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails closed: from its end on nothing is written, whether anybody took the lake or not; and goes on where a later
    renewal finds that nobody did."""
    term, broken = timedelta(seconds=2), [True]
    write = lease_module._write

    def fails(*arguments: Any) -> None:
        if broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        write(*arguments)

    with kept(path, take(path, "r1", "long", term=term), term=term, tell=lambda _: None) as check:
        monkeypatch.setattr(lease_module, "_write", fails)
        _until(lambda: _end(path) < datetime.now(UTC))
        with pytest.raises(LeaseLost, match=r"it ended at .*could not be renewed before: .*Input/output error"):
            check()
        broken.clear()
        _until(lambda: _holds(check))
