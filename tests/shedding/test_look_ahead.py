"""Look-ahead: what is left of worth and cost at any moment of a run is what is still to come."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.shedding.arrays.pool import OWN, WORTH
from cep_core.shedding.arrays.rules import RECORD, REPLAY
from cep_core.shedding.arrays.stream import stream_of
from cep_core.shedding.hindsight.clairvoyance import Clairvoyance
from cep_core.shedding.kernels.lifetimes import spent_in_state
from cep_core.shedding.operator_run import OperatorRun
from cep_core.shedding.shedders.look_ahead import GreedyLookAhead
from tests.shedding.drawing import SEEDS, draw_world


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 40), st.integers(0, 40))
def test_look_ahead_knows_what_is_still_to_come(seed, count, stop):
    """In a run that drops nothing, what is left of worth and cost is used up exactly, wherever one looks."""
    world = draw_world(seed, count)
    stream = stream_of(world.patterns, world.ts, world.costs, ordered=world.ordered)
    whole = OperatorRun(stream, 5 * np.arange(count), tracked=RECORD)
    whole.advance(count)
    assert int(whole.account.worth.sum()) == whole.matches
    assert int(whole.spent_by_node().sum()) == int((whole.account.work - stream.fixed_cost).sum())
    known = GreedyLookAhead(Clairvoyance(whole)).knowledge
    begun = OperatorRun(stream, 5 * np.arange(count), tracked=REPLAY)
    begun.advance(min(stop, count), known)
    roots = whole.account.parent[: whole.nodes] < 0
    assert int(known.worth[roots].sum()) == whole.matches
    expected = whole.matches - begun.matches - int(known.worth[unopened(begun, whole)].sum())
    alive = rows_alive(begun)
    assert int(begun.pool.body[alive, WORTH].sum()) == expected
    begun.advance(count, known)
    pool = begun.pool
    assert all(pool.body[r, WORTH] == 0 for r in rows_alive(begun))
    for q in range(len(stream.start)):
        for g in range(stream.segment[q], stream.segment[q + 1]):
            for r in range(pool.begin[g], pool.begin[g] + pool.length[g]):
                assert pool.body[r, OWN] == spent_in_state(stream, pool, q, g, r)


def rows_alive(run: OperatorRun) -> list[int]:
    pool = run.pool
    return [r for begin, length in zip(pool.begin, pool.length, strict=True) for r in range(begin, begin + length)]


def unopened(begun: OperatorRun, whole: OperatorRun) -> np.ndarray:
    """The nodes of windows that open after the events processed so far."""
    first = whole.stream.window_first
    later = [w for q in range(len(first)) for w in range(first[q, begun.at], first[q, -1])]
    return whole.account.root[np.array(later, np.int64)]
