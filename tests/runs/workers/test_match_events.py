"""The table of the events of matches, held against a join in plain Python: every event of every listed match."""

from __future__ import annotations

from datetime import date, timedelta

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.matching.result.identity import MATCH_ID, match_ids
from jobs.lake.tables.match_events import match_events_table
from jobs.stages.evaluating.match_events import Published, in_parts
from jobs.stages.loading.log_order import DAY_BITS

FIRST = date(2013, 1, 1)
NUMBER = (FIRST - date(1970, 1, 1)).days
QUERIES = {
    "PATTERN SEQ(A a, B+ b[], C c) WITHIN 6": "abc",
    "PATTERN SEQ(A a, B? b, C* c[]) WITHIN 5": "abc",
    "PATTERN SEQ(A a, NOT B n, C c) WHERE [x] WITHIN 8": "ac",
    "PATTERN SEQ(A a, B b) WITHIN 9 SLIDE 3": "ab",
}
EVENTS = st.lists(
    st.tuples(st.sampled_from("ABC"), st.integers(0, 9), st.integers(0, 2), st.integers(0, 1)), max_size=9
)


def stored(events: list[tuple[str, int, int, int]]) -> pa.Table:
    """Events of two days as a lake has them, in no order; the attribute `position` has a name that is taken."""
    ordered = sorted(events, key=lambda event: (event[3], event[1]))
    rows = [
        {
            "day": FIRST + timedelta(days=later),
            "run_id": "old",
            "event_type": kind,
            "ts": later * 10 + ts,
            "seq": (NUMBER + later << DAY_BITS) + place,
            "x": x,
            "position": -1,
        }
        for place, (kind, ts, x, later) in enumerate(ordered)
    ]
    kinds = {"day": pa.date32(), "run_id": pa.string(), "event_type": pa.string()}
    names = (*kinds, "ts", "seq", "x", "position")
    schema = pa.schema([(name, kinds.get(name, pa.int64())) for name in names])
    return pa.Table.from_pylist(rows[::-1], schema)


@pytest.mark.parametrize("query", QUERIES)
@given(events=EVENTS, gone=st.integers(0, 20), most=st.integers(1, 9))
def test_every_event_of_every_match(query: str, events: list[tuple[str, int, int, int]], gone: int, most: int) -> None:
    """With closures, events that must not be, absent optional ones and windows; an event that is gone has no row."""
    log, variables = stored(events), list(QUERIES[query])
    matches = cep.match(query, log.drop_columns(["day", "run_id", "position"]))
    listing = matches.append_column(MATCH_ID, match_ids(matches, variables))
    listing = listing.append_column("day", pa.repeat(pa.scalar(FIRST, pa.date32()), listing.num_rows))
    left = log.filter(pa.array([place != gone for place in range(log.num_rows)], pa.bool_()))
    by_seq = {event["seq"]: event for event in left.to_pylist()}
    expected = [
        {
            **{name: match[name] for name in ("day", "match_id", "window_start") if name in match},
            "variable": variable,
            "position": place,
            **{name: by_seq[seq][name] for name in ("event_type", "ts", "seq", "x")},
        }
        for match in listing.to_pylist()
        for variable in variables
        for place, seq in enumerate(match[variable] if isinstance(match[variable], list) else [match[variable]], 1)
        if seq in by_seq
    ]
    attributes = {name: Attribute(name, AttributeType.INT) for name in ("x", "position")}
    table = match_events_table("q", LogSchema({"A": attributes}), windowed="window_start" in listing.column_names)
    columns = [column.name for column in table.columns]
    assert columns.count("position") == 1
    unlogged = ("day", "run_id", "match_id", "window_start", "variable", "position", "at", "window_start_at")
    read = pa.schema([log.schema.field(name) for name in columns if name not in unlogged])
    published = Published(ds.dataset(left), read)
    parts = list(in_parts(listing, variables, most))
    bound = [row for part in parts for row in published.bound_in(part, variables).to_pylist()]
    assert bound == expected
    assert pa.concat_tables(parts).equals(listing)
