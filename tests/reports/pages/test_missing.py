"""A result that is missing for lack of work: what the day's page, the query's page and the overview say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from deltalake import write_deltalake

from jobs.reports.publish import publish
from jobs.workload.declaration import load_workload
from tests.reports.lake.reading import read
from tests.reports.lake.small_days import DAY, DAYS, EMPTY
from tests.reports.lake.small_results import matches, records
from tests.reports.lake.small_schemas import MATCHES, RESULT_DAYS

HOLE = json.dumps({"work": 300_000_000, "candidates": str(2**59 - 1), "reason": ""})


@pytest.fixture
def site(places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reports of a lake in which `snowball` has no result of the day, and of two days before."""
    shutil.copytree(places / "lake", tmp_path / "lake")
    holes = {DAY, DAYS[2], DAYS[3]}
    rows = [row for day in DAYS for row in records(day)]
    for row in rows:
        if row["query"] == "snowball" and row["day"] in holes:
            row |= {"exhausted": HOLE, "complete": False, "rows": 0, "matches_total": None, "truncated": False}
    listed = [row for day in DAYS if day not in {EMPTY, *holes} for row in matches(day)]
    for name, own, schema in (("result_days", rows, RESULT_DAYS), ("snowball", listed, MATCHES)):
        table = RESULT_DAYS.empty_table().from_pylist(own, schema)
        write_deltalake(str(tmp_path / "lake" / "lines" / name), table, mode="overwrite", partition_by=["day"])
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path / "reports"))
    publish(load_workload("lines"), [DAY], "night")
    return tmp_path / "reports" / "lines"


def test_pages_say_which_answer_is_missing_and_why(site: Path) -> None:
    """No number stands for a missing result, today or among the days before; other answers are as ever."""
    why = (
        "No result: its 5.8e17 candidates need more than the 300,000,000 steps of work that a query has for a day. "
        "It will be computed again when limits.work is raised."
    )
    day = read(site / str(DAY) / "index.html")
    assert day.text("p", class_="notice") == ["There is no result for snowball: the budget of work was too small."]
    findings = day.text("p", class_="finding")
    assert why in findings
    assert "The 24 hours from 7 Mar 19:00 had 80 trends on 8 March 2013." in findings
    query = read(site / str(DAY) / "query-snowball.html")
    assert query.text("p", class_="notice") == [why]
    assert [image.attributes["src"] for image in query.all("img")] == ["snowball-automaton.svg"]
    assert not (site / str(DAY) / "snowball.csv").exists()
    cells = read(site / "index.html").text("td")
    place = cells.index("Fri 8 Mar 2013")
    assert cells[place + 1 : place + 6] == ["1 result missing", "40", "80", "1.0e52", "no result"]
