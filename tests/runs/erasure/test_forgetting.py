"""What is forgotten is in no live file, does not come back with a load, and all tables are as if it had never been."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from jobs.erasure.key import FILE, KEY
from jobs.lake.register import table_folders
from tests.runs.lake.lakes import CommandLine, SmallLake, Tables
from tests.runs.lake.small_workload import MATCH_EVENTS, RESULTS, day

pytestmark = pytest.mark.spark

FORGOTTEN = re.compile(r"\bm1\b")
NUMBERS = ("seq", "a", "b", "c", "last_seq")
"""Columns that name events by `seq`."""


def live_texts(lake: SmallLake, reports: Path) -> Iterator[tuple[str, str]]:
    """Each table's rows as the present version has them, and every file of reports and below `_work`, as texts."""
    for name, folder in table_folders("machines", lake.folder).items():
        yield name, str(DeltaTable(folder).to_pyarrow_table().to_pylist())
    for path in [*reports.rglob("*"), *(lake.folder / "machines" / "_work").rglob("*")]:
        if path.is_file() and path.suffix not in (".parquet", ".json", ".svg"):
            yield str(path), path.read_text(errors="replace")


def in_places(lake: SmallLake) -> dict[str, list[dict[str, Any]]]:
    """Events, and results without the hashes of their names, with each event named by its place among all."""
    seqs = sorted(lake.table("events")["seq"].to_pylist())
    place = dict(zip(seqs, count()))
    tables = {}
    for name in ("events", "quarantine", "heavy_hitters", "stream_statistics", *RESULTS, *MATCH_EVENTS):
        rows = lake.table(name).to_pylist()
        for row in rows:
            row.pop("match_id", None)
            for column in NUMBERS:
                if isinstance(row.get(column), list):
                    row[column] = [place[seq] for seq in row[column]]
                elif row.get(column) is not None:
                    row[column] = place[row[column]]
        tables[name] = sorted(rows, key=repr)
    return tables


def facts_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What results depend on: the gate judges other rows, and another run loaded them."""
    return [{name: of for name, of in row.items() if name not in ("run_id", "checks")} for row in rows]


def without_inputs(tables: Tables) -> Tables:
    return {name: rows for name, rows in tables.items() if name != "shedding"}


def test_forgotten_rows_are_nowhere_and_do_not_come_back(
    copied: SmallLake, trendmill: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dry run, erasure, its record, the days loaded again, and the days loaded from files that never had the rows.
    Without the key a rebuild discards nothing."""
    monkeypatch.setenv(FILE, str(tmp_path / "erasure.key"))
    assert trendmill("report", "--day", str(day(1)))[0] == 0
    reports = tmp_path / "reports"
    assert any(FORGOTTEN.search(text) for _, text in live_texts(copied, reports))
    before = copied.tables()
    code, printed = trendmill("forget", "--where", "machine = 'm1'", "--dry-run")
    assert code == 0, printed
    assert copied.tables() == before
    of_m1 = [row for row in copied.rows("events") if row["machine"] == "m1"]
    assert f"events: {len(of_m1)} rows (2013-01-01 " in printed
    assert "quarantine: 3 rows" in printed

    code, printed = trendmill("forget", "--where", "machine = 'm1'", "--by", "the officer")
    assert code == 0, printed
    assert "until VACUUM of" in printed
    assert [name for name, text in live_texts(copied, reports) if FORGOTTEN.search(text)] == []
    forgotten, digests = copied.tables(), copied.rows("_work/loaded_days")
    kept = {row["seq"] for row in copied.rows("events")}
    assert kept == {row["seq"] for row in before["events"]} - {row["seq"] for row in of_m1}
    assert (reports / "machines" / str(day(1)) / "index.html").exists()
    printed = trendmill("forget", "--list")[1]
    assert "removed" in printed
    assert "by the officer: by machine" in printed
    assert "stale" not in trendmill("status")[1]
    assert "nothing wrong" in trendmill("verify", "--deep")[1]
    code, printed = trendmill("forget", "--where", "machine = 'm1'")
    assert code == 0, printed
    assert "nothing to evaluate" in printed
    assert copied.tables() == forgotten

    assert trendmill("run", "--from", str(day(0)), "--to", str(day(2)), "--stage", "load")[0] == 0
    assert "stale" not in trendmill("status")[1]
    assert without_inputs(copied.tables()) == without_inputs(forgotten)
    assert facts_of(copied.rows("_work/loaded_days")) == facts_of(digests)
    for row in copied.rows("_work/source_rows"):
        assert row["suppressed"] == sum(e["day"] == row["day"] for e in of_m1) + 1
        assert row["read"] == sum(
            row[n] for n in ("gave_event", "refused", "other_days", "without_event", "suppressed")
        )

    with_gaps = in_places(copied)
    for path in (copied.home / "data").glob("*.csv"):
        path.write_text("".join(line for line in path.open() if not FORGOTTEN.search(line)))
    assert trendmill("run", "--stale")[0] == 0
    assert in_places(copied) == with_gaps

    monkeypatch.setenv(KEY, "another key, " * 4)
    code, printed = trendmill("rebuild", "--events")
    assert code == 2
    assert "the key of 1 erasures" in printed
    assert in_places(copied) == with_gaps
