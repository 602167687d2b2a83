"""What was said of days of which no table holds a row tells no erased value; what a killed program left goes."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from cep_core.events.schema import AttributeType
from jobs.erasure.condition import Condition
from jobs.erasure.rules import Suppression, rule_of
from jobs.lake.register import DISCARDED
from jobs.lake.tables.creating import create
from jobs.lake.tables.event_tables import LOADED_DAYS
from jobs.lake.tables.journal_tables import RUNS
from jobs.quality.gate import Check
from jobs.tasks.forgetting.derived_rows import clear_working_tables, tells_any
from jobs.tasks.forgetting.log_rows import ERASED, restate_days, restate_messages
from jobs.tasks.forgetting.places_left import files_with_values, other_workloads, places_left
from jobs.tasks.forgetting.touched import EVENTS, QUARANTINE, VERDICTS, Sought, touched
from tests.leases import leased

K = b"k" * 32
REFUSED, PASSED = date(2026, 1, 5), date(2026, 1, 6)
TOLD = "passenger 17"


@pytest.fixture
def sought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sought:
    """Passenger 17, in a lake without a row of theirs."""
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path))
    condition = Condition({"passenger": 17}, {"passenger": AttributeType.INT})
    return Sought(tmp_path / "trips", "trips", condition, Suppression(K, (rule_of(K, condition),)))


def add(folder: Path, rows: list[dict[str, object]]) -> None:
    schema = pa.schema(DeltaTable(folder).schema().to_arrow())
    write_deltalake(folder, pa.Table.from_pylist(rows, schema), mode="append")


def test_days_and_runs_without_a_row_tell_no_value(sought: Sought, tmp_path: Path) -> None:
    """A day that the gate refused, and a failed run; what passed tells numbers, which stay."""
    checks = json.dumps([Check("known", "fatal", False, "must be", TOLD).to_dict()])
    said = {"checks": checks, "reason": f"known ({TOLD}): must be", "events": 0, "points": 0, "run_id": "r"}
    moment = datetime(2026, 1, 7, tzinfo=UTC)
    run = {"run_id": "r", "message": TOLD, "seconds": 1.0, "started_at": moment, "rows_in": 0, "rows_out": 0}
    run |= dict.fromkeys(("workload_hash", "versions", "details"), "")
    with leased(tmp_path, "trips"):
        create("trips", [LOADED_DAYS, RUNS], tmp_path)
        days = [{**said, "day": REFUSED, "refused": True}, {**said, "day": PASSED, "refused": False}]
        add(sought.home / "_work" / "loaded_days", days)
        stages = (("evaluate", "failed", REFUSED), ("validate", "done", PASSED))
        add(
            sought.home / "runs",
            [{**run, "stage": stage, "status": status, "day": day} for stage, status, day in stages],
        )
        restate_days(sought, set(), "ts")
        restate_messages(sought, set())
        versions = [DeltaTable(sought.home / name).version() for name in ("_work/loaded_days", "runs")]
        restate_days(sought, set(), "ts")
        restate_messages(sought, set())
    assert versions == [DeltaTable(sought.home / name).version() for name in ("_work/loaded_days", "runs")]
    of_days = {row["day"]: row for row in DeltaTable(sought.home / "_work/loaded_days").to_pyarrow_table().to_pylist()}
    assert (of_days[REFUSED]["reason"], json.loads(of_days[REFUSED]["checks"])[0]["observed"]) == ("known: must be", "")
    assert of_days[PASSED]["checks"] == checks
    messages = {row["day"]: row["message"] for row in DeltaTable(sought.home / "runs").to_pyarrow_table().to_pylist()}
    assert messages == {REFUSED: ERASED, PASSED: TOLD}


def test_days_of_which_the_gate_observed_the_values_are_touched(sought: Sought) -> None:
    """A rule may judge source rows that gave no event: then no other table names the day."""
    observed = {REFUSED: f"['{TOLD}']", PASSED: "['passenger 170']", date(2026, 1, 7): ""}
    checks = {day: [Check("known", "warn", True, "of 17", text).to_dict()] for day, text in observed.items()}
    rows = pa.table({"day": list(checks), "checks": [json.dumps(of_day) for of_day in checks.values()]})
    write_deltalake(sought.home / "_work" / "loaded_days", rows)
    assert touched(sought) == {EVENTS: {}, QUARANTINE: {}, VERDICTS: {REFUSED: 1}}


@pytest.mark.parametrize(
    ("heavy", "reasons", "tells"),
    [
        ({"p": [4, 17]}, [], True),
        ({"p": [170]}, ["4 time ranges: predicted maximum load 0.318, 17 without"], False),
        ({}, ["heavy values of p (4, 17) are hashed like any other: predicted maximum load 1.000"], True),
        ({}, ["heavy values of p (A17, 170) are hashed like any other: predicted maximum load 0.17"], False),
    ],
)
def test_plans_that_tell_a_value(heavy: dict[str, list[int]], reasons: list[str], tells: bool) -> None:
    """As a heavy value, or, in plans of earlier versions, in the reasons why these are not told apart."""
    assert tells_any({"heavy": heavy, "decisions": reasons}, [17]) == tells


def test_what_killed_programs_left_goes(sought: Sought) -> None:
    """Results of slices of a run, a table that a rebuild was removing."""
    left = [sought.home / "_work" / name / "rows.arrow" for name in ("partials", f"{DISCARDED}events-9", "judged")]
    for path in left:
        path.parent.mkdir(parents=True)
        path.write_text(TOLD)
    clear_working_tables(sought.home)
    assert not any(path.parent.exists() for path in left)


def test_files_of_the_workload_that_hold_the_value(sought: Sought, tmp_path: Path) -> None:
    """Its data is the sources' own."""
    for name, text in (
        ("cases/a.yaml", TOLD),
        ("queries/b.cep", "x > 170"),
        ("data/c.csv", TOLD),
        ("events.sql", "17"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    own = files_with_values(tmp_path, sought.rules)
    assert own == ["events.sql", "cases/a.yaml"]


def test_other_workloads_of_the_lake_are_named(tmp_path: Path) -> None:
    """An erasure is of one workload, and another may read the same files."""
    for name in ("trips", "fares"):
        (tmp_path / name / "events" / "_delta_log").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    workloads = other_workloads(tmp_path, "trips")
    assert workloads == ["fares"]
    assert "fares" in places_left("trips", datetime(2026, 1, 7, tzinfo=UTC), others=workloads)[0]
