"""What is too old goes, what was made of it stays, and nobody takes a day without events for one that had none."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from jobs.runs.run import Silent
from jobs.tasks.expiry import expire
from jobs.tasks.maintenance import maintain
from jobs.workload.declaration import load_workload, read_workload
from jobs.workload.sections.retention import Retention
from tests.leases import leased
from tests.runs.lake.lakes import CommandLine, SmallLake
from tests.runs.lake.small_workload import MATCH_EVENTS, RESULTS, day

pytestmark = pytest.mark.spark


def declare(lake: SmallLake, retention: str) -> None:
    path = lake.home / "workload.yaml"
    path.write_text(path.read_text().split("retention:")[0] + f"retention: {retention}\n")


def test_old_events_go_and_their_results_stay(copied: SmallLake, trendmill: CommandLine, tmp_path: Path) -> None:
    """Events of the first two days, refused rows of all; then results too; upkeep again changes nothing."""
    assert trendmill("report", "--day", str(day(1)))[0] == 0
    declare(copied, "{events: 4 days, quarantine: 1 day}")
    retention, today = load_workload(copied.home).retention, day(2) + timedelta(days=4)
    before = copied.tables()
    with leased(copied.folder, "machines", "upkeep"):
        removed = expire("machines", copied.folder, retention, today)
        assert removed["events"] == 2
        assert removed["quarantine"] == 3
        assert expire("machines", copied.folder, retention, today) == {}
    after = copied.tables()
    assert {row["day"] for row in after["events"]} == {day(2)}
    assert {row["day"] for row in after["heavy_hitters"]} == {day(2)}
    assert after["quarantine"] == []
    kept = {row["seq"] for row in after["events"]}
    assert 0 < len(after["climbs_events"]) < len(before["climbs_events"])
    assert after["climbs_events"] == [row for row in before["climbs_events"] if row["seq"] in kept]
    for name in (*RESULTS, "result_days"):
        assert after[name] == before[name]
    assert "nothing wrong" in trendmill("verify")[1]
    printed = trendmill("status")[1]
    assert "retention: events 4 days, quarantine 1 days" in printed
    assert "events removed after their retention: 2013-01-01..2013-01-02" in printed
    assert "stale" not in printed
    (copied.home / "queries" / "chains.cep").write_text(
        (copied.home / "queries" / "chains.cep").read_text().replace("SLIDE 6", "SLIDE 4")
    )
    assert "stale: chains: 2013-01-03" in trendmill("status")[1]

    assert trendmill("run", "--from", str(day(1)), "--to", str(day(1)), "--stage", "load")[0] == 0
    printed = trendmill("status")[1]
    assert "events removed after their retention: 2013-01-01\n" in printed
    with leased(copied.folder, "machines", "upkeep"):
        maintain("machines", copied.folder, Silent(), Retention({"results": 1, "reports": 1, "runs": 30, "events": 1}))
    assert all(
        rows == []
        for name, rows in copied.tables().items()
        if name in (*RESULTS, *MATCH_EVENTS, "events", "result_days")
    )
    assert not (tmp_path / "reports" / "machines" / str(day(1))).exists()
    assert "nothing wrong" in trendmill("verify")[1]


def test_what_cannot_be_kept_so_long_is_refused(home: Path, tmp_path: Path) -> None:
    """Unknown names, odd lengths, and events that are kept for less than queries look back."""
    folder = tmp_path / "machines"
    folder.mkdir()
    for path in home.glob("*.*"):
        (folder / path.name).write_text(path.read_text())
    text = (folder / "workload.yaml").read_text()
    (folder / "workload.yaml").write_text(
        f"{text}retention: {{events: 2 days, evnts: 1 day, runs: 3 days, results: 5}}\n"
    )
    problems = "\n".join(read_workload(folder)[1])
    assert "is shorter than limits.max_reach (3 days)" in problems
    assert "unknown key 'evnts'" in problems
    assert "at least 30, such as '400 days', found '3 days'" in problems
    assert "at least 1, such as '400 days', found 5" in problems
