"""One query that exhausts its budget of work among others: it is a hole, the rest goes on, a larger budget heals it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from deltalake import DeltaTable, write_deltalake

from tests.reports.lake.reading import read
from tests.runs.lake.lakes import CommandLine, SmallLake
from tests.runs.lake.small_workload import QUESTIONS, day

pytestmark = pytest.mark.spark

SUMS = """-- Whose starts added up to more than the first?
PATTERN SEQ(Start a, Start+ b[], Stop c)
WHERE [machine] AND sum(b[].load) > a.load WITHIN 4 hours
"""
HOPELESS = """-- Which starts add up to a number that none does?
PATTERN SEQ(Start a, Start+ b[], Stop c)
WHERE sum(b[].load) = -1 WITHIN 8 hours
"""


def allow(home: Path, work: int) -> None:
    declared = yaml.safe_load((home / "workload.yaml").read_text())
    declared["limits"]["work"] = work
    (home / "workload.yaml").write_text(yaml.safe_dump(declared, sort_keys=False))


@pytest.fixture
def asking(copied: SmallLake) -> SmallLake:
    """The lake of two days, with two queries more that only a listing can answer."""
    (copied.home / "queries" / "sums.cep").write_text(SUMS)
    (copied.home / "queries" / "hopeless.cep").write_text(HOPELESS)
    allow(copied.home, 100_000)
    return copied


def recorded(lake: SmallLake, query: str) -> dict[object, dict[str, object]]:
    return {row["day"]: row for row in lake.table("result_days").to_pylist() if row["query"] == query}


def test_one_query_without_a_result(asking: SmallLake, trendmill: CommandLine, tmp_path: Path) -> None:
    """The run ends well; `result_days`, `status` and the pages say which answer is missing and why."""
    chains = asking.rows("chains")
    code, printed = trendmill("run", "--stale")
    assert code == 0, printed
    assert "no result of hopeless for 2013-01-02: the budget of work is exhausted" in printed
    holes = recorded(asking, "hopeless")
    assert holes.keys() == {day(1), day(2)}
    for row in holes.values():
        assert (row["rows"], row["matches_total"], row["complete"], row["truncated"]) == (0, None, False, False)
        exhausted = json.loads(str(row["exhausted"]))
        assert exhausted["work"] == 100_000
        assert int(exhausted["candidates"]) > 100_000
    assert asking.table("hopeless").num_rows == 0
    assert asking.rows("chains") == chains
    complete = recorded(asking, "sums")
    assert all(row["complete"] and row["exhausted"] is None and row["rows"] for row in complete.values())

    code, printed = trendmill("status")
    assert "no result of hopeless, as limits.work of 100,000 steps did not suffice: 2013-01-02..2013-01-03" in printed
    assert "stale" not in printed
    assert "nothing to evaluate" in trendmill("run", "--stale")[1]
    pages = tmp_path / "reports" / "machines"
    first = read(pages / "2013-01-03" / "index.html")
    assert "There is no result for hopeless: the budget of work was too small." in first.text("p", class_="notice")
    [reason] = read(pages / "2013-01-03" / "query-hopeless.html").text("p", class_="notice")
    assert "more than the 100,000 steps of work that a query has for a day" in reason
    assert reason in first.text("p", class_="finding")
    cells = read(pages / "index.html").text("td")
    place = next(n for n, cell in enumerate(cells) if cell.endswith("3 Jan 2013"))
    assert cells[place + 1] == "1 result missing"
    assert "no result" in cells[place : place + 7]

    # a smaller budget makes nothing stale; a larger one only the holes, and heals what it suffices for
    allow(asking.home, 50_000)
    assert "stale" not in trendmill("status")[1]
    allow(asking.home, 100_000_000)
    assert "stale: hopeless: 2013-01-02..2013-01-03" in trendmill("status")[1]
    assert "stale: sums" not in trendmill("status")[1]
    before = asking.rows("sums")
    code, printed = trendmill("run", "--stale")
    assert code == 0, printed
    assert "no result" not in trendmill("status")[1]
    healed = recorded(asking, "hopeless")
    assert [(row["matches_total"], row["complete"], row["exhausted"]) for row in healed.values()] == [
        ("0", True, None)
    ] * 2
    assert asking.rows("sums") == before


def test_an_older_lake_gets_the_column(copied: SmallLake, trendmill: CommandLine) -> None:
    """`result_days` of a lake from before budgets is widened in place; its results stay current."""
    table = DeltaTable(copied.folder / "machines" / "result_days")
    rows = table.to_pyarrow_table().drop_columns(["exhausted"])
    write_deltalake(table, rows, mode="overwrite", schema_mode="overwrite")
    assert "exhausted" not in copied.table("result_days").column_names
    assert "stale" not in trendmill("status")[1]
    (copied.home / "queries" / "sums.cep").write_text(SUMS)
    code, printed = trendmill("run", "--stale")
    assert code == 0, printed
    assert {row["exhausted"] for row in copied.rows("result_days")} == {None}
    assert {row["query"] for row in copied.rows("result_days")} == {*QUESTIONS, "sums"}
