"""From events to traces: which points sub-logs have, and where atoms hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from cep_core.events.logs.time_points import with_points
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import Position
from cep_core.language.propositional.policy import EventAtom, PropositionalPolicy
from cep_core.language.temporal.formulas import Truth
from cep_core.monitoring.propositional.arrays.points import offsets_in_trace, split_trace_of, trace_of
from tests.monitoring.propositional.worlds import Row, World, events_of, policy_of, worlds


def sub_logs(world: World) -> Iterator[tuple[Row, list[Row]]]:
    split = split_trace_of(world.policy, world.events, world.points)
    trace, offset = split.trace, offsets_in_trace(split.trace)
    for number, values in enumerate(split.values.to_pylist() if world.policy.for_each else [{}]):
        own = range(trace.starts[number], trace.starts[number + 1])
        yield tuple(values.values()), [(int(trace.stamps[n]), int(offset[n])) for n in own]


@given(worlds())
def test_sub_logs_have_the_points_of_their_events(world: World) -> None:
    assert sorted(sub_logs(world)) == [(values, points) for values, points, _, _ in world.logs()]


@given(worlds())
def test_each_sub_log_has_its_own_events_in_order(world: World) -> None:
    """All that lie at its points, whether or not several are at one; those of a point in the log's order."""
    split = split_trace_of(world.policy, world.events, world.points)
    for number, (begin, end) in enumerate(pairwise(split.trace.starts.tolist())):
        log = split.log(number, world.events)
        for name, rows in split.holding.items():
            own = sorted((int(split.point[row]) - begin, row) for row in rows if begin <= split.point[row] < end)
            held, seq = log.events[name], world.events["seq"].to_pylist()
            assert held.seq is not None
            assert list(zip(held.point.tolist(), held.seq.tolist(), strict=True)) == [(at, seq[row]) for at, row in own]


def test_conditions_are_true_not_unknown() -> None:
    rows = [("P", 0, 1, "x", 9, 0), ("P", 1, 1, "x", None, 0), ("P", 2, 1, "x", 3, 0), ("Q", 2, 1, "x", None, 0)]
    trace = trace_of(policy_of(Truth(True)), events_of(rows))
    assert {name: holds.tolist() for name, holds in trace.atoms.items()} == {
        "p": [True, True, True],
        "q": [False, False, True],
        "r": [False, False, True],
    }


def test_an_event_without_the_value_is_in_no_sub_log() -> None:
    rows = [("P", 0, 1, None, 9, 0), ("Half", 1, 1, None, None, 0), ("P", 2, None, "x", 3, 0)]
    assert trace_of(policy_of(Truth(True), ("k",)), events_of(rows)).stamps.tolist() == [0, 1]
    assert trace_of(policy_of(Truth(True), ("k", "g")), events_of(rows)).points == 0


def test_points_of_an_explicit_column_need_not_be_in_the_order_of_events() -> None:
    rows = [("P", 0, 1, "x", 9, 2), ("Q", 0, 1, "x", None, 1), ("P", 0, 2, "x", 3, 1), ("Q", 0, 2, "x", None, 0)]
    events, points = with_points(events_of(rows), "batch")
    trace = trace_of(policy_of(Truth(True)), events, points)
    assert [trace.atoms["p"].tolist(), trace.atoms["q"].tolist()] == [[False, True, True], [True, True, False]]
    split = trace_of(policy_of(Truth(True), ("k",)), events, points)
    assert [split.atoms["p"].tolist(), split.starts.tolist()] == [[False, True, False, True], [0, 2, 4]]


KINDS = [
    (AttributeType.FLOAT, pa.array([0.0, -0.0, np.nan, float("nan"), None]), 2),
    (AttributeType.BOOL, pa.array([True, False, True, None, None]), 2),
    (AttributeType.STRING, pa.array(["", "a", "", None, None]).dictionary_encode(), 2),
    (AttributeType.INT, pa.array([2**63 - 1, -(2**63), 2**63 - 1, 0, None]), 3),
    (AttributeType.INT, pa.array([3, 4, 3, 4, 3], pa.int8()), 2),
]


@pytest.mark.parametrize(("kind", "values", "logs"), KINDS, ids=lambda value: str(value)[:8])
def test_values_of_any_type_make_sub_logs(kind: AttributeType, values: pa.Array, logs: int) -> None:
    schema = LogSchema({"P": {"x": Attribute("x", kind)}})
    atoms = {"p": EventAtom("P")}
    policy = PropositionalPolicy("", "", schema, Position(1, 1), Truth(True), Truth(True), atoms, ("x",))
    events = pa.table({"event_type": ["P"] * 5, "ts": [1, 2, 3, 4, 5], "x": values})
    split = split_trace_of(policy, events)
    assert split.values.num_rows == logs
    assert split.trace.points == 5 - values.null_count
    assert len(split.trace.starts) == logs + 1


@pytest.mark.parametrize(
    "stored", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str
)
def test_event_types_in_any_encoding(stored: pa.DataType) -> None:
    events = events_of([("P", 0, 1, "x", 9, 0), ("Tick", 1, None, None, None, 0), ("Q", 2, 1, "y", None, 0)])
    kinds = events["event_type"].combine_chunks()
    encoded = events.set_column(
        0, "event_type", kinds.dictionary_encode() if pa.types.is_dictionary(stored) else kinds.cast(stored)
    )
    policy = policy_of(Truth(True), ("k",))
    assert trace_of(policy, encoded).stamps.tolist() == trace_of(policy, events).stamps.tolist() == [0, 2]
    assert trace_of(policy, encoded).atoms["q"].tolist() == [False, True]
