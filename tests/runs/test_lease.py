"""The lease: one run at a time, for as long as its tasks go on, and no longer than its term once they do not."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jobs.exits import LeaseHeld
from jobs.lake.lease import give_back, kept, lease_file, read, take, wait_for

NOW = datetime(2013, 3, 8, 8, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return lease_file(tmp_path, "nyc_flights")


def test_another_run_is_refused_and_told_who_holds_it(path: Path) -> None:
    """The message names the holder and the end."""
    take(path, "r1", "nightly_nyc_flights 2013-03-08", now=NOW)
    with pytest.raises(LeaseHeld, match=r"nightly_nyc_flights 2013-03-08.*08:30:00Z"):
        take(path, "r2", "a backfill", now=NOW)


def test_the_run_itself_renews_it_across_gaps(path: Path) -> None:
    """A later task of the same run takes its own lease again, and moves its end."""
    take(path, "r1", "load", now=NOW)
    renewed = take(path, "r1", "slice", now=NOW + timedelta(minutes=20))
    assert renewed.expires == NOW + timedelta(minutes=50)
    assert read(path) == renewed


def test_an_abandoned_lease_expires(path: Path) -> None:
    """After its term anyone may take it; the run that had it is then the one that is refused."""
    take(path, "r1", "gone", now=NOW)
    take(path, "r2", "next", now=NOW + timedelta(minutes=30))
    with pytest.raises(LeaseHeld, match="next"):
        take(path, "r1", "gone", now=NOW + timedelta(minutes=31))


def test_a_lease_of_a_process_ends_with_it(path: Path) -> None:
    """Nobody waits half an hour for a command line that was killed."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    take(path, "r1", "a command line", process=process.pid)
    with pytest.raises(LeaseHeld):
        take(path, "r2", "next")
    process.kill()
    process.wait()
    assert take(path, "r2", "next").run_id == "r2"


def test_giving_back_frees_it_for_others_only_if_it_is_ours(path: Path) -> None:
    """A run that lost its lease cannot end the one that followed."""
    take(path, "r1", "one", now=NOW)
    give_back(path, "r2")
    assert read(path) is not None
    give_back(path, "r1")
    assert read(path) is None


def _race(path: Path, run_id: str) -> str | None:
    try:
        return take(path, run_id, run_id).run_id
    except LeaseHeld:
        return None


def test_of_many_runs_at_once_one_gets_it(path: Path) -> None:
    """Also when they all meet the same expired lease."""
    take(path, "old", "old", now=NOW)
    with multiprocessing.get_context("fork").Pool(6) as racers:
        winners = racers.starmap(_race, [(path, f"r{n}") for n in range(24)], chunksize=1)
    assert sum(winner is not None for winner in winners) == 1


def test_the_command_line_waits_and_says_for_whom(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line however long it takes, then the lease."""
    monkeypatch.setattr("jobs.lake.lease.WAIT", 0.02)
    take(path, "r1", "the night")
    told: list[str] = []
    threading.Timer(0.2, give_back, args=(path, "r1")).start()
    assert wait_for(path, "r2", "me", process=os.getpid(), tell=told.append).run_id == "r2"
    assert len(told) == 1
    assert "the night" in told[0]


def test_it_is_renewed_while_a_task_works_and_loss_is_noticed(path: Path) -> None:
    """A task longer than the term keeps the lease; one that lost it stops at its next check."""
    term = timedelta(seconds=0.2)
    lease = take(path, "r1", "long", term=term)
    with kept(path, lease, term=term) as check:
        threading.Event().wait(0.5)
        check()
        with pytest.raises(LeaseHeld):
            take(path, "r2", "other")
        path.unlink()
        take(path, "r2", "other")
        threading.Event().wait(0.2)
        with pytest.raises(LeaseHeld, match="other"):
            check()
