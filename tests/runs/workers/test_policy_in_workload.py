"""A policy of a workload: checked with its place, refused what it cannot have, sliced, evaluated, reported."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cep_core.events.logs.time_points import with_points
from cep_core.slicing import make_plan, statistics_of
from jobs.lake.session import LateSession
from jobs.reports.day_report import report_day
from jobs.reports.pages import day, query
from jobs.reports.questions import questions_of
from jobs.reports.site import rendered
from jobs.runs.run import Run, Silent
from jobs.runs.scope import Evaluation, Scope
from jobs.stages import evaluate
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import Workload, load_workload
from jobs.workload.explained import explain_question
from jobs.workload.files.problems import WorkloadError
from tests.reports.lake.cut_days import Tables
from tests.reports.lake.small_days import DAY
from tests.reports.lake.small_schemas import EVENTS, RESULT_DAYS
from tests.reports.lake.small_workload import QUERIES, write_workload
from tests.runs.workers.slicing import partials

BEFORE = DAY - timedelta(days=1)
TEXT = """-- Which line left a station twice in a row?
Depart(l, s, _) AND PREV (Depart(line = l, station = s))
"""
FRAME = {"workload_name": "w", "workload_title": "w", "day_title": "d", "trail": [], "pages": []}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "lines"
    write_workload(home, {"late_chains": QUERIES["late_chains"]})
    (home / "policies").mkdir()
    (home / "policies" / "twice.mfotl").write_text(TEXT)
    return home


def log(workload: Workload) -> pa.Table:
    """x leaves p at three points in a row, the second and third on the day; an arrival lies between y's departures."""
    start = workload.operating_days.interval(BEFORE)[0]
    steps = [(23, "Depart", "x"), (24, "Depart", "x"), (25, "Depart", "x"), (26, "Depart", "y"), (27, "Arrive", "y")]
    rows = [
        {"event_type": kind, "ts": start + 3600 * hour, "seq": seq, "line": line, "station": "p", "delay_min": 1}
        | {"day": BEFORE if hour < 24 else DAY, "run_id": "run"}
        for seq, (hour, kind, line) in enumerate([*steps, (28, "Depart", "y")])
    ]
    return pa.Table.from_pylist(rows, EVENTS)


def evaluated(workload: Workload, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the stage makes of the two days, with workers in this process."""
    asked = compile_workload(workload)["twice"]
    events, points = with_points(log(workload), workload.time.points)
    evaluations = tuple(Evaluation(asked.name, on, {BEFORE: "1", DAY: "1"}, ()) for on in (BEFORE, DAY))
    without_spark, progress = LateSession("tests"), Silent()
    lake = workload.folder / "lake"
    run = Run(workload, {asked.name: asked}, BEFORE, DAY, "run", without_spark, lake, progress, Scope(evaluations))
    atoms = asked.evaluator.atoms
    plan = make_plan({asked.name: atoms}, ["l", "s"], statistics_of(events, atoms), 4, "seed", asked.evaluator.reach)
    kept: list[Any] = []
    monkeypatch.setattr(evaluate, "planned", lambda run: [plan])
    monkeypatch.setattr(evaluate, "_partials", lambda run, work, *how: list(partials(work, plan, events, points)))
    monkeypatch.setattr(evaluate, "map_points", lambda table, folder: folder)
    monkeypatch.setattr(evaluate, "open_points", lambda folder: points)
    monkeypatch.setattr(evaluate, "create", lambda *arguments: None)
    monkeypatch.setattr(evaluate, "replacement_of", lambda run, result: kept.append(result))
    monkeypatch.setattr(evaluate, "slice_runs_of", lambda run, partials: None)
    monkeypatch.setattr(evaluate, "result_days", lambda run, results, beside: None)
    monkeypatch.setattr(evaluate, "replace_all", lambda replacements: None)
    evaluate.evaluate(run)
    return {result.into: result for result in kept}


def test_a_wrong_policy_fails_with_its_file_and_place(home: Path) -> None:
    (home / "policies" / "twice.mfotl").write_text(TEXT.replace("PREV", "NEXT"))
    with pytest.raises(WorkloadError, match=r"policies/twice\.mfotl:2:21: NEXT without an upper bound"):
        compile_workload(load_workload(home))
    (home / "policies" / "twice.mfotl").write_text("-- Who never left?\nONCE Depart(l, _, _)\n")
    with pytest.raises(WorkloadError, match=r"policies/twice\.mfotl:1:1: looks back without bound"):
        compile_workload(load_workload(home))
    declared = (home / "workload.yaml").read_text()
    (home / "workload.yaml").write_text(f"{declared}limits: {{max_reach: all}}\n")
    assert compile_workload(load_workload(home))["twice"].evaluator.reach.time is None


@pytest.mark.parametrize("setting", ["exact_counts: true", "shedding: {costs: [1]}", "max_matches: 3"])
def test_what_a_policy_cannot_have_is_refused_by_name(home: Path, setting: str) -> None:
    declared = (home / "workload.yaml").read_text()
    (home / "workload.yaml").write_text(f"{declared}queries: {{twice: {{{setting}}}}}\n")
    key = setting.partition(":")[0]
    refusal = rf"'{key}' cannot be set for policies/twice\.mfotl, only max_violations, explained"
    with pytest.raises(WorkloadError, match=refusal):
        load_workload(home)


def test_it_is_explained_sliced_and_reported(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workload = load_workload(home)
    asked = compile_workload(workload)["twice"]
    assert (asked.question, asked.bound.kind) == ("Which line left a station twice in a row?", "policy")
    assert "PREV" in str(explain_question(workload, asked.path))
    result = evaluated(workload, monkeypatch)["twice"]
    start = workload.operating_days.interval(DAY)[0]
    assert result.content.column_names == ["ts", "offset", "l", "s", "day", "run_id"]
    assert result.content.drop_columns(["run_id"]).to_pylist() == [
        {"ts": start + 3600 * hour, "offset": 0, "l": "x", "s": "p", "day": DAY} for hour in (0, 1)
    ]
    assert [result.totals[on]["matches_total"] for on in (BEFORE, DAY)] == ["0", "2"]
    records = [
        {"day": on, "run_id": "run", "query": "twice", "definition": "d", "inputs": "{}", "complete": True}
        | {"rows": result.rows.get(on, 0), "truncated": result.truncated(on)}
        | {"matches_total": result.totals[on]["matches_total"]}
        for on in (BEFORE, DAY)
    ]
    held = {"events": log(workload), "twice": result.content, "result_days": pa.Table.from_pylist(records, RESULT_DAYS)}
    questions = [question for question in questions_of(workload) if question.name == "twice"]
    report = report_day(workload, questions, Tables(Path(), held=held), DAY, "run")
    [own] = report.queries
    first, page = rendered(day.page(report), FRAME), rendered(query.page(report, own), FRAME)
    assert "There were 2 violations on" in first
    assert "PREV" in page


def test_only_the_first_violations_of_a_day_are_listed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exact number is in the totals."""
    declared = (home / "workload.yaml").read_text()
    (home / "workload.yaml").write_text(f"{declared}limits: {{max_violations: 1}}\n")
    result = evaluated(load_workload(home), monkeypatch)["twice"]
    assert (result.rows, result.totals[DAY]["matches_total"], result.truncated(DAY)) == ({DAY: 1}, "2", True)
