"""Masked attributes: no byte of a report has one of their values, and reports without a mask are as they were."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from jobs.quality.gate import Check
from jobs.reports.answers.aggregations.ranking import headline_item
from jobs.reports.masking import COVERED, masks_of
from jobs.reports.publish import publish
from jobs.reports.questions import questions_of
from jobs.workload.compiled import compile_questions, compile_workload
from jobs.workload.declaration import load_workload, read_workload
from tests.reports.lake.small_days import DAY
from tests.reports.lake.small_workload import QUERIES, WORKLOAD, write_workload

POLICY = (
    "-- Who departed late without an arrival before?\nDepart(l, s, d) AND d > 5 AND NOT ONCE[0,1h] Arrive(line = l)"
)


def test_no_byte_of_a_report_has_a_masked_value(places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path / "reports"))
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path))
    write_workload(tmp_path / "lines")
    events = DeltaTable(places / "lake" / "lines" / "events").to_pyarrow_table(columns=["line", "station"])
    texts_of_events = {value for name in events.column_names for value in events[name].unique().to_pylist() if value}
    values = {rf"\b{value}\b" for value in texts_of_events if value.isalpha() and len(value) > 1}
    assert len(values) > 1
    for masked in (False, True):
        if masked:
            (tmp_path / "lines" / "workload.yaml").write_text(f"{WORKLOAD}mask: [line, station]\n")
        publish(load_workload("lines"), [DAY], "night")
        home = tmp_path / "reports" / "lines"
        texts = {path.relative_to(home).as_posix(): path.read_text() for path in home.rglob("*.*") if path.is_file()}
        shown = {(name, value) for name, text in texts.items() for value in values if re.search(value, text)}
        assert bool(shown) == (not masked), sorted(shown)


def test_what_is_made_of_a_masked_attribute_is_covered(tmp_path: Path) -> None:
    """Groups and violators are numbered, single values are absent, sums and counts stay."""
    returned = "-- Who?\nRETURN a.station, a.delay_min + 1 AS more\nPATTERN SEQ(Depart a, Arrive b)\nWITHIN 1 hour\n"
    write_workload(tmp_path / "lines", QUERIES | {"shown": returned}, {"alone.mfotl": POLICY})
    path = tmp_path / "lines" / "workload.yaml"
    path.write_text(f"{WORKLOAD}mask: [line, delay_min]\n")
    workload = load_workload(tmp_path / "lines")
    masks = masks_of(workload, questions_of(workload))
    assert masks.numbered["late_chains"] == {"line"}
    maximum = "max_D_delay_min"
    assert masks.absent["late_chains"] == {maximum, *(f"{maximum}_{part}" for part in ("log10", "sign", "exact"))}
    assert "more" in masks.absent["shown"]
    assert "station" not in masks.absent["shown"] | masks.numbered["shown"]
    assert {"l", "d"} <= masks.numbered["alone"]
    assert "s" not in masks.numbered["alone"]
    assert "alone_why" in masks.unread
    refused = pa.table({"raw": ["L1,7"], "rule": ["shape"]})
    assert masks.cover("quarantine", refused).to_pylist() == [{"raw": COVERED, "rule": "shape"}]
    heavy = pa.table({"attribute": ["line", "station"], "value": ["L1", "North"]})
    assert masks.cover("heavy_hitters", heavy)["value"].to_pylist() == [COVERED, "North"]
    path.write_text(f"{WORKLOAD}mask: [lime]\n")
    _, problems = read_workload(tmp_path / "lines")
    assert any("unknown attribute 'lime'; did you mean 'line'?" in problem for problem in problems)


def test_what_the_gate_observed_of_a_masked_attribute_is_covered(tmp_path: Path) -> None:
    """Rules over other attributes, and numbers of rows, are told; a SELECT's columns may be made of any."""
    write_workload(tmp_path / "lines", QUERIES)
    rules = {
        "lines": "type: expect_column_distinct_values_to_be_in_set, arguments: {column: line, value_set: [L1]}",
        "stations": "type: expect_column_distinct_values_to_be_in_set, arguments: {column: station, value_set: [N]}",
        "rows": "type: expect_table_row_count_to_be_between, arguments: {min_value: 1}",
        "made": "type: expect_column_max_to_be_between, over: SELECT 1 AS x, arguments: {column: x, max_value: 9}",
        "shares": "type: expect_column_max_to_be_between, over: refusals, arguments: {column: share, max_value: 0.1}",
    }
    gate = "".join(f"  - {{name: {name}, reason: it must, {rule}}}\n" for name, rule in rules.items())
    (tmp_path / "lines" / "expectations.yaml").write_text(f"gate:\n{gate}")
    path = tmp_path / "lines" / "workload.yaml"
    path.write_text(f"{WORKLOAD}mask: [line]\n")
    masks = masks_of(load_workload(tmp_path / "lines"), ())
    checks = [Check(rule, "fatal", False, "it must", "['L1', 'L2']") for rule in (*rules, "former")]
    counted = Check("lines", "fatal", False, "it must", "", 40, 3)
    of_days = pa.table(
        {
            "checks": [json.dumps([check.to_dict() for check in checks])] * 2 + ["[]"] * 2,
            "reason": [str(checks[0]), str(checks[1]), str(counted), None],
        }
    )
    shown = masks.cover("_work/loaded_days", of_days).to_pylist()
    refuting = [check["rule"] for check in json.loads(shown[0]["checks"]) if "L2" in check["observed"]]
    assert refuting == ["stations", "rows", "shares"]
    assert [row["reason"] for row in shown] == [f"lines {COVERED}", str(checks[1]), str(counted), None]
    runs = pa.table(
        {"stage": ["validate", "evaluate", "slice"], "status": ["done", "failed", "done"], "message": ["a", "b", "c"]}
    )
    assert masks.cover("runs", runs)["message"].to_pylist() == [COVERED, COVERED, "c"]
    plan = json.dumps({"plan_id": "1", "decisions": ["heavy values of line (L1) are hashed like any other"]})
    assert "L1" not in masks.cover("slicing_plans", pa.table({"plan": [plan]}))["plan"][0].as_py()


def test_a_number_that_reports_may_show_ranks_results(tmp_path: Path) -> None:
    """The first that is no value of a masked attribute; a query of which every number is one is refused."""
    latest = "-- How late?\nRETURN MAX(D.delay_min), AVG(D.delay_min)\nPATTERN Depart D+\nWITHIN 1 hour\n"
    write_workload(tmp_path / "lines", QUERIES | {"latest": latest})
    path = tmp_path / "lines" / "workload.yaml"
    for mask, column in (("[]", "max_D_delay_min"), ("[delay_min]", "avg_D_delay_min")):
        path.write_text(f"{WORKLOAD}mask: {mask}\n")
        query = compile_workload(load_workload(tmp_path / "lines"))["latest"].query
        assert headline_item(query).column == column
    (tmp_path / "lines" / "queries" / "latest.cep").write_text(latest.replace(", AVG(D.delay_min)", ""))
    _, problems = compile_questions(load_workload(tmp_path / "lines"))
    [problem] = problems
    assert problem.startswith("queries/latest.cep:2:8: every number that it returns is a value of a masked attribute")
    assert "add COUNT(*) to RETURN" in problem
