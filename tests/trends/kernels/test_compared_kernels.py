"""Kernels for edges with comparisons count the same as a scan of all pairs: window by window, and side by side."""

from __future__ import annotations

import numpy as np
import pytest

from cep_core.arrays import Flags
from cep_core.trends.arrays.graph import Comparisons, Graph, Vertices, WindowLimits, no_cuts, no_limits, no_others
from cep_core.trends.arrays.ranges import no_numbers
from cep_core.trends.arrays.window_vertices import Windows, list_windows
from cep_core.trends.kernels.ranked import count_compared_windows
from cep_core.trends.kernels.ring import count_overlapping_windows
from cep_core.trends.plan.state_arrays import automaton
from tests.trends.kernels.graphs import SEEDS, Edge, earlier, every_edge, exactly, stream, template


def fitting(vertices: Vertices, comparisons: Comparisons) -> dict[Edge, Flags]:
    """For each compared edge: [later, earlier] whether the later vertex follows the earlier one."""
    n = len(vertices.tick)
    by_edge = {}
    for c in range(len(comparisons.source)):
        ranks, bounds = comparisons.rank[:, c][np.newaxis, :], comparisons.bound[:, c][:, np.newaxis]
        fits = (ranks == bounds) if comparisons.equal[c] else (ranks <= bounds)
        fits = fits & (ranks > 0) & earlier(vertices)
        for o in range(comparisons.first_other[c], comparisons.first_other[c + 1]):
            ranks = comparisons.other_rank[:, o][np.newaxis, :]
            fits &= (ranks > 0) & (ranks <= comparisons.other_bound[:, o][:, np.newaxis])
        if comparisons.cut[c]:
            fits &= np.arange(n)[np.newaxis, :] >= comparisons.since[c][:, np.newaxis]
        by_edge[int(comparisons.source[c]), int(comparisons.target[c])] = fits
    return by_edge


def in_a_ring(graph: Graph, windows: Windows) -> tuple[list[list[int]], list[list[int]], list[bool]]:
    """The totals, minima and flags of `ring`."""
    numbers = no_numbers(graph.vertices, len(windows.first))
    count_overlapping_windows(graph, windows.ranges, numbers)
    return numbers.totals.tolist(), numbers.minima.tolist(), numbers.overflowed.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_lanes_are_the_windows_one_by_one(seed: int) -> None:
    """Blocks of overlapping windows in two partitions, with comparisons and all aggregates; dense or sparse ranks."""
    random = np.random.default_rng(seed)
    n, states = 200, 2
    vertices = stream(random, states, n)
    _, edges = template(random, states)
    compared = edges[: len(edges) // 2 + 1]
    free = edges[len(compared) :]
    graph = automaton(states, [0], [1], free)
    values = random.integers(0, int(random.choice([3, 30, 300, 10**6])), (n, len(compared)))
    rank = np.where(random.random(values.shape) < 0.05, 0, values + 1).astype(np.int32)  # 0: null
    equal = random.random(len(compared)) < 0.3
    bound = (values + 1 - ~equal).astype(np.int32)
    ends = np.array(compared, dtype=np.int64).reshape(-1, 2)
    most = np.array([rank.max(initial=1)] * 2, dtype=np.int64)
    uncut = np.zeros(len(compared), np.bool_)
    unlimited = no_others(len(compared), n)
    comparisons = Comparisons(
        ends[:, 0].copy(), ends[:, 1].copy(), equal, rank, bound, most, *unlimited, uncut, no_cuts()
    )
    vertices = vertices._replace(tick=np.concatenate([vertices.tick[:120], vertices.tick[:80]]))
    size = int(random.integers(2, 60))
    windows = list_windows(vertices.tick, np.array([0, 120, n]), size, int(random.integers(1, size)))
    compared_graph = Graph(graph, comparisons, vertices, no_limits())
    numbers = no_numbers(vertices, len(windows.first))
    totals, minima, flags = numbers
    count_compared_windows(compared_graph, windows.ranges, numbers)
    exact, exact_minima = exactly(compared_graph, windows)
    ringed, ringed_minima, ringed_flags = in_a_ring(compared_graph, windows)
    follows = {**dict.fromkeys(free, earlier(vertices)), **fitting(vertices, comparisons)}
    for w, (first, last) in enumerate(zip(windows.first, windows.last, strict=True)):
        assert (exact[w], exact_minima[w].tolist()) == every_edge(graph, follows, vertices, first, last)
        assert flags[w] or (totals[w].tolist(), minima[w].tolist()) == (exact[w], exact_minima[w].tolist())
        assert ringed_flags[w] or (ringed[w], ringed_minima[w]) == (exact[w], exact_minima[w].tolist())
        assert max(exact[w]) < 2**62 or (flags[w] and ringed_flags[w])
        assert max(exact[w]) > 2**50 or not ringed_flags[w]


def rising(random: np.random.Generator, n: int, values: int) -> tuple[Comparisons, Vertices]:
    """A+ with rising values, drawn from `values` different ones; about a seventh are null."""
    vertices = stream(random, 1, n)._replace(states=np.ones(n, np.uint64), weighted=np.ones(2, np.uint64))
    rank = random.integers(1, values + 1, (n, 1)).astype(np.int32) * (random.random((n, 1)) < 0.85).astype(np.int32)
    state, never = np.array([0]), np.array([False])
    bound = np.maximum(rank - 1, 0).astype(np.int32)
    return Comparisons(
        state, state, never, rank, bound, np.array([values]), *no_others(1, n), never, no_cuts()
    ), vertices


@pytest.mark.parametrize("seed", SEEDS)
def test_windows_take_the_lanes_of_others_again_and_again(seed: int) -> None:
    """More windows than lanes, with gaps between some. Bursts exceed words, in lanes that later windows reuse."""
    random = np.random.default_rng(seed)
    n = 700
    comparisons, vertices = rising(random, n, int(random.choice([2, 5, 40])))
    calm = random.integers(0, 12_000, n - 300)
    bursts = [random.integers(begin, begin + 60, 150) for begin in (3_000, 7_500)]
    tick = np.sort(np.concatenate([calm, *bursts]))
    tick = np.where(tick > 5_000, tick + 2_000 * (seed % 2), tick)
    vertices = vertices._replace(tick=tick)
    size = int(random.integers(2, 9)) * 50
    windows = list_windows(tick, np.array([0, n]), size, max(1, size // int(random.integers(2, 50))))
    graph = Graph(automaton(1, [0], [0], []), comparisons, vertices, no_limits())
    exact, exact_minima = exactly(graph, windows)
    totals, minima, flags = in_a_ring(graph, windows)
    assert not all(flags)
    for w, numbers in enumerate(exact):
        assert flags[w] == (max(numbers) >= 2**60)
        assert flags[w] or (totals[w], minima[w]) == (numbers, exact_minima[w].tolist())


@pytest.mark.parametrize("overlap", [1, 7, 90, 300, 700])
def test_more_windows_over_a_vertex_than_a_ring_has_lanes(overlap: int) -> None:
    """Every second or third window has its own walk. Each window begins one vertex after the one before."""
    random = np.random.default_rng(overlap)
    n = 900
    comparisons, vertices = rising(random, n, 4)
    vertices = vertices._replace(tick=np.arange(n) // 2, weights=vertices.weights % 2)
    windows = list_windows(np.arange(n), np.array([0, n // 3, n]), overlap, 1)
    graph = Graph(automaton(1, [0], [0], []), comparisons, vertices, no_limits())
    exact, exact_minima = exactly(graph, windows)
    totals, minima, flags = in_a_ring(graph, windows)
    assert not any(flags)
    assert (totals, minima) == (exact, exact_minima.tolist())


@pytest.mark.parametrize("weight", [2**20, 2**31, 2**59, 2**61])
def test_products_beyond_a_word_are_flagged(weight: int) -> None:
    """In some windows a sum exceeds a word, because of its weights and not because of the number of trends."""
    random = np.random.default_rng(1)
    n = 300
    comparisons, vertices = rising(random, n, 30)
    heavy = np.where(np.arange(n) // 50 % 2 == 0, 1, weight)[:, np.newaxis]
    vertices = vertices._replace(tick=np.arange(n), weights=np.concatenate([heavy, heavy * 0], axis=1))
    windows = list_windows(np.arange(n), np.array([0, n]), 12, 3)
    graph = Graph(automaton(1, [0], [0], []), comparisons, vertices, no_limits())
    exact, exact_minima = exactly(graph, windows)
    totals, minima, flags = in_a_ring(graph, windows)
    assert any(flags) == (weight > 2**31)
    assert not all(flags)
    for w, numbers in enumerate(exact):
        assert flags[w] or (totals[w], minima[w]) == (numbers, exact_minima[w].tolist())
        assert max(numbers) < 2**62 or flags[w]


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_windows_that_outgrow_words_beside_some_that_do_not(seed: int) -> None:
    """A burst in the middle of a log: in one block, some windows need many limbs and some need one."""
    random = np.random.default_rng(seed)
    n = 700
    tick = np.sort(np.concatenate([random.integers(0, 10_000, 100), random.integers(4_500, 5_500, n - 100)]))
    vertices = stream(random, 1, n)._replace(tick=tick, states=np.ones(n, np.uint64))
    rank = random.integers(1, 6, (n, 1)).astype(np.int32)
    state, never = np.array([0]), np.array([False])
    comparisons = Comparisons(state, state, never, rank, rank, np.array([5]), *no_others(1, n), never, no_cuts())
    windows = list_windows(tick, np.array([0, n]), 1000, 100)
    graph = Graph(automaton(1, [0], [0], []), comparisons, vertices, no_limits())
    exact, minima = exactly(graph, windows)
    follows = fitting(vertices, comparisons)
    for w, (first, last) in enumerate(zip(windows.first, windows.last, strict=True)):
        assert (exact[w], minima[w].tolist()) == every_edge(graph.template, follows, vertices, first, last)
    sizes = [max(numbers).bit_length() for numbers in exact]
    assert min(sizes) < 40
    assert max(sizes) > 100


@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_and_limits(seed: int) -> None:
    """Edges that are cut at a moment, and windows that limit which vertices may begin and end trends."""
    random = np.random.default_rng(seed)
    n, states = 70, 3
    vertices = stream(random, states, n)
    tick = vertices.tick
    _, edges = template(random, states)
    cut, free = edges[::2], edges[1::2]
    graph = automaton(states, [0], [states - 1], free)
    values = random.integers(1, int(random.choice([2, 30])), (n, len(cut)))
    equal = random.random(len(cut)) < 0.3
    bound = values - (~equal & (random.random(len(cut)) < 0.7))
    # a vertex follows the vertices since an earlier vertex; for most seeds that start never moves back
    before = np.searchsorted(tick, tick)
    since = (before * random.random((len(cut), n))).astype(np.int64)
    since = np.maximum.accumulate(since, axis=1) if seed % 3 else since
    since = np.searchsorted(tick, tick[since]) * (random.random((len(cut), 1)) < 0.8)
    ends = np.array(cut, dtype=np.int64).reshape(-1, 2)
    comparisons = Comparisons(
        ends[:, 0].copy(),
        ends[:, 1].copy(),
        equal,
        values.astype(np.int32),
        bound.astype(np.int32),
        np.array([values.max(initial=1)]),
        *no_others(len(cut), n),
        np.ones(len(cut), np.bool_),
        since,
    )
    size = int(random.integers(2, 90))
    windows = list_windows(tick, np.array([0, n]), size, int(random.integers(1, size)))
    shape = (len(windows.first), states)
    begun, ended = random.integers(-n, n, (n, states)), random.integers(0, 4 * n, (n, states))
    limits = WindowLimits(random.integers(0, 2 * n, shape), random.integers(-n, n, shape), begun, ended)
    exact, minima = exactly(Graph(graph, comparisons, vertices, limits), windows)
    follows = {**dict.fromkeys(free, earlier(vertices)), **fitting(vertices, comparisons)}
    for w, (first, last) in enumerate(zip(windows.first, windows.last, strict=True)):
        assert (exact[w], minima[w].tolist()) == every_edge(
            graph,
            follows,
            vertices,
            first,
            last,
            lambda i, s, w=w, first=first: i < limits.starts_before[w, s] and begun[i, s] < first,
            lambda i, s, w=w, last=last: i >= limits.ends_from[w, s] and ended[i, s] >= last,
        )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("several", [2, 3])
def test_several_comparisons(several: int, seed: int) -> None:
    """Divide and conquer, and pairs tile by tile, with ties, nulls, windows and cuts."""
    random = np.random.default_rng(seed)
    n, states = 260, 2
    vertices = stream(random, states, n)
    tick = vertices.tick
    _, edges = template(random, states)
    compared = edges[: len(edges) // 2 + 1] or [(0, 1)]
    free = [edge for edge in edges if edge not in compared]
    graph = automaton(states, [0], [1], free)
    ends = np.array(compared, dtype=np.int64)
    count = len(compared)
    most = int(random.choice([3, 40, 400]))
    rank = random.integers(0, most, (n, count, several)).astype(np.int32)  # 0: null
    bound = random.integers(0, most, (n, count, several)).astype(np.int32)
    equal = random.random(count) < 0.3
    cut = random.random(count) < 0.2
    before = np.searchsorted(tick, tick)
    since = np.maximum.accumulate((before * random.random((count, n))).astype(np.int64), axis=1)
    since = np.searchsorted(tick, tick[since]) * cut[:, np.newaxis]
    comparisons = Comparisons(
        ends[:, 0].copy(),
        ends[:, 1].copy(),
        equal,
        np.ascontiguousarray(rank[:, :, 0]),
        np.ascontiguousarray(bound[:, :, 0]),
        np.array([most]),
        np.arange(count + 1) * (several - 1),
        np.ascontiguousarray(rank[:, :, 1:].reshape(n, -1)),
        np.ascontiguousarray(bound[:, :, 1:].reshape(n, -1)),
        cut,
        since if cut.any() else no_cuts(),
    )
    size = int(random.choice([60, 600]))
    windows = list_windows(tick, np.array([0, n]), size, size // int(random.integers(1, 4)))
    exact, minima = exactly(Graph(graph, comparisons, vertices, no_limits()), windows)
    follows = {**dict.fromkeys(free, earlier(vertices)), **fitting(vertices, comparisons)}
    for w, (first, last) in enumerate(zip(windows.first, windows.last, strict=True)):
        assert (exact[w], minima[w].tolist()) == every_edge(graph, follows, vertices, first, last)
