"""`trendmill explain`: each query of a workload, one of them, or a file; as text and as JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from cep_core.slicing import Plan
from jobs.cli import main
from tests.reports.lake import small_workload
from tests.reports.lake.small_days import DAYS
from tests.reports.lake.small_lake import write_lake
from tests.reports.lake.small_schemas import SLICING_PLANS
from tests.runs.lake.small_workload import QUESTIONS, write_workload


def test_explains_what_was_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = write_workload(tmp_path)
    assert main(["explain", str(home), "--json"]) == 0
    explained = json.loads(capsys.readouterr().out)
    assert set(explained) == set(QUESTIONS)
    assert main(["explain", str(home), "silence"]) == 0
    assert "a result is certain 3 hours after its point" in capsys.readouterr().out
    assert main(["explain", str(home), "climbs"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("climbs\n")
    assert "chains" not in printed
    query = tmp_path / "heavy.cep"
    query.write_text("PATTERN Start a WHERE a.load >= 85 WITHIN 1 hour\n")
    assert main(["explain", str(home), str(query)]) == 0
    assert capsys.readouterr().out.startswith("heavy\n")


def test_an_unknown_query_is_named_with_the_nearest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(write_workload(tmp_path)), "climb"]) == 2
    assert "did you mean 'climbs'?" in capsys.readouterr().err


def test_a_day_is_planned_from_the_lake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--day`: shares, heavy values, bound, predicted load, lower bound; a day that was evaluated has its plan."""
    home = tmp_path / "lines"
    small_workload.write_workload(home)
    write_lake(tmp_path / "lake")
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    folder, day = tmp_path / "lake" / "lines" / "slicing_plans", DAYS[2]
    shutil.rmtree(folder)  # its plans are rows for a page, and no plans
    assert main(["explain", str(home), "late_chains", "--day", str(day)]) == 0
    printed = capsys.readouterr().out
    assert f"slicing on {day}\n  a run for this day would make this plan: " in printed
    for fact in ("data slices by ", "shares, nothing heavy: ", "heavy values", "maximum load: predicted ", "bound "):
        assert fact in printed
    assert main(["explain", str(home), "late_chains", "--day", str(day), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["late_chains"][f"slicing on {day}"]
    plan = Plan.from_dict(facts)
    assert plan.predicted is not None
    assert f"lower bound {plan.predicted.lower_bound:.3f}" in printed
    row = {
        "day": day,
        "run_id": "run-1",
        "plan_id": plan.plan_id,
        "queries": list(plan.queries),
        "first_day": day,
        "last_day": day,
        "plan": json.dumps(plan.to_dict()),
    }
    write_deltalake(folder, pa.Table.from_pylist([row], SLICING_PLANS))
    assert main(["explain", str(home), "late_chains", "--day", str(day)]) == 0
    assert f"by this plan the day was evaluated: {plan.plan_id}" in capsys.readouterr().out
    shutil.rmtree(tmp_path / "lake" / "lines" / "slice_runs")
    assert main(["explain", str(home), "--day", str(day), "--workers"]) == 2
    assert f"nothing of {day} was measured" in capsys.readouterr().err
    measured = {"day": day, "run_id": "run-1", "query": "late_chains", "plan_id": plan.plan_id, "slice": 0}
    measured |= {"events": 10, "seconds": 64_000.0}
    table = pa.Table.from_pylist([measured])
    write_deltalake(tmp_path / "lake" / "lines" / "slice_runs", table, mode="overwrite", schema_mode="overwrite")
    assert main(["explain", str(home), "--day", str(day), "--workers"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"workers for {day}\n")
    assert "to 1,024 workers at least" in printed
    monkeypatch.setattr("jobs.stages.measuring.more_workers.FEW", 0)
    assert main(["explain", str(home), "--day", str(day), "--workers"]) == 0
    printed = capsys.readouterr().out
    assert "  1,024" in printed
    assert "waits for a slice of late_chains" in printed
    assert "nothing is gained: every worker waits for the largest slice of late_chains" in printed
    assert main(["explain", str(home), "--workers"]) == 2


def test_a_day_that_the_lake_lacks_cannot_be_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    assert main(["explain", str(write_workload(tmp_path)), "climbs", "--day", "2013-01-01"]) == 2
    assert "the lake holds no events of 2013-01-01; to load and evaluate it: trendmill run" in capsys.readouterr().err
