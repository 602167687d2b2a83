"""The lease: one run at a time, for as long as its tasks go on, and no longer than its term once they do not."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.exits import LeaseHeld, LeaseUnreadable
from jobs.lake.leasing import lease as lease_module
from jobs.lake.leasing.lease import fenced, give_back, lease_file, read, take, wait_for

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
    assert read(path) == replace(renewed, writer="", contested=False)


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
    with ProcessPoolExecutor(6, multiprocessing.get_context("forkserver")) as racers:
        winners = list(racers.map(_race, [path] * 24, [f"r{n}" for n in range(24)]))
    assert sum(winner is not None for winner in winners) == 1


def test_the_command_line_waits_and_says_for_whom(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line however long it takes, then the lease."""
    monkeypatch.setattr("jobs.lake.leasing.lease.WAIT", 0.02)
    take(path, "r1", "the night")
    messages: list[str] = []
    threading.Timer(0.2, give_back, args=(path, "r1")).start()
    assert wait_for(path, "r2", "me", process=os.getpid(), tell=messages.append).run_id == "r2"
    assert len(messages) == 1
    assert "the night" in messages[0]


SPOILT = {
    "": "it is empty",
    "\n": "it is empty",
    '{"format": 2, "token": 7, "lease": {"run_id": "r1", "hol': "cut off or damaged",
    '{"format": 3, "token": 7, "leases": []}': r"a newer Trendmill wrote it \(format 3, known here: 2\)",
    "[]": "it is not a lease",
    '{"run_id": "r1", "holder": "h", "expires": "tomorrow", "host": "", "process": null}': "it is not a lease",
    '{"run_id": "r1", "holder": "h", "expires": "2013-03-08T08:00:00", "host": "", "process": null}': "time zone",
}


@pytest.mark.parametrize("content", SPOILT)
def test_a_file_that_is_no_lease_is_told_and_left_alone(path: Path, content: str) -> None:
    """Nobody knows who has the lake, so nobody takes it; the message says which file, what it is, and what to do."""
    path.parent.mkdir(parents=True)
    path.write_text(content)
    with pytest.raises(LeaseUnreadable, match=SPOILT[content]) as caught:
        take(path, "r2", "next", now=NOW)
    assert str(path) in str(caught.value)
    assert "remove the file" in str(caught.value)
    give_back(path, "r1")
    assert path.read_text() == content


WHOLE: dict[str, Any] = {
    "format": 2,
    "token": 7,
    "lease": {"run_id": "r1", "holder": "h", "expires": "2013-03-08T08:00:00+00:00", "host": "x", "process": 7},
    "writers": {"a": 7},
}
values = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
)
spoilt = st.tuples(st.sampled_from([*WHOLE, *WHOLE["lease"]]), values).map(
    lambda drawn: (
        {**WHOLE, drawn[0]: drawn[1]}
        if drawn[0] in WHOLE
        else {**WHOLE, "lease": {**WHOLE["lease"], drawn[0]: drawn[1]}}
    )
)
contents = (
    st.binary(max_size=200)
    | (st.just(WHOLE) | spoilt | values).map(lambda value: json.dumps(value).encode())
    | st.integers(0, 200).map(lambda length: json.dumps(WHOLE).encode()[:length])
)


@given(contents)
def test_whatever_the_file_holds(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """It is a lease, or it is told; no third."""
    path = lease_file(tmp_path_factory.mktemp("lake"), "w")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    try:
        take(path, "r2", "next")
    except (LeaseUnreadable, LeaseHeld):
        assert path.read_bytes() == content


def test_a_lease_of_the_former_format_is_one(path: Path) -> None:
    """A lake that an earlier version left, with somebody at work or without."""
    path.parent.mkdir(parents=True)
    path.write_text(
        '{"run_id": "r1", "holder": "the night", "expires": "2013-03-08T08:10:00+00:00", "host": "", "process": null}'
    )
    with pytest.raises(LeaseHeld, match="the night"):
        take(path, "r2", "next", now=NOW)
    later = take(path, "r2", "next", now=NOW + timedelta(minutes=10))
    assert later.contested


def test_an_end_far_ahead_is_bounded_and_told(path: Path) -> None:
    """A wrong clock of a holder that is gone holds the lake for one term more, not for years."""
    take(path, "r1", "of the future", now=NOW + timedelta(days=4000))
    with pytest.raises(LeaseHeld, match=r"08:30:00Z unless renewed \(it said 2024-.* farther ahead than a lease lasts"):
        take(path, "r2", "next", now=NOW)
    with pytest.raises(LeaseHeld, match=r"08:30:00Z unless renewed$"):
        take(path, "r2", "next", now=NOW + timedelta(minutes=29))
    assert take(path, "r2", "next", now=NOW + timedelta(minutes=30)).run_id == "r2"


def test_tokens_only_grow(path: Path) -> None:
    """Also when the file is removed, and none is shared by two runs; a run whose lease has ended gets another."""
    tokens = [take(path, "r1", "one", now=NOW).token]
    assert take(path, "r1", "one", now=NOW + timedelta(minutes=1)).token == tokens[0]
    give_back(path, "r1")
    tokens.append(take(path, "r2", "two", now=NOW).token)
    path.unlink()
    tokens.append(take(path, "r3", "three", now=NOW + timedelta(seconds=1)).token)
    tokens.append(take(path, "r3", "three", now=NOW + timedelta(hours=1)).token)
    assert tokens == sorted(set(tokens))


def test_a_lease_is_contested_until_its_tables_are_fenced(path: Path) -> None:
    """By writers that did not say that they had ended, of whatever run; and by those whom nobody knows."""
    first = take(path, "r1", "one", now=NOW)
    assert first.contested  # the file was absent
    fenced(path, first)
    assert not take(path, "r1", "one", now=NOW).contested
    later = NOW + timedelta(hours=1)
    assert take(path, "r2", "two", now=later).contested
    second = take(path, "r2", "two", now=later)  # it died before it had fenced
    assert second.contested
    fenced(path, second)
    assert not take(path, "r2", "two", now=later).contested


def test_on_a_full_disk_the_lease_is_given_back_all_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be written, but a file can be removed."""
    take(path, "r1", "one")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(lease_module, "_write", full)
    give_back(path, "r1")
    assert read(path) is None
