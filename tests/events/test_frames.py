"""Logs in every kind that people hold: the answer is that of the Arrow table, in the kind of the log."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep
from tests.events.frame_kinds import KINDS, rows_of

PAIRS = "PATTERN SEQ(A a, B+ b[]) WHERE [k] WITHIN 3 seconds RETURN max(b[].x) AS most"
COUNTS = "RETURN k, COUNT(*), MAX(A.x) PATTERN SEQ(A+, B) WHERE [k] GROUP-BY k WITHIN 4 seconds"


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


def test_a_frame_without_rows_has_no_match() -> None:
    """Of its columns nothing may be known; an empty list has none at all."""
    empty = pd.DataFrame({"event_type": ["A"], "ts": [1], "k": ["x"]})[:0]
    assert cep.match("PATTERN SEQ(A a, B b) WHERE [k] WITHIN 9", empty).empty
    with pytest.raises(ValueError, match="no rows and no columns"):
        cep.match("PATTERN A a WITHIN 9", [])
