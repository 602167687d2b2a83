"""Small random logs, with bursts of equal times, NULLs and groups; their schemas, and when two results are the same."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from cep_core.events.schema import LogSchema, Ties
from cep_core.events.table import log_schema_of
from tests import ends

NO_EVENTS = pa.schema(
    {
        "event_type": pa.string(),
        "ts": pa.int64(),
        "seq": pa.int64(),
        "x": pa.int64(),
        "y": pa.float64(),
        "s": pa.string(),
        "g": pa.string(),
        "k": pa.int64(),
    }
).empty_table()
"""A log of the columns that `logs` draws."""
LACKING = st.sets(st.tuples(st.sampled_from("BCDE"), st.sampled_from("kg")), max_size=3)
"""Attributes that a type lacks."""


TIMES = st.integers(-6, 12)
TYPES = st.sampled_from([st.sampled_from("AAABBC"), st.sampled_from("AAABBCCDDE")])
FLOATS = ends.real(st.none() | st.sampled_from([-1.5, 0.1, 0.2, 0.30000000000000004, 2.0, 1e-3, 3.75]), ends.KNOWN)
STRINGS = st.sampled_from([None, "", "a", None, "ab", "b"])
GROUPS = st.sampled_from(["p", "q", "p", "q", None])
KEYS = st.sampled_from([1, 2, 1, None])


@cache
def integers(values: int) -> st.SearchStrategy[st.SearchStrategy[int | None]]:
    """What to draw the integers of a log from, up to an amount."""
    return ends.whole(st.none() | st.integers(-values, values))


@st.composite
def logs(draw: st.DrawFn, most: int = 8, values: int = 3) -> pa.Table:
    """A log with few different times, so ties are likely; NULLs and equal values are likely as well.

    A strategy that is made anew for each log costs more than what is drawn from it, so all are made once.
    """
    n = draw(st.integers(0, most))
    kinds, x, y = draw(TYPES), draw(integers(values)), draw(FLOATS)
    columns = {
        "event_type": [draw(kinds) for _ in range(n)],
        "ts": sorted(draw(TIMES) for _ in range(n)),
        "seq": list(range(n)),
        "x": [draw(x) for _ in range(n)],
        "y": [draw(y) for _ in range(n)],
        "s": [draw(STRINGS) for _ in range(n)],
        "g": [draw(GROUPS) for _ in range(n)],
        "k": [draw(KEYS) for _ in range(n)],
    }
    return pa.table(columns, schema=NO_EVENTS.schema)


def same(result: pa.Table, expected: pa.Table) -> bool:
    """Whether two results have the same columns and rows; NaN, such as the sum of two infinities, equals itself."""
    return result.schema == expected.schema and all(map(_same_column, result.columns, expected.columns))


def _same_column(result: pa.ChunkedArray, expected: pa.ChunkedArray) -> bool:
    if not pa.types.is_floating(result.type):
        return bool(result.equals(expected))
    nulls = result.is_null().equals(expected.is_null())
    return nulls and np.array_equal(result.to_numpy(), expected.to_numpy(), equal_nan=True)


def schema_of(log: pa.Table, ties: Ties) -> LogSchema:
    """The schema of the log. Every type exists, even if the log has no event of it."""
    return log_schema_of(log, ties=ties)


@st.composite
def partial_schemas(draw: st.DrawFn, log: pa.Table, ties: Ties) -> LogSchema:
    """The schema of the log, where some types lack an attribute that queries use as a key."""
    everything = schema_of(log, ties).columns
    lacking = draw(LACKING)
    types = {
        name: {key: attribute for key, attribute in everything.items() if (name, key) not in lacking}
        for name in ("A", *"BCDE")
    }
    return LogSchema(types, ties=ties)


def rows_of(log: pa.Table) -> list[dict[str, object]]:
    """The events of the log, as the reference reads them."""
    return log.to_pylist()
