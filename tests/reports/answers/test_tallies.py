"""Compact rows counted by key over columns are those counted one by one; and what these counts are made of."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.patterns.bind.binding import bind
from jobs.reports.answers.attributes import entity, latest_entity
from jobs.reports.answers.event_index import EventIndex, are_among, seqs_of
from jobs.reports.answers.tallies import PERIODS, Totals, compact_columns, tallies_of
from jobs.reports.answers.variety.codes import combined
from tests.reports.answers.travellers import SCHEMA

DAY = (1000, 1000 + 240)
SEQS = st.lists(st.integers(0, 40), max_size=12)


@pytest.mark.parametrize(
    ("pattern", "first", "last"),
    [
        ("SEQ(A a, B+ b[], C c) WHERE [who]", "a", "c"),
        ("SEQ(A a, B b, C? c) WHERE [who]", "a", "b"),
        ("SEQ(A a, B b, C c) WHERE a.who = b.who", "a", "b"),
        ("SEQ(A a, B b, C c) WHERE a.who = c.place", "a", "a"),
    ],
)
def test_the_last_events_of_a_match_tell_its_key(pattern: str, first: str, last: str) -> None:
    """Optional ones cannot, nor those that have the value in another attribute."""
    query = bind(f"PATTERN {pattern} WITHIN 1 hour", SCHEMA)
    assert entity(query) == (("who", first, "who"),)
    assert latest_entity(query) == ((last, "who"),)
    assert compact_columns(query)[-1] == last


@st.composite
def keyed_rows(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Events of few travellers, and compact rows whose events `b` agree in `who` and `place`, or mostly do."""
    pairs = st.tuples(st.sampled_from(["u", "v", "7"]), st.sampled_from(["p", "q"]))
    keys = draw(st.lists(pairs, min_size=1, max_size=8))
    events = [{"seq": 3 * n, "ts": DAY[0] + n, "who": who, "place": place} for n, (who, place) in enumerate(keys)]
    rows = []
    for _ in range(draw(st.integers(1, 8))):
        first = draw(st.sampled_from(events))
        alike = [event for event in events if (event["who"], event["place"]) == (first["who"], first["place"])]
        bound = draw(st.lists(st.sampled_from(alike if draw(st.integers(0, 9)) else events), min_size=1, max_size=3))
        count = draw(st.sampled_from([0, 1, 2, 5, 2**62, 10**40]))
        last = draw(st.integers(DAY[0] - 20, DAY[1] + 20))
        rows.append({"last_ts": last, "match_count_exact": str(count), "b": [event["seq"] for event in bound]})
    return events, rows


@given(keyed_rows(), st.integers(1, 4))
def test_compact_rows_are_counted_as_one_by_one(
    drawn: tuple[list[dict[str, Any]], list[dict[str, Any]]], size: int
) -> None:
    """However they are cut into pieces; keys keep the order in which they first appear in a piece."""
    events, rows = drawn
    query = bind("PATTERN SEQ(A a, B+ b[]) WHERE [who] AND [place] WITHIN 1 hour", SCHEMA)
    keys: Counter[tuple[str, str]] | None = Counter()
    periods: Counter[int] = Counter()
    by_seq = {event["seq"]: (event["who"], event["place"]) for event in events}
    for row in rows:
        count, of_row = int(row["match_count_exact"]), {by_seq[seq] for seq in row["b"]}
        keys = keys if len(of_row) == 1 else None
        if keys is not None:
            keys[next(iter(of_row))] += count
        if DAY[0] <= row["last_ts"] < DAY[1]:
            periods[(row["last_ts"] - DAY[0]) * PERIODS // (DAY[1] - DAY[0])] += count
    total = sum(int(row["match_count_exact"]) for row in rows)
    index = EventIndex(pa.Table.from_pylist(events))
    pieces = [(pa.Table.from_pylist(rows[at : at + size]), index) for at in range(0, len(rows), size)]
    nothing = pa.table({"last_ts": pa.array([], pa.int64()), "a": pa.array([], pa.int64())})
    tallies = tallies_of(query, nothing, pieces, Totals(total, total, truncated=True), index, DAY)
    assert (tallies.periods.counts, tallies.periods.listed) == (periods, None)
    if keys is None:
        assert (tallies.keys.counts, tallies.keys.listed) == ({}, 0)
    else:
        assert (tallies.keys.counts, tallies.keys.listed) == (keys, None)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 9)), max_size=20))
def test_combinations_are_numbered_as_they_first_appear(rows: list[tuple[int, int, int]]) -> None:
    different = list(dict.fromkeys(rows))
    columns = [np.array([row[place] for row in rows], np.int64) for place in range(3)]
    codes, firsts = combined(columns, len(rows))
    assert codes.tolist() == [different.index(row) for row in rows]
    assert firsts.tolist() == [rows.index(row) for row in different]


@given(SEQS, SEQS, st.booleans())
def test_events_among_those_named(seqs: list[int], named: list[int], in_order: bool) -> None:
    """In files whose events ascend and in others."""
    own = sorted(set(seqs)) if in_order else seqs
    flags = are_among(np.array(own, np.int64), np.array(sorted(set(named)), np.int64))
    assert flags.tolist() == [seq in named for seq in own]


@given(SEQS, st.lists(SEQS, max_size=5))
def test_events_that_matches_name(single: list[int], lists: list[list[int]]) -> None:
    """Each once and ascending, from columns of events and of lists of events; a variable may be unbound."""
    names = pa.chunked_array([pa.array([*single, None], pa.int64())])
    assert seqs_of(pa.table({"a": names}), ["a", "z"]).tolist() == sorted(set(single))
    several = pa.table({"b": pa.array(lists, pa.list_(pa.int64()))})
    assert seqs_of(several, ["b"]).tolist() == sorted({seq for own in lists for seq in own})


@given(st.lists(st.integers(-30, 30), unique=True, max_size=12), st.integers(-35, 35))
def test_events_are_found_in_any_order(seqs: list[int], sought: int) -> None:
    index = EventIndex(pa.table({"seq": pa.array(seqs, pa.int64()), "ts": pa.array(seqs, pa.int64())}))
    assert index.seqs.tolist() == sorted(seqs)
    assert index.get(sought) == ({"seq": sought, "ts": sought} if sought in seqs else None)
