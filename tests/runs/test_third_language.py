"""The front door is open: a third language goes from a file to a page, and no module of jobs knows of it.

The workers run in this process: those of Spark would not know the language, which only this test brings.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cep_core import compile as front_door
from cep_core import engines, explain
from cep_core.slicing import make_plan, split, statistics_of
from jobs.lake.definition import Table
from jobs.lake.session import LateSession
from jobs.reports import overview
from jobs.reports.day_report import report_day
from jobs.reports.kinds import by_kind
from jobs.reports.pages import catalogue, day, query
from jobs.reports.questions import questions_of
from jobs.reports.site import rendered
from jobs.runs.run import Run, Silent
from jobs.runs.scope import Evaluation, Scope
from jobs.stages import evaluate
from jobs.stages.evaluating.assignment import Assignment, compiled
from jobs.stages.evaluating.slice_worker import evaluate_slice
from jobs.stages.evaluating.slices.slice_partial import SlicePartial
from jobs.workload.compiled import WorkloadQuery, compile_workload
from jobs.workload.declaration import Workload, load_workload
from jobs.workload.explained import explain_question, warnings_of
from jobs.workload.files.problems import WorkloadError
from tests.reports.lake.cut_days import Tables
from tests.reports.lake.reading import read
from tests.reports.lake.small_days import DAY
from tests.reports.lake.small_schemas import EVENTS, RESULT_DAYS
from tests.reports.lake.small_workload import QUERIES, write_workload
from tests.runs.lake import sightings

BEFORE = DAY - timedelta(days=1)
TEXT = "-- When did anything depart?\nLIST Depart\n"
FRAME = {"workload_name": "w", "workload_title": "w", "day_title": "d", "trail": [], "pages": []}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workload with policies in a toy language, in place of the last one. Two departures of each day are listed."""
    monkeypatch.setattr(front_door, "LANGUAGES", (*front_door.LANGUAGES[:-1], sightings.LANGUAGE))
    monkeypatch.setattr(engines, "ENGINES", (*engines.ENGINES, sightings.ENGINE))
    monkeypatch.setitem(by_kind.PRESENTATIONS, sightings.KIND, sightings.PRESENTATION)
    compiled.cache_clear()
    home = tmp_path / "lines"
    write_workload(home, {"late_chains": QUERIES["late_chains"]})
    declared = (home / "workload.yaml").read_text()
    (home / "workload.yaml").write_text(f"{declared}queries: {{departures: {{max_matches: 2}}}}\n")
    (home / "policies").mkdir()
    (home / "policies" / "departures.mtl").write_text(TEXT)
    return home


def log(workload: Workload) -> pa.Table:
    """Four departures on the day, two on the day before, and as many arrivals."""
    start = workload.operating_days.interval(BEFORE)[0]
    hours = [(1, "x"), (2, "y"), (25, "x"), (26, "y"), (27, "z"), (28, "x")]
    rows = [
        {"event_type": kind, "ts": start + 3600 * hour, "seq": 2 * number + place, "line": line, "station": "p"}
        | {"delay_min": 1, "day": BEFORE if hour < 24 else DAY, "run_id": "run"}
        for number, (hour, line) in enumerate(hours)
        for place, kind in enumerate(("Depart", "Arrive"))
    ]
    return pa.Table.from_pylist(rows, EVENTS)


def evaluated(workload: Workload, asked: WorkloadQuery, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[Table]]:
    """What the stage makes of the two days with three slices: its results by table, and the tables that it makes."""
    events = log(workload)
    evaluations = tuple(Evaluation(asked.name, on, {on: "1"}, ()) for on in (BEFORE, DAY))
    without_spark, progress = LateSession("tests"), Silent()
    lake = workload.folder / "lake"
    run = Run(workload, {asked.name: asked}, BEFORE, DAY, "run", without_spark, lake, progress, Scope(evaluations))
    days = tuple(workload.operating_days.interval(on)[0] for on in (BEFORE, DAY, DAY + timedelta(days=1)))
    atoms = asked.evaluator.atoms
    plan = make_plan(
        {asked.name: atoms}, ["line"], statistics_of(events, atoms, 86_400), 3, "seed", asked.evaluator.reach, days[::2]
    )
    rows, numbers = split(plan, events)

    def partials(run: Run, assignment: Assignment, *how: object) -> list[SlicePartial]:
        return [
            partial
            for number in range(plan.slices)
            for partial in evaluate_slice(
                assignment, plan.plan_id, number, events.take(pa.array(rows[numbers == number]))
            )
        ]

    made: list[Table] = []
    kept: list[Any] = []
    monkeypatch.setattr(evaluate, "planned", lambda run: [plan])
    monkeypatch.setattr(evaluate, "_partials", partials)
    monkeypatch.setattr(evaluate, "create", lambda name, tables, lake: made.extend(tables))
    monkeypatch.setattr(evaluate, "replacement_of", lambda run, result: kept.append(result))
    monkeypatch.setattr(evaluate, "slice_runs_of", lambda run, partials: None)
    monkeypatch.setattr(evaluate, "result_days", lambda run, results, beside: None)
    monkeypatch.setattr(evaluate, "replace_all", lambda replacements: None)
    outcome = evaluate.evaluate(run)
    assert outcome.rows_out == 4
    return {result.into: result for result in kept}, made


def moments(results: Any, table: str) -> list[tuple[object, int]]:
    return [(row["day"], row["seq"]) for row in results[table].content.to_pylist()]


def test_a_wrong_text_fails_with_its_file_and_place(home: Path) -> None:
    (home / "policies" / "departures.mtl").write_text(TEXT.replace("Depart", "Departs"))
    with pytest.raises(WorkloadError, match=r"policies/departures\.mtl:2:6: unknown event type 'Departs'"):
        compile_workload(load_workload(home))


def test_it_is_compiled_and_explained_as_any_language(home: Path) -> None:
    workload = load_workload(home)
    asked = compile_workload(workload)["departures"]
    assert (asked.question, asked.bound.kind) == ("When did anything depart?", "sighting")
    assert "one look at each event" in str(explain_question(workload, asked.path))
    assert warnings_of(workload, asked.path) == ["Depart may be frequent"]
    assert str(explain("LIST Depart", language="sightings")).startswith("query\n  every Depart")


def test_it_is_sliced_merged_and_reported(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result, the table that comes with it, the one that waits for it; then the pages."""
    workload = load_workload(home)
    asked = compile_workload(workload)["departures"]
    results, made = evaluated(workload, asked, monkeypatch)
    assert moments(results, "departures") == [(BEFORE, 0), (BEFORE, 2), (DAY, 4), (DAY, 6)]
    assert moments(results, "departures_firsts") == [(BEFORE, 0), (DAY, 4)]
    assert moments(results, "departures_rest") == [(DAY, 8), (DAY, 10)]
    assert [(table.name, table.comment) for table in made] == [("departures_rest", "One row is an event left out")]

    result = results["departures"]
    records = [
        {"day": on, "run_id": "run", "query": "departures", "definition": "d", "inputs": "{}", "rows": 2}
        | {"matches_total": result.totals[on]["matches_total"], "truncated": result.truncated(on), "complete": True}
        for on in (BEFORE, DAY)
    ]
    held = {
        "events": log(workload),
        "departures": result.content,
        "result_days": pa.Table.from_pylist(records, RESULT_DAYS),
    }
    tables = Tables(Path(), held=held)
    questions = [question for question in questions_of(workload) if question.name == "departures"]
    report = report_day(workload, questions, tables, DAY, "run")
    [own] = report.queries
    first, page = rendered(day.page(report), FRAME), rendered(query.page(report, own), FRAME)
    assert "4 events of Depart were seen." in first
    assert "LIST Depart" in page
    assert "one look at each event" in page
    overview.write(workload, questions, tables, tmp_path)
    assert read(tmp_path / "index.html").text("th")[-1].startswith("departures")
    assert "4" in read(tmp_path / "index.html").text("td", class_="number")
    assert catalogue.lineage("departures_rest", {"departures": "policies/departures.mtl"}) == (
        "events",
        "policies/departures.mtl",
    )


def test_its_tables_keep_their_names(home: Path) -> None:
    (home / "policies" / "departures_rest.mtl").write_text(TEXT)
    with pytest.raises(WorkloadError, match=r"policies/departures_rest\.mtl: cannot name a result table"):
        load_workload(home)


def test_no_engine_for_a_kind_is_told_by_its_place(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "ENGINES", engines.ENGINES[:-1])
    with pytest.raises(WorkloadError, match=r"departures\.mtl:2:6: no engine evaluates a query of kind 'sighting'"):
        compile_workload(load_workload(home))


def test_a_language_that_nobody_reads_yet_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not taken for a pattern."""
    languages = tuple(language for language in front_door.LANGUAGES if language.suffix != ".mfotl")
    monkeypatch.setattr(front_door, "LANGUAGES", languages)
    (home / "policies" / "late.mfotl").write_text("-- Who is late?\nDeparture(x)\n")
    with pytest.raises(WorkloadError, match=r"policies/late\.mfotl: no language of this suffix .* only \.cep, \.mtl"):
        compile_workload(load_workload(home))


@pytest.mark.parametrize("setting", ["shedding: {costs: [1]}", "exact_counts: true"])
def test_settings_of_other_languages_are_refused_by_name(home: Path, setting: str) -> None:
    declared = (home / "workload.yaml").read_text()
    (home / "workload.yaml").write_text(declared.replace("max_matches: 2", f"max_matches: 2, {setting}"))
    key = setting.partition(":")[0]
    refusal = rf"'{key}' cannot be set for policies/departures\.mtl, only max_matches"
    with pytest.raises(WorkloadError, match=rf"workload\.yaml:\d+:\d+: queries\.departures: {refusal}"):
        load_workload(home)


def test_its_own_settings_reach_its_evaluator(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A language says which keys its texts may have; they are part of what its results depend on."""
    own = replace(sightings.LANGUAGE, settings=("max_violations", "explained"))
    monkeypatch.setattr(front_door, "LANGUAGES", (*front_door.LANGUAGES[:-1], own))
    declared = (home / "workload.yaml").read_text().replace("queries: {departures: {max_matches: 2}}\n", "")
    definitions = set()
    for settings, expected in (
        ("", (100_000, 10)),
        ("limits: {max_violations: 7}", (7, 10)),
        ("limits: {max_violations: 7}\nqueries: {departures: {max_violations: 0, explained: 3}}", (0, 3)),
    ):
        (home / "workload.yaml").write_text(f"{declared}{settings}\n")
        asked = compile_workload(load_workload(home))["departures"]
        assert (asked.settings.max_violations, asked.settings.explained) == expected
        definitions.add(asked.definition)
    assert len(definitions) == 3
    (home / "workload.yaml").write_text(f"{declared}queries: {{departures: {{max_matches: 2}}}}\n")
    with pytest.raises(WorkloadError, match="'max_matches' cannot be set"):
        load_workload(home)
