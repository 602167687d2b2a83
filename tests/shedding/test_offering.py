"""Queries as operators: the same matches as the matching engine, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.events.schema import Ties
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import NotSupportedYet
from cep_core.language.patterns.bind.binding import bind
from cep_core.shedding.arrays.costs import uniform_costs
from cep_core.shedding.arrays.offering import machine_of, offered, relevant_types
from cep_core.shedding.arrays.stream import stream_of
from cep_core.shedding.operator_run import OperatorRun
from tests import ends

CONTAGION = """
PATTERN SEQ(D a, D b, D c, C d)
WHERE skip_till_any_match { [k] AND a.x >= 2 AND b.x >= 2 AND c.x >= 2 AND a.y != b.y AND b.y != c.y } WITHIN 9
"""
COLLAPSE = """
PATTERN SEQ(D a, D+ b[], C c)
WHERE skip_till_any_match { [k] AND a.x >= 1 AND b[1].x > a.x AND b[i].x > b[i-1].x } WITHIN 12
"""
QUERIES = (
    CONTAGION,
    COLLAPSE,
    CONTAGION.replace("any", "next"),
    COLLAPSE.replace("any", "next"),
    "PATTERN SEQ(D a, C b) WITHIN 6 EVENTS",
    "PATTERN SEQ(D a, NOT E e, C b) WHERE skip_till_any_match { e.x > 1 } WITHIN 8",
    "PATTERN SEQ(D a, ANY(2, C, E, F)) WHERE skip_till_any_match { [k] } WITHIN 8",
    "PATTERN ANY(2, C, E, F) WHERE skip_till_any_match WITHIN 5",
    "PATTERN SEQ(D{2} a[], C b) WHERE skip_till_any_match WITHIN 7",
    "PATTERN SEQ(D a, C b) WHERE skip_till_any_match { a.x < b.x } WITHIN 8 SLIDE 3",
    "PATTERN SEQ(D a, C b, E c) WHERE skip_till_next_match { [k] } WITHIN 9 SLIDE 4",
    "PATTERN SEQ(D a, C b) WHERE skip_till_any_match { b.x - a.x < 3 } WITHIN 8",
    "PATTERN SEQ(D a, D+ b[], C c) WHERE skip_till_next_match { b[i].x - b[i-1].x != 1 AND c.z >= b[last].x } WITHIN 8",
    "PATTERN SEQ(D a, C b) WHERE skip_till_any_match { a.x = b.z } WITHIN 12",
)


def log(seed: int, count: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    return order(
        pa.table(
            {
                "event_type": rng.choice(["D", "D", "C", "E", "F"], count),
                "ts": np.sort(rng.integers(0, max(1, count), count)),
                "x": rng.choice([0, 1, 2, 3, 4, *(ends.WHOLE if seed % 3 == 0 else ())], count).astype(np.int64),
                "z": rng.choice([0.0, 1.0, 2.5, *(ends.REAL if seed % 3 == 0 else ())], count),
                "y": rng.choice(["u", "v", "w"], count),
                "k": pa.array(rng.choice(["p", "q"], count), mask=rng.random(count) < 0.1),
            }
        )
    )


@pytest.mark.parametrize("text", QUERIES)
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 25), st.booleans())
def test_unshed_operator_finds_what_match_finds(text, seed, count, ordered):
    events = log(seed, count)
    query = bind(text, log_schema_of(events, "s", Ties.ORDERED if ordered else Ties.CONCURRENT))
    wanted = events.filter(pa.compute.is_in(events["event_type"], pa.array(relevant_types(query))))
    if seed % 2 or query.window.events:
        wanted = events  # those of other types are met by nothing, but positions count them
    pattern = offered(query, wanted, name="q")
    costs = uniform_costs([pattern.machine.states], 1)
    run = OperatorRun(
        stream_of([pattern], wanted["ts"].to_numpy(), costs, ordered=ordered), np.zeros(wanted.num_rows, np.int64)
    )
    run.advance(wanted.num_rows)
    matched = cep.match(text, events, ties="ordered" if ordered else "concurrent")
    assert run.matches == matched.num_rows
    seq = wanted["seq"].to_numpy()
    last = seq[run.match_columns()[1]]
    ends = [
        max(np.ravel(row[v.name]).max() for v in query.positive if row[v.name] is not None)
        for row in matched.to_pylist()
    ]
    assert sorted(last.tolist()) == sorted(int(end) for end in ends)


@pytest.mark.parametrize(
    "text",
    [
        "RETURN COUNT(*) PATTERN D+ WITHIN 5",
        "PATTERN SEQ(D a, C b) WHERE strict_contiguity WITHIN 5",
        "PATTERN SEQ(D a, C+ b[]) WITHIN 5",
        "PATTERN SEQ(D a, (C OR E) WITHIN 5".replace("(C OR E)", "(C b OR E c))"),
        "PATTERN SEQ(D a, C b, E c) WHERE a.x < c.x WITHIN 5",
        "PATTERN SEQ(D a, C b, NOT E c) WITHIN 5",
        "PATTERN SEQ(D a, NOT E e, C b) WHERE e.x > a.x WITHIN 5",
        "PATTERN SEQ(D a, ANY(2, C b, C c)) WITHIN 5",
    ],
)
def test_what_is_refused_has_a_place(text):
    refuse(bind(text, log_schema_of(log(1, 5))))


def test_confidence_is_refused():
    """The operator knows no possible worlds."""
    schema = replace(log_schema_of(log(1, 5)), imprecision={"D": (0, 9)})
    refuse(bind("PATTERN SEQ(D a, C b) WHERE skip_till_any_match WITHIN 5 WITH CONFIDENCE > 0", schema))


def refuse(query):
    with pytest.raises(NotSupportedYet) as refused:
        machine_of(query)
    assert refused.value.line >= 1
