"""Logs in every kind that people hold: the answer is that of the Arrow table, in the kind of the log."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep
from cep_core.frames import NamedColumns, read_frame
from cep_core.shedding.arrays.costs import Costs

KINDS: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "duckdb": duckdb.from_arrow,
    "rows": lambda table: table.to_pylist(),
    "columns": lambda table: table.to_pydict(),
    "reader": lambda table: table.to_reader(),
    "arrow": lambda table: table,
}
PAIRS = "PATTERN SEQ(A a, B+ b[]) WHERE [k] WITHIN 3 seconds RETURN max(b[].x) AS most"
COUNTS = "RETURN k, COUNT(*), MAX(A.x) PATTERN SEQ(A+, B) WHERE [k] GROUP-BY k WITHIN 4 seconds"


def rows_of(answer: Any) -> list[dict[str, Any]]:
    """Any kind as rows of plain values, read by its own library."""
    if isinstance(answer, pd.DataFrame):
        answer = pa.Table.from_pandas(answer, preserve_index=False)
    elif isinstance(answer, pl.DataFrame):
        answer = answer.to_arrow()
    elif isinstance(answer, duckdb.DuckDBPyRelation):
        answer = answer.to_arrow_table()
    elif isinstance(answer, pa.RecordBatchReader):
        answer = answer.read_all()
    elif isinstance(answer, dict):
        answer = pa.table(answer)
    return answer if isinstance(answer, list) else list(answer.to_pylist())


_EVENTS = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(0, 9), st.integers(0, 3), st.sampled_from("uv")),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize("kind", KINDS)
@given(events=_EVENTS)
def test_the_answer_is_of_the_logs_kind(kind: str, events: list[tuple[str, int, int, str]]) -> None:
    """Matches, counts, completing events and violations, with columns of other names and times with a zone."""
    side, when, x, k = zip(*events, strict=True)
    plain = pa.table({"event_type": side, "ts": when, "x": x, "k": k})
    stamps = pa.array(when, pa.int64()).cast(pa.timestamp("s")).cast(pa.timestamp("us", "Europe/Berlin"))
    log = pa.table({"side": side, "when": stamps, "x": x, "k": k})
    named = {"ts": "when", "type": "side"}
    for ask, text in ((cep.match, PAIRS), (cep.aggregate, COUNTS), (cep.detect, PAIRS)):
        expected = ask(text, plain).to_pylist()
        held = KINDS[kind](log)
        answer = ask(text, held, **named)
        assert isinstance(answer, pa.RecordBatchReader if kind == "reader" else type(held))
        assert [_seconds(row) for row in rows_of(answer)] == [_plain(row) for row in expected]


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: int(value) if name.startswith(("count", "max")) and value is not None else value
        for name, value in row.items()
    }


def _seconds(row: dict[str, Any]) -> dict[str, Any]:
    """Time-stamps as seconds, numbers as the plain table's answer has them."""
    row = {name: int(value.timestamp()) if hasattr(value, "timestamp") else value for name, value in row.items()}
    return _plain(row)


def test_totals_are_kept_where_a_kind_has_a_place_for_them() -> None:
    """In pandas' `attrs`, as in Arrow's metadata."""
    log = pa.table({"event_type": ["A", "B"], "ts": [1, 2]})
    assert cep.match("PATTERN SEQ(A a, B b) WITHIN 9", log.to_pandas()).attrs == {
        "matches_total": "1",
        "truncated": "false",
        "variables": "a,b",
    }


def test_windows_of_events_stay_positions() -> None:
    """They are no moments, whatever the log's times are."""
    stamps = pa.array([10, 20, 30], pa.timestamp("s"))
    log = pa.table({"event_type": ["A", "B", "B"], "ts": stamps})
    [match] = cep.match("PATTERN SEQ(A a, B b) WITHIN 2 events SLIDE 2 events", log).to_pylist()
    assert (match["first_ts"], match["window_start"], match["window_end"]) == (stamps[0].as_py(), 0, 2)


def test_violations_of_a_policy_are_of_the_logs_kind() -> None:
    """A data frame gives a data frame, whose times are time-stamps."""
    log = pl.DataFrame(
        {
            "kind": ["A", "B"],
            "at": [pd.Timestamp("2024-01-01T00:00:05"), pd.Timestamp("2024-01-01T00:00:09")],
            "x": [1, 2],
        }
    )
    answer = cep.monitor("A(x)", None, log, ts="at", type="kind")
    assert isinstance(answer, pl.DataFrame)
    assert answer["ts"].dt.to_string("%H:%M:%S").to_list() == ["00:00:05"]


def test_a_misspelt_event_type_warns() -> None:
    """If a type has a name like it; else it may just not have happened."""
    log = pa.table({"event_type": ["Tick", "Tick"], "ts": [1, 2]})
    with pytest.warns(UserWarning, match="no event of type 'Tock'; did you mean 'Tick'?"):
        cep.match("PATTERN SEQ(Tick a, Tock b) WITHIN 9", log)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cep.match("PATTERN SEQ(Tick a, Storm b) WITHIN 9", log)


def test_what_is_no_log_is_refused() -> None:
    """With what would be one; columns that are not there, and two for the same thing."""
    with pytest.raises(TypeError, match=r"generator is no log: give .* a list of rows"):
        cep.match("PATTERN A a WITHIN 9", (row for row in [{"event_type": "A", "ts": 1}]))
    with pytest.raises(TypeError, match="its items are dictionaries"):
        cep.match("PATTERN A a WITHIN 9", [("A", 1)])
    with pytest.raises(ValueError, match=r"needs the column 'ts', or its name as ts='...'; found event_type, at"):
        cep.match("PATTERN A a WITHIN 9", [{"event_type": "A", "at": 1}])
    with pytest.raises(AttributeError, match=r"cep\.why_not_match"):
        cep.why_not  # noqa: B018
    log = [{"event_type": "A", "ts": 1, "time": 2}]
    with pytest.raises(ValueError, match=r"no column 'tme'; did you mean 'time'?"):
        cep.match("PATTERN A a WITHIN 9", log, ts="tme")
    with pytest.raises(ValueError, match="'time' shall be 'ts', but the log has a column 'ts', too"):
        cep.match("PATTERN A a WITHIN 9", log, ts="time")
    fine = pa.table({"event_type": ["A"], "ts": pa.array([1], pa.timestamp("ms"))})
    with pytest.raises(ValueError, match="times are finer than unit='s'"):
        cep.match("PATTERN A a WITHIN 9", fine, unit="s")


class Interchange:
    """A frame of a library that offers nothing but the interchange protocol."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def __dataframe__(self, **options: bool) -> object:
        return self._frame.__dataframe__(**options)


def test_logs_of_rarer_kinds() -> None:
    """A lazy frame, batches, a tuple of rows, the interchange protocol; a key that only later rows have."""
    rows = [{"event_type": "A", "ts": 1}, {"event_type": "B", "ts": 2, "x": 5}]
    table = pa.Table.from_pylist(rows, pa.schema({"event_type": pa.string(), "ts": pa.int64(), "x": pa.int64()}))
    query = "PATTERN SEQ(A a, B b) WHERE b.x = 5 WITHIN 9"
    expected = cep.match(query, table).to_pylist()
    assert len(expected) == 1
    assert cep.match(query, rows) == expected
    assert cep.match(query, tuple(rows)) == tuple(expected)
    assert cep.match(query, pl.LazyFrame(rows)).collect().to_dicts() == expected
    batches = cep.match(query, table.to_batches(max_chunksize=1))
    assert pa.Table.from_batches(batches).to_pylist() == expected
    assert cep.match(query, Interchange(table.to_pandas())).to_pylist() == expected


def test_texts_of_times_are_time_stamps() -> None:
    """As JSON has them, with and without an offset; whole floats are whole numbers. All else is told."""
    query = "PATTERN SEQ(A a, B b) WITHIN 9 seconds"
    for zone, utc in (("", None), ("+01:00", UTC)):
        log = [{"event_type": kind, "ts": f"2024-01-31T08:00:0{at}{zone}"} for at, kind in enumerate("AB")]
        [match] = cep.match(query, log)
        assert match["first_ts"] == datetime(2024, 1, 31, 8 if utc is None else 7, tzinfo=utc)
    assert len(cep.match(query, [{"event_type": kind, "ts": float(at)} for at, kind in enumerate("AB")])) == 1
    for odd, said in ((0.5, "not whole; give .* a finer unit"), ("soon", "no time-stamps such as"), (None, "nulls")):
        with pytest.raises(ValueError, match=f"'at' (holds|has) .*{said}"):
            cep.match(query, [{"event_type": "A", "at": odd}], ts="at")


def test_a_frame_without_rows_has_no_match() -> None:
    """Of its columns nothing may be known; an empty list has none at all."""
    empty = pd.DataFrame({"event_type": ["A"], "ts": [1], "k": ["x"]})[:0]
    assert cep.match("PATTERN SEQ(A a, B b) WHERE [k] WITHIN 9", empty).empty
    with pytest.raises(ValueError, match="no rows and no columns"):
        cep.match("PATTERN A a WITHIN 9", [])


BERLIN = pa.timestamp("ms", "Europe/Berlin")


@pytest.mark.parametrize(
    ("stamp", "moment", "number"),
    [
        (BERLIN, "2026-07-01 09:30", 1_782_891_000_000),
        (BERLIN, datetime(2026, 7, 1, 9, 30), 1_782_891_000_000),
        (BERLIN, datetime(2026, 7, 1, 7, 30, tzinfo=UTC), 1_782_891_000_000),
        (BERLIN, np.datetime64("2026-07-01T09:30"), 1_782_891_000_000),
        (BERLIN, date(2026, 7, 1), 1_782_856_800_000),
        (BERLIN, 17, 17),
        (pa.timestamp("s"), "2026-07-01 09:30", 1_782_898_200),
        (pa.int64(), np.int64(5), 5),
    ],
)
def test_a_moment_of_a_log(stamp: pa.DataType, moment: object, number: int) -> None:
    """Texts, dates and datetimes without a zone are meant in the log's."""
    log = pa.table({"event_type": ["A"], "ts": pa.array([0], pa.int64()).cast(stamp)})
    assert read_frame(log, NamedColumns(), None).number(moment) == number


@pytest.mark.parametrize(
    ("stamp", "moment", "message"),
    [
        (pa.int64(), "2026-07-01", "is no number"),
        (pa.timestamp("s"), datetime(2026, 7, 1, tzinfo=UTC), "has a zone"),
        (pa.timestamp("s"), datetime(2026, 7, 1, 0, 0, 0, 5), "would lose data"),
        (pa.timestamp("s"), "yesterday", "yesterday"),
    ],
)
def test_a_moment_that_a_log_cannot_hold(stamp: pa.DataType, moment: object, message: str) -> None:
    """Nothing is rounded or guessed."""
    log = pa.table({"event_type": ["A"], "ts": pa.array([0], pa.int64()).cast(stamp)})
    with pytest.raises(ValueError, match=message):
        read_frame(log, NamedColumns(), None).number(moment)


def test_shedding_of_a_frame_between_time_stamps() -> None:
    """The interval may be time-stamps or their text, and the columns may have other names."""
    begin = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
    plain = pa.table({"event_type": list("AABB") * 50, "ts": range(begin, begin + 200)})
    frame = pa.table({"kind": plain["event_type"], "at": plain["ts"].cast(pa.timestamp("s"))})
    asked: dict[str, Any] = {"costs": Costs(((5, 5),)), "bound": 60, "loads": [2], "seeds": [0]}
    queries = {"ab": "PATTERN SEQ(A a, B b) WITHIN 9 seconds"}
    interval = "2026-01-01 00:01:40", datetime(2026, 1, 1, 0, 3, 20)
    shed = cep.shed(queries, frame, interval, ts="at", type="kind", **asked)
    expected = cep.shed(queries, plain, (begin + 100, begin + 200), **asked)
    assert shed.equals(expected)


DECIMAL = {kind: of for kind, of in KINDS.items() if kind not in ("rows", "columns")}


@pytest.mark.parametrize("kind", DECIMAL)
def test_decimals_are_numbers(kind: str) -> None:
    """As DuckDB makes of 1.5, and of a sum of whole numbers; they were unknown attributes once."""
    prices = pa.array([Decimal("1.50"), Decimal("2.25")], pa.decimal128(10, 2))
    ids = pa.array([7, 7], pa.decimal128(38, 0))
    log = KINDS[kind](pa.table({"event_type": ["A", "B"], "ts": [1, 2], "price": prices, "id": ids}))
    query = "PATTERN SEQ(A a, B b) WHERE [id] AND b.price > a.price WITHIN 9 RETURN b.price AS price, a.id AS id"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [row] = rows_of(cep.match(query, log))
    assert (row["price"], row["id"]) == (2.25, 7)


@given(st.lists(st.integers(2**63, 2**64 - 1), min_size=2, max_size=2))
def test_unsigned_numbers_stay_apart(numbers: list[int]) -> None:
    """Those beyond 64 bits with a sign are texts, which a warning says."""
    log = pa.table({"event_type": ["A", "B"], "ts": [1, 2], "id": pa.array(numbers, pa.uint64())})
    with pytest.warns(UserWarning, match="'id' holds whole numbers beyond 64 bits; they are read as texts"):
        answer = cep.match("PATTERN SEQ(A a, B b) WHERE [id] WITHIN 9", log)
    assert answer.num_rows == (numbers[0] == numbers[1])


def test_numbers_that_no_column_holds() -> None:
    """Rows of Python's numbers: the column is named."""
    rows = [{"event_type": "A", "ts": 1, "id": 2**70}]
    for log in (rows, {key: [rows[0][key]] for key in rows[0]}):
        with pytest.raises(ValueError, match="'id' holds a whole number beyond 64 bits; give such numbers as texts"):
            cep.match("PATTERN A a WITHIN 9", log)


def test_records_and_names_with_blanks() -> None:
    """Fields of records are columns, and names that queries cannot say have underscores, as in files."""
    rows = [{"kind of": "AB"[row], "at": {"ts": row}, "user": {"id": 7, "in": {"x y": 1}}} for row in range(2)]
    query = "PATTERN SEQ(A a, B b) WHERE [user_id] AND a.user_in_x_y = 1 WITHIN 9"
    for log in (rows, pa.Table.from_pylist(rows)):
        assert len(rows_of(cep.match(query, log, ts="at.ts", type="kind of"))) == 1


@pytest.mark.parametrize(("unit", "scale"), [(None, 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_large_numbers_of_an_unnamed_unit_are_warned_of(unit: str | None, scale: int) -> None:
    """Milliseconds since 1970 are no seconds; whoever says the unit, or means seconds, is not warned."""
    log = pa.table({"event_type": ["A", "B"], "ts": [1_706_688_000 * scale, 1_706_688_001 * scale]})
    query = "PATTERN SEQ(A a, B b) WITHIN 9 seconds"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        cep.match(query, log)
        assert [f"did you mean unit='{unit}'?" in str(warning.message) for warning in warned] == [True] * bool(unit)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cep.match(query, log, unit=unit or "s").num_rows == 1


def test_times_since_a_begin() -> None:
    """Durations come back as such; a frame without rows is a log without events, whatever its types."""
    log = pd.DataFrame({"event_type": ["A", "B"], "ts": pd.to_timedelta([1, 2], unit="s")})
    answer = cep.match("PATTERN SEQ(A a, B b) WITHIN 1 second", log)
    assert list(answer["last_ts"]) == [pd.Timedelta(seconds=2)]
    nothing = pd.DataFrame({"event_type": pd.Series([], dtype=float), "ts": pd.Series([], dtype="int64")})
    assert len(cep.match("PATTERN SEQ(A a, B b) WITHIN 1 second", nothing)) == 0


def test_columns_that_no_condition_compares() -> None:
    """They were unknown attributes, though the log has them. Nothing is said where the query does not name them."""
    moment = datetime(2024, 1, 31, 8)
    log = pa.table({"event_type": ["A"], "ts": [1], "until": [moment], "tags": [["a"]], "price": [Decimal("1.5")]})
    for name, said in (("until", r"timestamp\[us\], .*; whole seconds, say, can be"), ("tags", "list<")):
        for query in (f"PATTERN A a WHERE a.{name} = 1 WITHIN 9", f"PATTERN A a WHERE [{name}] WITHIN 9"):
            with pytest.raises(ValueError, match=f"'{name}' holds {said}"):
                cep.match(query, log)
    assert cep.match("PATTERN A a WHERE a.price > 1 WITHIN 9", log).num_rows == 1
