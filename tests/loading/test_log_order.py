"""The places of rows and `seq`, against sorting Python's values."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from jobs.stages.loading.log_order import DAY_BITS, ORDER, order_of_ties, row_places, seq_of

VALUES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.int64(): st.sampled_from([-(1 << 63), -1, 0, 7, (1 << 53) + 1, (1 << 63) - 1]),
    pa.float64(): st.sampled_from([-math.inf, -2.5, -0.0, 0.0, 10.0, 9.5, math.inf, math.nan]),
    pa.string(): st.sampled_from(["", "a", "B", "é", "a\0", "ab", "￿", "🌍"]),
    pa.bool_(): st.booleans(),
    pa.date32(): st.sampled_from([date(1, 1, 1), date(1970, 1, 1), date(9999, 12, 31)]),
    pa.timestamp("us", "UTC"): st.sampled_from([datetime(1, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, 10, tzinfo=UTC)]),
}


@st.composite
def columns(draw: st.DrawFn) -> list[tuple[pa.DataType, list[Any]]]:
    rows = draw(st.integers(0, 8))
    types = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=3))
    return [(kind, draw(st.lists(st.none() | VALUES[kind], min_size=rows, max_size=rows))) for kind in types]


def sorts(value: Any) -> tuple[Any, ...]:
    """A key of Python's: null first, NaN last, texts by their bytes."""
    if value is None:
        return (0,)
    if isinstance(value, str):
        return (1, value.encode())
    if isinstance(value, float):
        return (1, math.isnan(value), 0.0 if math.isnan(value) else value)
    return (1, value)


@given(columns())
def test_rows_have_the_places_of_their_values(columns: list[tuple[pa.DataType, list[Any]]]) -> None:
    """Columns of any type with nulls; equal rows share a place."""
    keys = list(zip(*([sorts(value) for value in values] for _, values in columns), strict=True))
    places = row_places([pa.chunked_array([pa.array(values, kind)]) for kind, values in columns])
    assert places.tolist() == [sorted(set(keys)).index(key) for key in keys]


@st.composite
def tied_events(draw: st.DrawFn) -> pa.Table:
    """Events of few stamps, ascending, and of few values in each column that orders them."""
    count = draw(st.integers(0, 12))

    def column(values: st.SearchStrategy[Any], kind: pa.DataType) -> pa.ChunkedArray:
        return pa.chunked_array([pa.array(draw(st.lists(values, min_size=count, max_size=count)), kind)])

    kinds = {"number": pa.int64(), "real": pa.float64(), "text": pa.string()}
    own = draw(st.lists(st.sampled_from(list(kinds)), max_size=2))
    order = {f"{ORDER}{n}_{kind}": column(st.none() | VALUES[kinds[kind]], kinds[kind]) for n, kind in enumerate(own)}
    ts = pa.chunked_array([pa.array(sorted(draw(st.lists(st.integers(-2, 2), min_size=count, max_size=count))))])
    ends = st.sampled_from([-(1 << 63), 0, (1 << 63) - 1])
    return pa.table(
        {
            "event_type": column(st.sampled_from("AB"), pa.string()),
            "ts": ts.cast(pa.int64()),
            "_rank": column(st.integers(0, 1), pa.int32()),
            **order,
            "_hash": column(ends, pa.int64()),
        }
    )


@given(tied_events())
def test_ties_are_ordered_by_one_column_after_the_other(events: pa.Table) -> None:
    """Events that are equal in all of them stay as they are."""
    values = [name for name in events.column_names if name.startswith(ORDER)]
    names = ["ts", "_rank", *values, "_hash", "event_type"]
    keys = list(zip(*(map(sorts, events[name].to_pylist()) for name in names), strict=True))
    assert order_of_ties(events).tolist() == sorted(range(len(keys)), key=keys.__getitem__)


events = st.lists(st.tuples(*[st.integers(-2, 2)] * 4), max_size=10)


@given(events)
def test_seq_counts_a_days_events_in_order(events: list[tuple[int, int, int, int]]) -> None:
    """By ts, place and type within each day."""
    day, ts, place, kind = np.array(events, np.int64).reshape(-1, 4).T
    seq = seq_of(day, ts, place, kind)
    assert sorted(seq.tolist()) == sorted(set(seq.tolist()))
    assert (seq >> DAY_BITS).tolist() == day.tolist()
    in_order = [event for _, event in sorted(zip(seq.tolist(), events, strict=True))]
    assert in_order == sorted(events)
    for number in set(day.tolist()):
        assert sorted((seq[day == number] - (number << DAY_BITS)).tolist()) == list(range(int((day == number).sum())))
