"""Compact rows, joined from pieces, against sets of Python; answers in and out of order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.arrays import are_in_order, differ
from cep_core.matching.arrays.paths import LARGEST, Paths
from cep_core.matching.kernels import match_nodes
from cep_core.matching.result import last_events
from cep_core.matching.result.compact_rows import CompactRows
from tests.matching.test_slices import WORLDS, compiled
from tests.matching.worlds.world import World

nodes = st.frozensets(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=4).map(sorted)
pieces = st.lists(st.tuples(st.integers(0, 4), nodes, st.integers(-3, 3)), max_size=8)
ENDS = st.sampled_from([-(1 << 63), -1, 0, (1 << 63) - 1])


def paths_of(pieces: list[tuple[int, list[tuple[int, int]], int]]) -> Paths:
    rows, states = (np.array([node[k] for _, own, _ in pieces for node in own], np.int64) for k in (0, 1))
    offsets = np.cumsum([0, *(len(own) for _, own, _ in pieces)])
    return Paths(rows, states, offsets, np.array([job for job, _, _ in pieces], np.int64))


@given(pieces, st.booleans(), st.integers(0, 1 << 28))
def test_pieces_of_a_row_become_one(
    pieces: list[tuple[int, list[tuple[int, int]], int]], in_order: bool, first_row: int
) -> None:
    """With each event once for each variable, and the first moment of any piece."""
    given_pieces = sorted(pieces, key=lambda piece: piece[0]) if in_order else pieces
    moved = [(job, [(row + first_row, state) for row, state in own], at) for job, own, at in given_pieces]
    joined = CompactRows.of(paths_of(moved), np.array([at for *_, at in moved], np.int64))
    jobs = sorted({job for job, _, _ in moved})
    assert joined.paths.jobs.tolist() == jobs
    bounds = joined.paths.offsets.tolist()
    for place, job in enumerate(jobs):
        own = slice(bounds[place], bounds[place + 1])
        events = list(zip(joined.paths.rows[own].tolist(), joined.paths.states[own].tolist(), strict=True))
        assert events == sorted({node for other, nodes, _ in moved if other == job for node in nodes})
        assert joined.certain[place] == min(at for other, _, at in moved if other == job)


@given(st.lists(st.tuples(ENDS, ENDS), max_size=6))
def test_order_of_tuples(pairs: list[tuple[int, int]]) -> None:
    keys = np.array(pairs, np.int64).reshape(-1, 2).T
    assert are_in_order(*keys) == (pairs == sorted(pairs))
    assert differ(*keys).tolist() == [k == 0 or pairs[k] != pairs[k - 1] for k in range(len(pairs))]


@settings(deadline=None)
@given(WORLDS, st.integers(1, 4))
def test_rows_do_not_depend_on_pieces(world: World, piece: int) -> None:
    """Nodes come in pieces, so that memory is that of a piece; no piece holds part of a row, whatever fits it."""
    evaluator, events = compiled(world, collapsed=True)
    at_once = list(evaluator.evaluate(events))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(last_events, "LARGEST", LARGEST._replace(nodes=piece))
        patch.setattr(match_nodes, "TIMES", 1)
        in_pieces = list(evaluator.evaluate(events))
    assert pa.Table.from_batches(in_pieces).equals(pa.Table.from_batches(at_once))
    assert evaluator.merge(in_pieces, None).equals(evaluator.merge(at_once, None), check_metadata=True)
