"""TIMESTAMP columns beside whole-number times: what they hold, and how tables of older programs get them."""

from __future__ import annotations

from dataclasses import replace as with_changes
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import given
from hypothesis import strategies as st

from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import one_of
from jobs.lake.definition import Table
from jobs.lake.moments.columns import FILLED, Moment
from jobs.lake.moments.filling import filling, lacking_rows, timestamps
from jobs.lake.tables import creating
from jobs.lake.tables.creating import create
from jobs.lake.tables.result_tables import result_table
from jobs.lake.write import replace
from jobs.reports.lake_reader import LakeReader
from jobs.workload.operating_days import UNITS
from tests.counts import few
from tests.leases import leased

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
D1, D2 = date(2013, 3, 8), date(2013, 3, 9)
MATCHES = pa.schema([pa.field("first_ts", pa.int64()), pa.field("last_ts", pa.int64()), pa.field("a", pa.int64())])
LISTING = result_table("late", "Which?", MATCHES, ["a"], unit="s")
OLD = with_changes(
    LISTING,
    columns=tuple(column for column in LISTING.columns if not column.made_of),
    properties={name: value for name, value in LISTING.properties.items() if name != FILLED},
)
"""The same table as an older program made it."""
EDGES = [-62_135_596_801, -62_135_596_800, -1, 0, 1362729600, 253_402_300_799, 253_402_300_800]
TIMES = st.sampled_from(sorted(UNITS)).flatmap(
    lambda unit: st.tuples(
        st.just(unit),
        st.lists(
            st.one_of(
                st.none(),
                st.sampled_from([edge * UNITS[unit] for edge in EDGES if abs(edge * UNITS[unit]) < 1 << 63]),
                st.integers(-(1 << 63), (1 << 63) - 1),
                st.integers(-(10**10), 10**10),
            ),
            min_size=1,
            max_size=8,
        ),
    )
)


def expected(value: int | None, unit: str) -> datetime | None:
    """By definition: so many units after 1970, cut towards it at microseconds, within the years 1 to 9999."""
    if value is None or not EDGES[1] * UNITS[unit] <= value < EDGES[-1] * UNITS[unit] or abs(value) >= (1 << 63) - 1:
        return None
    micros = abs(value) * 10**6 // UNITS[unit]
    return EPOCH + timedelta(microseconds=micros if value >= 0 else -micros)


@given(TIMES)
def test_a_time_stamp_is_so_many_units_after_1970(times: tuple[str, list[int | None]]) -> None:
    unit, values = times
    column = timestamps(pa.chunked_array([pa.array(values, pa.int64())]), unit)
    assert column.type == pa.timestamp("us", "UTC")
    assert column.to_pylist() == [expected(value, unit) for value in values]


@few(10)
@given(TIMES)
def test_old_rows_are_filled_with_what_new_rows_get(
    tmp_path_factory: pytest.TempPathFactory, times: tuple[str, list[int | None]]
) -> None:
    """delta-rs computes the one, Arrow the other."""
    unit, values = times
    folder = tmp_path_factory.mktemp("filled") / "t"
    rows = pa.table({"ts": pa.array(values, pa.int64())})
    write_deltalake(folder, rows.append_column("at", pa.nulls(len(values), pa.timestamp("us", "UTC"))))
    updates, lacking = filling([Moment("at", "ts", unit)])
    table = DeltaTable(folder)
    wanted = sum(expected(value, unit) is not None for value in values)
    assert table.to_pyarrow_dataset().count_rows(filter=lacking_rows([Moment("at", "ts", unit)])) == wanted
    table.update(dict(updates), predicate=lacking)
    table_rows = DeltaTable(folder).to_pyarrow_table().to_pylist()
    key = [(row["ts"], row["at"]) for row in table_rows]
    assert sorted(key, key=str) == sorted([(value, expected(value, unit)) for value in values], key=str)


def rows(day: date, *first: int) -> pa.Table:
    """Rows of a day as an evaluation gives them."""
    return pa.table(
        {
            "day": pa.array([day] * len(first), pa.date32()),
            "run_id": ["r"] * len(first),
            "match_id": [f"m{n}" for n in first],
            "first_ts": first,
            "last_ts": [n + 60 for n in first],
            "a": first,
        }
    )


def write(lake: Path, table: Table, day: date, *first: int) -> None:
    create("w", [table], lake)
    replace(rows(day, *first), "w.late", one_of("day", [day]))


def moments(lake: Path) -> dict[int, tuple[datetime, datetime]]:
    rows = DeltaTable(lake / "w" / "late").to_pyarrow_table().to_pylist()
    return {row["a"]: (row["first_at"], row["last_at"]) for row in rows}


def expected_moments(*first: int) -> dict[int, tuple[datetime, datetime]]:
    return {n: (EPOCH + timedelta(seconds=n), EPOCH + timedelta(seconds=n + 60)) for n in first}


def test_a_new_table_has_them_at_once(tmp_path: Path) -> None:
    with leased(tmp_path, "w"):
        write(tmp_path, LISTING, D1, 1362729600, 1362729700)
    assert moments(tmp_path) == expected_moments(1362729600, 1362729700)
    first, last = DeltaTable(tmp_path / "w" / "late").schema().fields[-2:]
    assert (first.name, last.name) == ("first_at", "last_at")
    assert first.metadata["comment"] == "first_ts as a point in time"


def test_a_table_of_an_older_program_gets_them_in_all_rows(tmp_path: Path) -> None:
    """Once: nothing is committed the next time. Its columns are then those of a new table, in their order."""
    with leased(tmp_path, "w"):
        write(tmp_path, OLD, D1, 100, 200)
        write(tmp_path, OLD, D2, 300)
        write(tmp_path, LISTING, D2, 400)
        assert moments(tmp_path) == expected_moments(100, 200, 400)
        version = DeltaTable(tmp_path / "w" / "late").version()
        create("w", [LISTING], tmp_path)
        assert DeltaTable(tmp_path / "w" / "late").version() == version
    with leased(tmp_path / "fresh", "w"):
        write(tmp_path / "fresh", LISTING, D1, 1)
    assert schema_of(tmp_path / "w" / "late").names == schema_of(tmp_path / "fresh" / "w" / "late").names


def test_an_empty_table_of_an_older_program_gets_the_columns(tmp_path: Path) -> None:
    with leased(tmp_path, "w"):
        create("w", [OLD], tmp_path)
        write(tmp_path, LISTING, D1, 7)
    assert moments(tmp_path) == expected_moments(7)


def test_a_kill_before_all_rows_have_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The columns are there and empty; the next program fills them."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with leased(tmp_path, "w"):
        write(tmp_path, OLD, D1, 100)
        with monkeypatch.context() as patch:
            patch.setattr(creating, "fill_moments", killed)
            with pytest.raises(KeyboardInterrupt):
                create("w", [LISTING], tmp_path)
        assert moments(tmp_path) == {100: (None, None)}
        create("w", [LISTING], tmp_path)
    assert moments(tmp_path) == expected_moments(100)


def test_another_unit_is_that_of_new_rows(tmp_path: Path) -> None:
    """`time: {unit: ms}` after days in seconds: all days are evaluated again, one after the other."""
    with leased(tmp_path, "w"):
        write(tmp_path, LISTING, D1, 100)
        write(tmp_path, result_table("late", "Which?", MATCHES, ["a"], unit="ms"), D2, 7000)
    by_ts = moments(tmp_path)
    assert by_ts[100] == expected_moments(100)[100]
    assert by_ts[7000][0] == EPOCH + timedelta(seconds=7)


def test_a_column_that_a_query_names_is_its_own(tmp_path: Path) -> None:
    """RETURN ... AS at: no TIMESTAMP takes the name, in whatever case. GROUP-BY first_ts is no time of a match."""
    named = MATCHES.append(pa.field("First_AT", pa.string()))
    columns = [column.name for column in result_table("q", "?", named, ["a"], unit="s").columns]
    assert [name for name in columns if name.lower().endswith("_at")] == ["First_AT", "last_at"]
    windows = pa.schema([(name, pa.int64()) for name in ("first_ts", "window_start", "window_end", "count")])
    columns = [column.name for column in result_table("q", "?", windows, unit="s").columns]
    assert columns[-2:] == ["window_start_at", "window_end_at"]
    assert "first_at" not in columns


def test_other_programs_see_points_in_time_and_reports_do_not(tmp_path: Path) -> None:
    """DuckDB and Polars read them as such; what reads all columns for a page gets those of an evaluation."""
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    with leased(tmp_path, "w"):
        write(tmp_path, LISTING, D1, 1362729600)
    late = duckdb.from_arrow(DeltaTable(tmp_path / "w" / "late").to_pyarrow_table())
    asked = "SELECT first_at AT TIME ZONE 'UTC', last_at - first_at FROM late"
    assert late.query("late", asked).fetchall() == [(datetime(2013, 3, 8, 8), timedelta(seconds=60))]
    frame = polars.scan_delta(str(tmp_path / "w" / "late")).collect()
    assert frame["first_at"].dt.hour().to_list() == [8]
    reader = LakeReader(tmp_path / "w")
    read = reader.read("late", D1, D1)
    assert read is not None
    assert set(read.column_names) == {column.name for column in OLD.columns}
    [piece] = reader.pieces("late")
    assert piece.column_names == read.column_names
