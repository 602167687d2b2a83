"""`cep.events_of`: each event of each match, held against the lists of `seq` in plain Python."""

from __future__ import annotations

import random

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep

QUERY = "PATTERN SEQ(A a, B+ b[], C c) WITHIN 6 RETURN max(b[].x) AS most"
_EVENTS = st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 9)), max_size=9)


@given(events=_EVENTS, collapsed=st.booleans(), shuffled=st.randoms())
def test_each_event_of_each_match(events: list[tuple[str, int]], collapsed: bool, shuffled: random.Random) -> None:
    """In the order of matches, variables and positions, with the event's own columns; rows in any order, own `seq`."""
    seqs = list(range(100, 100 + len(events)))
    shuffled.shuffle(seqs)
    rows = [
        {"event_type": kind, "ts": ts, "seq": seq, "x": ts * 7} for (kind, ts), seq in zip(events, seqs, strict=True)
    ]
    schema = pa.schema([("event_type", pa.string()), ("ts", pa.int64()), ("seq", pa.int64()), ("x", pa.int64())])
    log = pa.Table.from_pylist(rows, schema)
    matches = cep.match(QUERY, log, collapsed=collapsed)
    by_seq = {row["seq"]: row for row in rows}
    expected = []
    for number, match in enumerate(matches.to_pylist()):
        for variable in ("a", "b", "c"):
            bound = match[variable] if isinstance(match[variable], list) else [match[variable]]
            expected += [
                {"match": number, "variable": variable, "position": place, **by_seq[seq]}
                for place, seq in enumerate(bound, 1)
            ]
    columns = ["match", "variable", "position", *schema.names]
    assert cep.events_of(matches, log).select(columns).to_pylist() == expected


def test_frames_that_do_not_say_their_variables() -> None:
    """Polars has no place for it: the caller says them; a log that lacks the events is refused."""
    log = pl.DataFrame({"kind": ["A", "B", "C"], "at": [1, 2, 3], "x": [1, 2, 3]})
    named = {"ts": "at", "type": "kind"}
    matches = cep.match(QUERY, log, **named)
    with pytest.raises(ValueError, match=r"those of variables=\['a', 'b', 'c', 'most'\]"):
        cep.events_of(matches, log, **named)
    assert cep.events_of(matches, log, variables=["a", "b", "c"], **named)["x"].to_list() == [1, 2, 3]
    with pytest.raises(ValueError, match="no column 'd'"):
        cep.events_of(matches, log, variables=["d"], **named)
    with pytest.raises(ValueError, match="events that this log does not have"):
        cep.events_of(matches, log.head(2), variables=["a", "b", "c"], **named)
