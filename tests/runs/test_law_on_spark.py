"""The law of whole operating days on real tables: order, repetition, a failed gate and a death leave no trace.

All orders are in test_scope.py, without Spark.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest

from jobs.lake.leasing.lease import give_back, lease_file
from jobs.lake.register import register
from jobs.lake.tables.episodes_over_days import register_episodes_over_days
from jobs.runs.run import Run
from jobs.stages.evaluate import assignment_of, evaluate
from jobs.stages.evaluating.partials import Way
from jobs.tasks.nightly import TASKS, refused_days, slice_, with_scope
from tests.runs.lake.dying_stage import ended_after_writing
from tests.runs.lake.lakes import SmallLake, Tables
from tests.runs.lake.small_workload import POLICIES, PROJECTED, QUESTIONS, day, join_projected, write_day
from tests.scales import at

FURTHER = ("", "_episodes", "_judged", "_why")
"""The tables of a policy, by suffix."""

pytestmark = [pytest.mark.spark, pytest.mark.long]


def test_a_day_with_late_events_is_repeated(lake: SmallLake, home: Path, undisturbed: Tables) -> None:
    """Day by day, the first as the day of a large input; then what came late is in its file, and it is repeated.

    Day 0 is loaded as warm-up by whoever comes first.
    """
    write_day(home, 1, early=True)
    try:
        with at(lake.spark, "large"):
            lake.run(1, 1)
    finally:
        write_day(home, 1)
    lake.run(2, 2)
    early = lake.tables()
    lake.run(1, 1)
    tables = lake.tables()
    assert {name: rows for name, rows in tables.items() if not rows} == {}
    assert tables == undisturbed != early


def test_days_backwards_and_again_leave_the_same_tables(lake: SmallLake, undisturbed: Tables) -> None:
    """Both days are repeated in one run."""
    lake.run(2, 2)
    lake.run(1, 1)
    assert lake.tables() == undisturbed
    lake.run(1, 2)
    assert lake.tables() == undisturbed


def test_a_repaired_day_leaves_no_trace(lake: SmallLake, home: Path, undisturbed: Tables) -> None:
    """Day 1 fails its gate, the night of day 2 says that it is incomplete, day 1 is repaired."""
    write_day(home, 1, broken=True)
    try:
        failed = lake.run(1, 1)
        assert list(refused_days(failed)) == [day(1)]
        night = lake.run(2, 2)
        assert refused_days(night) == {}
        assert {row["complete"] for row in lake.table("result_days").to_pylist()} == {False}
        assert day(1) not in {row["day"] for row in lake.table("events").to_pylist()}
    finally:
        write_day(home, 1)
    lake.run(1, 1)
    assert lake.tables() == undisturbed


def test_a_day_without_events_has_empty_results(copied: SmallLake) -> None:
    """Nothing happened is an answer: the day is evaluated, complete, and its tables have no row of it."""
    write_day(copied.home, 3, empty=True)
    copied.run(3, 3)
    of_day = [row for row in copied.table("result_days").to_pylist() if row["day"] == day(3)]
    assert {row["query"] for row in of_day} == set(QUESTIONS)
    assert all(row["complete"] for row in of_day)
    assert day(3) not in {row["day"] for row in copied.table("events").to_pylist()}
    measured = [row for row in copied.shedding() if row["day"] == day(3)]
    assert {row["strategy"] for row in measured} >= {"none", "pSPICE", "E-BL"}
    assert {row["value"] for row in measured if row["metric"] in ("matches", "lost", "late_events")} == {0.0}


def test_an_episode_goes_on_over_a_day_without_points(copied: SmallLake) -> None:
    """Every point violates the policy, and one of the days has none."""
    policy = copied.home / "policies" / "light.mfotl"
    policy.write_text("-- When does nothing heavy start?\nNOT (EXISTS m, x. Start(m, x) AND x > 1000)\n")
    write_day(copied.home, 2, empty=True)
    try:
        for number in (1, 2, 3):
            copied.run(number, number)
    finally:
        write_day(copied.home, 2)
    assert {row["day"] for row in copied.rows("light_judged")} == {day(1), day(3)}
    register(copied.spark, "machines", copied.folder)
    register_episodes_over_days(copied.spark, "machines", copied.folder)
    [episode] = copied.spark.table("machines.light_episodes_over_days").toArrow().to_pylist()
    assert (episode["first_day"], episode["last_day"]) == (day(1), day(3))
    assert episode["points"] == len(copied.rows("light"))
    assert episode["duration"] == episode["last_ts"] - episode["first_ts"] > 86_400


def test_every_way_of_evaluating_slices_gives_equal_tables(
    copied: SmallLake, undisturbed: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process or in a worker, which reads its slice itself or gets it from Spark; the row limit cuts all alike.

    Spark cuts the slices, by the ranks that `seq` says, or as if events.sql gave `seq`.

    From one way on, three rows are merged at a time. There are slices in which a policy finds nothing but silence.
    Small slices are evaluated together, and then each by itself.

    Policies that are projected join: slices find the same points, which a shuffle makes distinct before they are
    counted and joined to episodes. Their causes are those of the policies in one slice, too.
    """
    stored = {(row["query"], row["day"]): row["matches_total"] for row in undisturbed["result_days"]}
    assert {name: [stored[name, day(number)] for number in (1, 2)] for name in POLICIES} == {
        "unstopped": ["9", "10"],
        "silence": ["32", "29"],
    }
    join_projected(copied.home)
    expected = _of_projected(undisturbed["events"])
    with copied.leased("run-2"):
        with at(copied.spark, "large"):
            everything = _everything(copied.begin(1, 2, "run-2"))
            slice_(everything)
            assert (ranked := sorted(map(repr, copied.rows("_work/slices"))))
            monkeypatch.setattr("jobs.stages.slice_events.seq_is_rank", lambda _: False)
            slice_(everything)
            assert sorted(map(repr, copied.rows("_work/slices"))) == ranked
        plans = " ".join(str(row["plan"]) for row in copied.rows("slicing_plans") if row["run_id"] == "run-2")
        assert all(f"{name} is sliced before EXISTS projects" in plans for name in PROJECTED)
        by_slices = []
        for way in get_args(Way):
            if way == "paths":  # results are merged range by range, and written to files as they come
                monkeypatch.setattr("jobs.stages.evaluating.merging.ROWS_AT_ONCE", 3)
            evaluate(everything, way=way)
            tables = copied.tables(*(f"{name}{suffix}" for name in PROJECTED for suffix in FURTHER))
            of_projected = [row for row in tables["result_days"] if row["query"] in PROJECTED]
            tables["result_days"] = [row for row in tables["result_days"] if row["query"] not in PROJECTED]
            by_slices.append([tables.pop(f"{name}_why") for name in PROJECTED])
            for name, points in expected.items():
                assert {row["ts"] for row in tables.pop(name)} == points
                assert {row["day"] for row in tables.pop(f"{name}_judged")} == {day(1), day(2)}
                assert [int(str(row["matches_total"])) for row in of_projected if row["query"] == name] == [
                    sum(day(number) == datetime.fromtimestamp(ts, UTC).date() for ts in points) for number in (1, 2)
                ]
                assert sum(int(str(row["points"])) for row in tables.pop(f"{name}_episodes")) == len(points)
            assert tables == undisturbed
        monkeypatch.setattr("jobs.stages.slicing.planning.WORTH_CHANGING", 2)
        slice_(everything)
        plans = " ".join(str(row["plan"]) for row in copied.rows("slicing_plans") if row["run_id"] == "run-2")
        assert "before EXISTS projects" not in plans
        # Nothing is brought together now, so workers leave their results in files.
        monkeypatch.setattr("jobs.stages.evaluate.assignment_of", lambda run: replace(assignment_of(run), together=0))
        for way in ("paths", "here"):
            evaluate(everything, way=way)
            whole = [copied.tables(f"{name}_why")[f"{name}_why"] for name in PROJECTED]
            assert by_slices == [whole] * len(get_args(Way)), way
            tables = copied.tables()
            tables["result_days"] = [row for row in tables["result_days"] if row["query"] not in PROJECTED]
            assert tables == undisturbed
        assert not (copied.folder / "machines" / "_work" / "partials").exists()
        for leaf, points, causes in zip(("event", "absence"), expected.values(), whole, strict=True):
            assert {(row["ts"], row["leaf"]) for row in causes} >= {(min(points), leaf)}


def _of_projected(events: list[dict[str, object]]) -> dict[str, set[int]]:
    """The points of days 1 and 2 that violate the projected policies, by their definitions."""
    heavy = [int(str(row["ts"])) for row in events if row["event_type"] == "Start" and int(str(row["load"])) > 80]
    stamps = {int(str(row["ts"])) for row in events if row["day"] in (day(1), day(2))}
    after = {ts for ts in stamps if any(72_000 <= ts - then <= 86_400 for then in heavy)}
    return {"after_heavy": after, "no_heavy": stamps - after}


def _everything(run: Run) -> Run:
    """The run with all evaluations of its days in scope, current ones too."""
    forgetful = with_scope(replace(run, scope=None, compiled=_edited(run)))
    assert forgetful.scope is not None
    assert forgetful.scope.evaluations
    return replace(run, scope=forgetful.scope)


def _edited(run: Run) -> dict[str, object]:
    return {name: replace(query, definition="edited") for name, query in run.compiled.items()}


STAGES = {
    "load": ("ingest", "validate"),
    "slice": ("statistics", "plan_slices", "slice_events"),
    "evaluate": ("evaluate", "compare"),
}
"""The stages of each task that write tables."""


def test_a_task_that_dies_in_any_writing_stage_is_mended_by_a_retry(lake: SmallLake, undisturbed: Tables) -> None:
    """A scheduler's retries of each task, each ended one stage later than the one before, then one that lives.

    A stage that writes several tables at once dies twice: after the first of them, and after the last. Death comes
    within this session; `commands/test_at_once.py` kills a program, JVM and all, in its work.
    """
    for task, stages in STAGES.items():
        for name in stages:
            stage = importlib.import_module(f"jobs.stages.{name}")
            for last in (False, True) if hasattr(stage, "replace_all") else (False,):
                with lake.leased("killed"), ended_after_writing(stage, last=last):
                    TASKS[task](lake.begin(1, 2, "killed"))
        with lake.leased("killed"):
            TASKS[task](lake.begin(1, 2, "killed"))
    assert lake.tables() == undisturbed


def test_days_that_were_evaluated_and_not_measured_are_measured_by_the_next_run(
    copied: SmallLake, undisturbed: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run dies between evaluate and compare; the next one evaluates nothing, and measures shedding all the same."""

    def die(*_: object) -> None:
        raise OSError("the end")

    write_day(copied.home, 1, early=True)
    copied.run(1, 2)
    early = copied.tables()
    write_day(copied.home, 1)
    with monkeypatch.context() as patch:
        patch.setattr("jobs.tasks.nightly.compare", die)
        with pytest.raises(OSError, match="the end"):
            copied.run(1, 2)
    give_back(lease_file(copied.folder, "machines"), f"run-{copied.runs}")
    died = copied.tables()
    assert died["shedding"] == early["shedding"] != undisturbed["shedding"]
    assert {**died, "shedding": undisturbed["shedding"]} == undisturbed
    again = copied.run(2, 2)
    assert again.scope is None or not again.scope.evaluations
    assert copied.tables() == undisturbed
    assert not (copied.folder / "machines" / "_work" / "unmeasured.json").exists()
