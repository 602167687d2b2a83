"""Tables as a report sees them: one version, days filtered, absent tables told from empty ones."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from deltalake import write_deltalake

from jobs.reports.lake_reader import LakeReader, rows

FIRST, SECOND = date(2013, 3, 7), date(2013, 3, 8)


def table(*values: tuple[date, int]) -> pa.Table:
    schema = pa.schema(
        [pa.field("day", pa.date32(), nullable=False), pa.field("n", pa.int64(), metadata={"comment": "A number"})]
    )
    return pa.Table.from_pylist([{"day": day, "n": n} for day, n in values], schema)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    place = str(tmp_path / "numbers")
    write_deltalake(place, table((FIRST, 1), (SECOND, 2), (SECOND, 3)), partition_by=["day"], description="Numbers")
    write_deltalake(str(tmp_path / "_work" / "steps"), table(), partition_by=["day"])
    return tmp_path


def test_rows_of_a_period(lake: Path) -> None:
    """Both ends belong to it; a condition and a choice of columns apply on top; unknown columns are left out."""
    reader = LakeReader(lake)
    assert rows(reader.read("numbers", SECOND, SECOND, ["n"]), "n") == [{"n": 2}, {"n": 3}]
    assert rows(reader.read("numbers", FIRST, SECOND, ["n", "other"], ds.field("n") > 2)) == [{"n": 3}]
    assert rows(reader.read("numbers", date(2014, 1, 1))) == []
    assert len(rows(reader.read("numbers"))) == 3
    none = reader.read("numbers", date(2014, 1, 1), date(2014, 1, 2))
    assert none is not None
    assert (none.num_rows, none.column_names) == (0, ["day", "n"])
    assert (reader.count("numbers", SECOND, SECOND), reader.count("nothing", FIRST, SECOND)) == (2, 0)


def test_a_table_that_is_not_partitioned_by_day(lake: Path) -> None:
    """Its files may hold rows of any day."""
    write_deltalake(str(lake / "whole"), table((FIRST, 1), (SECOND, 2), (SECOND, 3)))
    assert rows(LakeReader(lake).read("whole", SECOND, SECOND, ["n"]), "n") == [{"n": 2}, {"n": 3}]


def test_rows_of_a_period_in_pieces(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rows; no piece is empty, and an absent table has none."""
    monkeypatch.setattr("jobs.reports.lake_reader.ROWS_AT_ONCE", 1)
    write_deltalake(str(lake / "numbers"), table((FIRST, 4)), mode="append")
    reader = LakeReader(lake)
    pieces = list(reader.pieces("numbers", FIRST, FIRST, ["n"]))
    assert [piece.num_rows for piece in pieces] == [1, 1]
    assert rows(pa.concat_tables(pieces), "n") == rows(reader.read("numbers", FIRST, FIRST, ["n"]), "n")
    assert not list(reader.pieces("numbers", date(2014, 1, 1)))
    assert not list(reader.pieces("nothing"))


def test_an_absent_table_is_not_an_empty_one(lake: Path) -> None:
    """None where no run ever wrote the table."""
    reader = LakeReader(lake)
    assert reader.read("nothing") is None
    assert reader.facts("nothing") is None
    empty = reader.read("_work/steps")
    assert empty is not None
    assert empty.num_rows == 0
    assert reader.tables() == ["numbers", "_work/steps"]
    assert LakeReader(lake / "no such folder").tables() == []


def test_a_report_reads_one_version(lake: Path) -> None:
    """What is written while a report is made is in the next report."""
    reader = LakeReader(lake)
    assert len(rows(reader.read("numbers"))) == 3
    write_deltalake(str(lake / "numbers"), table((FIRST, 4)), mode="append")
    assert len(rows(reader.read("numbers"))) == 3
    assert reader.versions() == {"numbers": 0}
    assert len(rows(LakeReader(lake).read("numbers"))) == 4


def test_a_table_describes_itself(lake: Path) -> None:
    """Comment, columns with comments, rows and latest day come from the table's log."""
    facts = LakeReader(lake).facts("numbers")
    assert facts is not None
    assert (facts.comment, facts.rows, facts.last_day, facts.version) == ("Numbers", 3, SECOND, 0)
    assert facts.partitioned_by == ("day",)
    assert [(column.name, column.type, column.nullable, column.comment) for column in facts.columns] == [
        ("day", "date", False, ""),
        ("n", "bigint", True, "A number"),
    ]


def test_a_reader_sees_what_another_one_saw(lake: Path) -> None:
    """Tables that were written or made since are at the versions, and as absent, as they were for the first one."""
    first = LakeReader(lake)
    pinned = first.pin()
    assert pinned == {"numbers": 0, "_work/steps": 0}
    write_deltalake(str(lake / "numbers"), table((SECOND, 9)), mode="append")
    write_deltalake(str(lake / "letters"), table((SECOND, 9)))
    second = LakeReader(lake, pinned)
    for reader in (first, second):
        assert rows(reader.read("numbers", SECOND, columns=["n"]), "n") == [{"n": 2}, {"n": 3}]
        assert reader.facts("numbers") == first.facts("numbers")
    assert second.read("letters") is None
    assert len(rows(LakeReader(lake).read("letters"))) == 1
