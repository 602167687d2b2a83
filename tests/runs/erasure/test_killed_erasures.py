"""An erasure that dies after one of its steps is told as unfinished, and ends as one that was never disturbed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jobs.erasure.condition import read_condition
from jobs.erasure.key import KEY
from jobs.erasure.rules import BEGUN, REMOVED, read_erasures
from jobs.runs.run import Silent
from jobs.tasks.forgetting import erase as steps
from jobs.tasks.verification import verify
from jobs.workload.declaration import load_workload
from tests.leases import leased
from tests.runs.lake.lakes import StoredLake
from tests.runs.lake.small_workload import MATCH_EVENTS, QUESTIONS, RESULTS, day

pytestmark = pytest.mark.spark

STEPS = (
    "remove_events",
    "restate_days",
    "remove_results",
    "clear_working_tables",
    "remove_reports",
)
OF_EVENTS = ("events", "quarantine", "stream_statistics", "heavy_hitters", "slicing_plans", "_work/slices")
TABLES = (*OF_EVENTS, *RESULTS, *MATCH_EVENTS)
FACTS = ("_work/loaded_days", "_work/source_rows", "_work/source_files", "result_days")


class Killed(Exception):
    """Stands for the end of the process."""


def dying(step: Callable[..., Any]) -> Callable[..., Any]:
    def work(*arguments: Any, **named: Any) -> None:
        step(*arguments, **named)
        raise Killed

    return work


def test_it_goes_on_after_each_step(
    undisturbed_lake: StoredLake, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "k" * 40)
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path / "reports"))
    workload = load_workload(home)
    condition = read_condition("machine = 'm1' AND event_type = 'Start'", workload.schema)
    order = steps.Order(workload, QUESTIONS, condition, "tests", "", "run")
    for later in (30, 31):
        (tmp_path / "reports" / "machines" / str(day(later))).mkdir(parents=True)
    ended = {}
    for name, deaths in (("whole", ()), ("killed", STEPS)):
        lake = StoredLake(shutil.copytree(undisturbed_lake.folder, tmp_path / name))
        monkeypatch.setenv("TRENDMILL_LAKE", str(lake.folder))
        with leased(lake.folder, "machines", "run"):
            for step in deaths:
                with monkeypatch.context() as patch:
                    patch.setattr(steps, step, dying(getattr(steps, step)))
                    with pytest.raises(Killed):
                        steps.erase(order, Silent())
                [erasure] = read_erasures(lake.folder, "machines")
                assert erasure.state == BEGUN
                if step == STEPS[0]:
                    faults = verify("machines", lake.folder, Silent(), deep=True).faults
                    assert any("is begun and not finished" in str(fault) for fault in faults)
            _, shown = steps.erase(order, Silent())
        [erasure] = read_erasures(lake.folder, "machines")
        assert erasure.state == REMOVED
        facts = {table: lake.rows(table) for table in FACTS}
        of_results = {row["day"] for row in lake.rows("result_days")}
        assert of_results <= shown
        assert shown - of_results == ({day(30)} if name == "whole" else set()), "a page of a day that never had one"
        ended[name] = {table: lake.rows(table) for table in TABLES} | facts | {"counted": erasure.rows["events"]}
    assert ended["killed"] == ended["whole"]
    assert [path.name for path in (tmp_path / "reports" / "machines").iterdir()] == [str(day(31))]
    held = StoredLake(undisturbed_lake.folder).rows("events")
    gone = [row for row in held if row["machine"] == "m1" and row["event_type"] == "Start"]
    assert len(gone) > 10
    assert len(ended["whole"]["events"]) == len(held) - len(gone)
