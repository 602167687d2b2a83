"""All kernels count alike, on streams too long to enumerate, with ties, many states, and numbers of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cep_core.trends.counting import count_windows
from cep_core.trends.exact import count_exactly
from cep_core.trends.graph import (
    NOTHING,
    Automaton,
    Comparisons,
    Ints,
    Limits,
    Vertices,
    automaton,
    no_comparisons,
    no_cuts,
    no_limits,
    no_others,
)
from cep_core.trends.lanes import count_overlapping_windows
from cep_core.trends.limbs import limbs_of
from cep_core.trends.meeting import meet_windows
from cep_core.trends.ranked import count_compared_windows
from cep_core.trends.uncompared import count_by_panes, count_by_two_states
from cep_core.trends.windows import Windows, list_windows

SEEDS = range(12)


def stream(random: np.random.Generator, states: int, n: int) -> Vertices:
    """n vertices over few enough times that some are tied."""
    some = np.uint64((1 << states) - 1)
    return Vertices(
        tick=np.sort(random.integers(-n, n, n)),
        states=random.integers(0, 1 << states, n).astype(np.uint64) & some,
        weights=random.integers(0, 9, (n, 2)),
        weighted=random.integers(0, 1 << states, 2).astype(np.uint64),
        codes=random.integers(-9, 9, (n, 2)),
        coded=random.integers(0, 1 << states, 2).astype(np.uint64),
    )


def template(random: np.random.Generator, states: int) -> tuple[Automaton, list[tuple[int, int]]]:
    """A random template of which the first state starts and the last ends."""
    edges = [(p, q) for p in range(states) for q in range(states) if random.random() < 0.6]
    return automaton(states, [0], [states - 1], edges), edges


def unlimited(*arguments: Any) -> list[list[int]]:
    """The exact totals of each window."""
    columns = [column.to_list() for column in count_exactly(*arguments)]
    return [list(numbers) for numbers in zip(*columns, strict=True)]


def counted(
    kernel: str, graph: Automaton, vertices: Vertices, windows: Windows, middle: Ints, point: Ints
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Totals, minima and flags of one kernel."""
    totals = np.zeros((len(windows.first), 3), np.int64)
    minima = np.full((len(windows.first), 2), NOTHING)
    flags = np.zeros(len(windows.first), np.bool_)
    nothing = no_comparisons(len(vertices.tick), 1)
    if kernel == "one by one":
        count_windows(graph, nothing, vertices, no_limits(), windows.first, windows.last, totals, minima, flags)
    elif kernel == "meeting":
        meet_windows(graph, vertices, windows.first, middle, windows.last, point, totals, minima, flags)
    elif kernel == "two states":
        count_by_two_states(graph, nothing, vertices, windows.first, windows.last, totals, minima, flags)
    elif kernel == "panes":
        where = np.zeros(len(windows.first), np.int64)
        count_by_panes(graph, vertices, windows.first, windows.last, where, totals, minima, flags)
    else:
        count_some = count_compared_windows if kernel == "ranked" else count_overlapping_windows
        where = np.zeros(len(windows.first), np.int64)
        count_some(graph, nothing, vertices, no_limits(), windows.first, windows.last, where, totals, minima, flags)
    return totals, minima, flags


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", ["one by one", "two states", "panes", "meeting", "ranked", "lanes"])
def test_kernels_agree_with_exact_numbers(kernel: str, seed: int) -> None:
    """Whatever a kernel does not flag equals the unlimited numbers; some windows outgrow a word, some do not."""
    random = np.random.default_rng(seed)
    states = int(random.integers(1, 3 if kernel in ("two states", "panes") else 4))
    vertices = stream(random, states, 150)
    graph, _ = template(random, states)
    size = int(random.integers(1, 120))
    slide = int(random.integers(1, size + 1))
    windows = list_windows(vertices.tick, np.array([0, 150]), size, slide)
    moment = -(-windows.index[windows.opener] * slide // size) * size
    middle = np.searchsorted(vertices.tick, moment)
    totals, minima, flags = counted(kernel, graph, vertices, windows, middle, moment)
    exact_minima = np.full((len(windows.first), 2), NOTHING)
    nothing = no_comparisons(150, 1)
    where = np.zeros(len(windows.first), np.int64)
    limbs = limbs_of(vertices.weights)
    exact = unlimited(graph, nothing, vertices, limbs, no_limits(), windows.first, windows.last, where, exact_minima)
    for w, numbers in enumerate(exact):
        assert flags[w] or totals[w].tolist() == numbers
        assert flags[w] or (minima[w] == exact_minima[w]).all()
        assert max(numbers) < 2**62 or flags[w]


@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_of_two_states_are_those_of_any(seed: int) -> None:
    """Edges that forget what came before a moment: prefix sums in registers against sums formed again."""
    random = np.random.default_rng(seed)
    n = 150
    vertices = stream(random, 2, n)._replace(weights=np.zeros((n, 0), np.int64), codes=np.zeros((n, 0), np.int64))
    tick = vertices.tick
    _, edges = template(random, 2)
    cut = np.array(edges[::2], dtype=np.int64).reshape(-1, 2)
    graph = automaton(2, [0], [1], edges[1::2])
    since = np.maximum.accumulate((np.searchsorted(tick, tick) * random.random((len(cut), n))).astype(np.int64), axis=1)
    ones = np.ones((n, len(cut)), np.int32)
    no, yes = np.zeros(len(cut), np.bool_), np.ones(len(cut), np.bool_)
    ends = (cut[:, 0].copy(), cut[:, 1].copy())
    comparisons = Comparisons(
        *ends, no, ones, ones, np.array([1]), *no_others(len(cut), n), yes, np.searchsorted(tick, tick[since])
    )
    windows = list_windows(tick, np.array([0, n]), 30, 10)
    found = []
    for kernel in ("any", "two"):
        totals, flags = np.zeros((len(windows.first), 1), np.int64), np.zeros(len(windows.first), np.bool_)
        minima = np.zeros((len(windows.first), 0), np.int64)
        given = (windows.first, windows.last, totals, minima, flags)
        if kernel == "any":
            count_windows(graph, comparisons, vertices, no_limits(), *given)
        else:
            count_by_two_states(graph, comparisons, vertices, *given)
        found.append((totals[~flags].tolist(), flags.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("equal", [False, True])
def test_ranked_kernel_is_the_quadratic_one(equal: bool, seed: int) -> None:
    """A Fenwick tree over ranks sums what a scan of all earlier vertices sums (GRETA, Algorithm 2)."""
    random = np.random.default_rng(seed)
    n, states = 60, 2
    vertices = stream(random, states, n)
    graph, edges = template(random, states)
    values = random.integers(0, 12, n)
    distinct = np.unique(values)
    rank = (np.searchsorted(distinct, values) + 1).astype(np.int32)[:, np.newaxis]
    [(source, target)] = edges[:1] or [(0, 1)]
    graph = automaton(states, [0], [1], edges[1:])
    bound = rank if equal else rank - 1
    compared = Comparisons(
        np.array([source]),
        np.array([target]),
        np.array([equal]),
        rank,
        bound,
        np.array([len(distinct)]),
        *no_others(1, n),
        np.array([False]),
        no_cuts(),
    )
    counts = np.zeros((n, states), dtype=object)
    total = 0
    for i in range(n):
        for s in range(states):
            if not int(vertices.states[i]) >> s & 1:
                continue
            counts[i, s] = int(graph.start[s])
            for j in range(i):
                if vertices.tick[j] == vertices.tick[i]:
                    continue
                fits = values[j] == values[i] if equal else values[j] < values[i]
                counts[i, s] += sum(counts[j, p] for p in range(states) if (p, s) in edges[1:])
                counts[i, s] += counts[j, source] if s == target and fits else 0
            total += counts[i, s] if graph.end[s] else 0
    one = (np.array([0]), np.array([n]), np.array([0]))
    [numbers] = unlimited(
        graph, compared, vertices, limbs_of(vertices.weights), no_limits(), *one, np.full((1, 2), NOTHING)
    )
    assert numbers[0] == total
    totals, minima, flags = np.zeros((1, 3), np.int64), np.full((1, 2), NOTHING), np.zeros(1, np.bool_)
    count_compared_windows(graph, compared, vertices, no_limits(), *one, totals, minima, flags)
    assert bool(flags[0]) or totals[0].tolist() == numbers


@pytest.mark.parametrize("seed", SEEDS)
def test_lanes_are_the_windows_one_by_one(seed: int) -> None:
    """Blocks of overlapping windows over two partitions, with comparisons and all aggregates."""
    random = np.random.default_rng(seed)
    n, states = 200, 2
    vertices = stream(random, states, n)
    graph, edges = template(random, states)
    compared = edges[: len(edges) // 2 + 1]
    graph = automaton(states, [0], [1], edges[len(compared) :])
    values = random.integers(0, int(random.choice([3, 30, 300])), (n, len(compared)))
    rank = (values + 1).astype(np.int32)
    equal = random.random(len(compared)) < 0.3
    bound = (rank - ~equal).astype(np.int32)
    ends = np.array(compared, dtype=np.int64).reshape(-1, 2)
    most = np.array([rank.max(initial=1)] * 2, dtype=np.int64)
    comparisons = Comparisons(
        ends[:, 0].copy(),
        ends[:, 1].copy(),
        equal,
        rank,
        bound,
        most,
        *no_others(len(compared), n),
        np.zeros(len(compared), np.bool_),
        no_cuts(),
    )
    ts = np.concatenate([vertices.tick[:120], vertices.tick[:80]])
    vertices = vertices._replace(tick=ts)
    size = int(random.integers(2, 60))
    windows = list_windows(ts, np.array([0, 120, n]), size, int(random.integers(1, size)))
    where = windows.partition[windows.opener]
    found = []
    for kernel in (count_compared_windows, count_overlapping_windows):
        totals = np.zeros((len(windows.first), 3), np.int64)
        minima, flags = np.full((len(windows.first), 2), NOTHING), np.zeros(len(windows.first), np.bool_)
        kernel(graph, comparisons, vertices, no_limits(), windows.first, windows.last, where, totals, minima, flags)
        found.append((totals, minima, flags))
    exact_minima = np.full((len(windows.first), 2), NOTHING)
    limbs = limbs_of(vertices.weights)
    exact = unlimited(
        graph, comparisons, vertices, limbs, no_limits(), windows.first, windows.last, where, exact_minima
    )
    for totals, minima, flags in found:
        for w in np.flatnonzero(~flags):
            assert totals[w].tolist() == exact[w]
            assert (minima[w] == exact_minima[w]).all()
    assert (found[0][2] == found[1][2]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_and_limits_are_the_quadratic_ones(seed: int) -> None:
    """Edges that forget what came before a moment, windows that say who may begin and end: a scan of all pairs."""
    random = np.random.default_rng(seed)
    n, states = 70, 3
    vertices = stream(random, states, n)
    tick = vertices.tick
    _, edges = template(random, states)
    cut = edges[::2]
    graph = automaton(states, [0], [states - 1], edges[1::2])
    values = random.integers(1, int(random.choice([2, 30])), (n, len(cut)))
    equal = random.random(len(cut)) < 0.3
    bound = values - (~equal & (random.random(len(cut)) < 0.7))
    # a vertex follows those from some vertex on that came before it; mostly its successors follow no earlier ones
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
    limits = Limits(random.integers(0, 2 * n, shape), random.integers(-n, n, shape), begun, ended)
    totals, minima, flags = np.zeros((shape[0], 3), np.int64), np.full((shape[0], 2), NOTHING), np.zeros(shape[0], bool)
    where = np.zeros(shape[0], np.int64)
    span = (windows.first, windows.last, where)
    count_overlapping_windows(graph, comparisons, vertices, limits, *span, totals, minima, flags)
    exact_minima = np.full((shape[0], 2), NOTHING)
    exact = unlimited(graph, comparisons, vertices, limbs_of(vertices.weights), limits, *span, exact_minima)
    for w, (first, last) in enumerate(zip(windows.first, windows.last, strict=True)):
        count = np.zeros((n, states), dtype=object)
        least = np.full((n, states, 2), NOTHING)
        total, smallest = 0, np.full(2, NOTHING)
        for i in range(first, last):
            for s in range(states):
                if not int(vertices.states[i]) >> s & 1:
                    continue
                begins = i < limits.starts_before[w, s] and begun[i, s] < first
                count[i, s] = int(graph.start[s] and begins)
                for p, q in edges:
                    c = cut.index((p, q)) if (p, q) in cut else None
                    for j in range(first if c is None else max(first, since[c, i]), before[i] if q == s else 0):
                        free = c is None or values[j, c] == bound[i, c] or (not equal[c] and values[j, c] < bound[i, c])
                        if free and count[j, p]:
                            count[i, s] += count[j, p]
                            least[i, s] = np.minimum(least[i, s], least[j, p])
                if count[i, s]:
                    own = (vertices.coded >> np.uint64(s)) & np.uint64(1) == 1
                    least[i, s] = np.minimum(least[i, s], np.where(own, vertices.codes[i], NOTHING))
                    if graph.end[s] and i >= limits.ends_from[w, s] and ended[i, s] >= last:
                        total += count[i, s]
                        smallest = np.minimum(smallest, least[i, s])
        assert exact[w][0] == total
        assert (exact_minima[w] == smallest).all()
        assert flags[w] or totals[w].tolist() == exact[w]
        assert flags[w] or (minima[w] == smallest).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("several", [2, 3])
def test_several_comparisons_are_the_quadratic_ones(several: int, seed: int) -> None:
    """Divide and conquer, and pairs tile by tile, against a scan of all pairs: ties, unknown values, windows, cuts."""
    random = np.random.default_rng(seed)
    n, states = 260, 2
    vertices = stream(random, states, n)
    tick = vertices.tick
    _, edges = template(random, states)
    compared = edges[: len(edges) // 2 + 1] or [(0, 1)]
    free = [edge for edge in edges if edge not in compared]
    graph = automaton(states, [0], [1], free)
    edges_of = np.array(compared, dtype=np.int64)
    count = len(compared)
    most = int(random.choice([3, 40, 400]))
    rank = random.integers(0, most, (n, count, several)).astype(np.int32)  # 0: unknown
    bound = random.integers(0, most, (n, count, several)).astype(np.int32)
    equal = random.random(count) < 0.3
    cut = random.random(count) < 0.2
    before = np.searchsorted(tick, tick)
    since = np.maximum.accumulate((before * random.random((count, n))).astype(np.int64), axis=1)
    since = np.searchsorted(tick, tick[since]) * cut[:, np.newaxis]
    comparisons = Comparisons(
        edges_of[:, 0].copy(),
        edges_of[:, 1].copy(),
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
    where = np.zeros(len(windows.first), np.int64)
    span = (windows.first, windows.last, where)
    totals, flags = np.zeros((len(where), 3), np.int64), np.zeros(len(where), np.bool_)
    minima, exact_minima = np.full((len(where), 2), NOTHING), np.full((len(where), 2), NOTHING)
    count_overlapping_windows(graph, comparisons, vertices, no_limits(), *span, totals, minima, flags)
    exact = unlimited(graph, comparisons, vertices, limbs_of(vertices.weights), no_limits(), *span, exact_minima)
    fits = np.zeros((count, n, n), np.bool_)  # [edge, later, earlier]
    for c in range(count):
        for d in range(several):
            own, asked = rank[np.newaxis, :, c, d], bound[:, np.newaxis, c, d]
            good = (own == asked) if equal[c] and d == 0 else (own <= asked)
            fits[c] = (good & (own > 0)) & (fits[c] if d else True)
        fits[c] &= (tick[np.newaxis, :] < tick[:, np.newaxis]) & (
            np.arange(n)[np.newaxis, :] >= since[c][:, np.newaxis]
        )
    earlier = tick[np.newaxis, :] < tick[:, np.newaxis]
    for w, (first, last) in enumerate(zip(windows.first, windows.last, strict=True)):
        numbers = np.zeros((n, states, 3), dtype=object)
        least = np.full((n, states, 2), NOTHING)
        final, smallest = np.zeros(3, dtype=object), np.full(2, NOTHING)
        for i in range(first, last):
            for s in range(states):
                if not int(vertices.states[i]) >> s & 1:
                    continue
                numbers[i, s, 0] = int(graph.start[s])
                ways = [(p, earlier[i]) for p, q in free if q == s]
                ways += [(p, fits[c, i]) for c, (p, q) in enumerate(compared) if q == s]
                for p, allowed in ways:
                    rows = first + np.flatnonzero(allowed[first:last])
                    numbers[i, s] += numbers[rows, p].sum(axis=0)
                    live = rows[numbers[rows, p, 0] > 0]
                    least[i, s] = np.minimum(least[i, s], least[live, p].min(axis=0, initial=NOTHING))
                if numbers[i, s, 0] == 0:
                    continue
                for j in range(2):
                    if int(vertices.weighted[j]) >> s & 1:
                        numbers[i, s, 1 + j] += numbers[i, s, 0] * int(vertices.weights[i, j])
                    if int(vertices.coded[j]) >> s & 1:
                        least[i, s, j] = min(least[i, s, j], vertices.codes[i, j])
                if graph.end[s]:
                    final += numbers[i, s]
                    smallest = np.minimum(smallest, least[i, s])
        assert exact[w] == final.tolist()
        assert (exact_minima[w] == smallest).all()
        assert flags[w] or totals[w].tolist() == exact[w]
        assert flags[w] or (minima[w] == smallest).all()
