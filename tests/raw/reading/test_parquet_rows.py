"""Parquet: what is taken as a declared type, which rows are refused, which files."""

from __future__ import annotations

import json
import struct
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jobs.exits import UnreadableSource, WrongHeader
from jobs.raw.reading.file_ledger import RowLedger
from jobs.raw.reading.parquet_rows import read_parquet
from jobs.raw.reading.ranges import survey_parquet

NAN = float("nan")
TEN = datetime(2013, 1, 2, 10, tzinfo=UTC)


def read(
    file: Path, columns: dict[str, str], size: int = 1 << 20
) -> tuple[list[tuple[Any, ...]], list[tuple[int, str, str]], RowLedger]:
    """Values of the good rows with ordinal and hash; ordinal, reason and text of the refused ones; the ledger."""
    good, refused, ledger = [], [], RowLedger()
    for part in survey_parquet(file, columns, size).ranges:
        for block in read_parquet(part, columns):
            good += [tuple(row.values()) for row in block.rows.to_pylist()]
            refused += [(row["ordinal"], row["reason"], row["raw"]) for row in block.refused.to_pylist()]
            ledger += block.ledger
    assert ledger.balance == 0
    return good, refused, ledger


TAKEN = [
    ("BIGINT", pa.array([1, -1, None], pa.int8()), [1, -1, None], []),
    ("BIGINT", pa.array([1, 1 << 63], pa.uint64()), [1], [1 << 63]),
    ("BIGINT", pa.array([5.0, 5.7, NAN, 1e19, None, -(2.0**63)]), [5, None, -(1 << 63)], [5.7, NAN, 1e19]),
    ("BIGINT", pa.array([Decimal("5.00"), Decimal("5.70")]), [5], ["5.70"]),
    ("BIGINT", pa.array(["5", " 6 ", "5.7", "", None]), [5, 6, None, None], ["5.7"]),
    ("BIGINT", pa.array(["5", "x"]).dictionary_encode(), [5], ["x"]),
    ("BIGINT", pa.nulls(2), [None, None], []),
    ("DOUBLE", pa.array([0.1, None], pa.float32()), [0.10000000149011612, None], []),
    ("DOUBLE", pa.array([1 << 53, (1 << 53) + 1, None, -1 << 60]), [2.0**53, None], [(1 << 53) + 1, -1 << 60]),
    ("DOUBLE", pa.array([1, 1 << 60], pa.uint64()), [1.0], [1 << 60]),
    ("DOUBLE", pa.array([7], pa.int16()), [7.0], []),
    ("DOUBLE", pa.array([Decimal("0.10")]), [0.1], []),
    ("DOUBLE", pa.array(["1e3", "1e400"], pa.large_string()), [1000.0], ["1e400"]),
    ("BOOLEAN", pa.array([True, None]), [True, None], []),
    ("BOOLEAN", pa.array(["yes", "2"]), [True], ["2"]),
    ("DATE", pa.array([date(2013, 1, 2), None]), [date(2013, 1, 2), None], []),
    ("DATE", pa.array([15707 * 86_400_000], pa.date64()), [date(2013, 1, 2)], []),
    ("DATE", pa.array([datetime(2013, 1, 2), TEN.replace(tzinfo=None)]), [date(2013, 1, 2)], ["2013-01-02 10:00:00"]),
    ("TIMESTAMP", pa.array([TEN, None], pa.timestamp("s", "America/New_York")), [TEN, None], []),
    ("TIMESTAMP", pa.array([1_357_120_800_000_001_999, -1], pa.timestamp("ns")),
     [TEN.replace(microsecond=1), datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC)], []),
    ("TIMESTAMP", pa.array([date(2013, 1, 2)]), [datetime(2013, 1, 2, tzinfo=UTC)], []),
    ("TIMESTAMP", pa.array(["2013-01-02T10:00Z", "10:00"]), [TEN], ["10:00"]),
    ("STRING", pa.array(["é", "", None]), ["é", "", None], []),
    ("STRING", pa.array([b"a", b"\xff", b"\xc3\xa9"]), ["a", "é"], ["\\xff"]),
    ("STRING", pa.array([5, -1]), ["5", "-1"], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "column", "good", "bad"), TAKEN, ids=lambda value: str(getattr(value, "type", ""))[:30]
)
def test_values_as_declared(tmp_path: Path, kind: str, column: pa.Array, good: list[Any], bad: list[Any]) -> None:
    """Without loss, or the row is refused."""
    file = tmp_path / "x.parquet"
    pq.write_table(pa.table({"more": range(len(column)), "v": column}), file)
    rows, refused, ledger = read(file, {"v": kind})
    assert [row[0] for row in rows] == good
    assert [raw for _, _, raw in refused] == [_raw(value) for value in bad]
    assert {reason for _, reason, _ in refused} <= {f"v is no {kind}"}
    assert (ledger.footer_rows, ledger.refused) == (len(column), len(bad))


def _raw(value: Any) -> str:
    return json.dumps({"v": value})


@pytest.mark.parametrize(
    ("unit", "stamp"),
    [
        ("ms", 1 << 62),
        ("us", -(1 << 63)),
        ("s", 253_402_300_800),
        ("s", -62_135_596_801),
        ("ms", 1_831_354_704_000_000),
    ],
)
@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP"])
def test_stamps_outside_the_calendar(tmp_path: Path, unit: str, stamp: int, kind: str) -> None:
    """Refused row by row, whatever the unit can hold; the last day and the first one are days."""
    file = tmp_path / "x.parquet"
    scale = {"s": 1, "ms": 1000, "us": 10**6}[unit]
    stamps = pa.array([stamp, 0, -62_135_596_800 * scale, 253_402_214_400 * scale], pa.int64())
    pq.write_table(pa.table({"v": stamps.cast(pa.timestamp(unit))}), file)
    rows, refused, _ = read(file, {"v": kind})
    assert [row[1] for row in rows] == [1, 2, 3]
    assert [ordinal for ordinal, _, _ in refused] == [0]


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("BIGINT", pa.array([True])),
        ("BIGINT", pa.array([TEN])),
        ("DOUBLE", pa.array([False])),
        ("BOOLEAN", pa.array([1])),
        ("DATE", pa.array([15707])),
        ("TIMESTAMP", pa.array([1])),
        ("STRING", pa.array([1.5])),
        ("STRING", pa.array([["a"]])),
        ("BIGINT", pa.array([{"v": 1}])),
    ],
)
def test_columns_of_other_types_stop_the_load(tmp_path: Path, kind: str, column: pa.Array) -> None:
    file = tmp_path / "x.parquet"
    pq.write_table(pa.table({"v": column}), file)
    with pytest.raises(UnreadableSource, match=rf"x\.parquet: its column v is .*, which is not read as {kind}"):
        survey_parquet(file, {"v": kind})


def test_a_file_that_lacks_a_column_or_has_it_twice(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    pq.write_table(pa.table({"n": [1]}), file)
    with pytest.raises(WrongHeader, match=r"x\.parquet has no columns \['key'\]"):
        survey_parquet(file, {"n": "BIGINT", "key": "STRING"})
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["n", "n"]), file)
    with pytest.raises(UnreadableSource, match="two columns named n"):
        survey_parquet(file, {"n": "BIGINT"})
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(UnreadableSource, match=r"x\.parquet at byte"):
        survey_parquet(file, {"n": "BIGINT"})


def test_ranges_of_row_groups(tmp_path: Path) -> None:
    """Give the rows of the whole, with their numbers and hashes; a value anywhere in a row changes its hash."""
    file, columns = tmp_path / "x.parquet", {"key": "STRING", "n": "BIGINT", "x": "DOUBLE", "b": "BOOLEAN", "d": "DATE"}
    rows = 1000
    table = pa.table(
        {
            "n": [n if n % 7 else None for n in range(rows)],
            "x": [n / 3 for n in range(rows)],
            "key": [f"k{n}" for n in range(rows)],
            "b": [n % 2 == 0 for n in range(rows)],
            "d": pa.array(range(rows), pa.int32()).cast(pa.date32()),
        }
    )
    pq.write_table(table, file, row_group_size=100)
    assert len(survey_parquet(file, columns, 5000).ranges) > 3
    whole = read(file, columns)
    assert read(file, columns, 5000) == whole
    assert [row[-4] for row in whole[0]] == list(range(rows))
    hashes = [row[-2] for row in whole[0]]
    assert len(set(hashes)) == rows
    for name in columns:
        shifted = pa.chunked_array([*table[name].slice(1).chunks, *table[name].slice(0, 1).chunks])
        pq.write_table(table.set_column(table.schema.get_field_index(name), name, shifted), file)
        changed = [row[-2] for row in read(file, columns)[0]]
        assert sum(a == b for a, b in zip(hashes, changed, strict=True)) == 0, name


def test_an_empty_file(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    pq.write_table(pa.table({"n": pa.array([], pa.int64())}), file)
    assert read(file, {"n": "BIGINT"}) == ([], [], RowLedger())


def test_a_page_that_its_checksum_denies_stops_the_load(tmp_path: Path) -> None:
    """Such as Spark writes; one bit of a number would else be read as it stands."""
    file = tmp_path / "x.parquet"
    table = pa.table({"v": [1.5]})
    plain = {"use_dictionary": False, "compression": "none", "write_statistics": False}
    pq.write_table(table, file, write_page_checksum=True, **plain)
    data = file.read_bytes()
    assert read(file, {"v": "DOUBLE"})[0][0][0] == 1.5
    file.write_bytes(data.replace(struct.pack("<d", 1.5), struct.pack("<d", 1.25), 1))
    with pytest.raises(UnreadableSource, match=r"x\.parquet.*CRC"):
        read(file, {"v": "DOUBLE"})
