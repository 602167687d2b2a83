"""The kernels for edges without comparisons agree: ties, many states, and numbers of any size."""

from __future__ import annotations

import numpy as np
import pytest

from cep_core.trends.arrays.graph import Comparisons, Graph, free_graph, no_limits, no_others
from cep_core.trends.arrays.ranges import Numbers, no_numbers
from cep_core.trends.arrays.window_vertices import Windows, list_windows
from cep_core.trends.choice.uncompared import count_by_panes, count_by_two_states
from cep_core.trends.kernels.meeting_points import MeetingPoints, meet_windows
from cep_core.trends.kernels.ranked import count_compared_windows
from cep_core.trends.kernels.window_sums import count_windows
from cep_core.trends.plan.state_arrays import automaton
from tests.trends.kernels.graphs import SEEDS, earlier, every_edge, exactly, stream, template


def counted(kernel: str, graph: Graph, windows: Windows, points: MeetingPoints) -> Numbers:
    """The numbers that one kernel counts."""
    numbers = no_numbers(graph.vertices, len(windows.first))
    if kernel == "one by one":
        count_windows(graph, windows.ranges, numbers)
    elif kernel == "meeting":
        meet_windows(graph, windows.ranges, points, numbers)
    elif kernel == "two states":
        count_by_two_states(graph, windows.ranges, numbers)
    elif kernel == "panes":
        count_by_panes(graph, windows.ranges, numbers)
    else:
        count_compared_windows(graph, windows.ranges, numbers)
    return numbers


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", ["one by one", "two states", "panes", "meeting", "ranked"])
def test_kernels_agree_with_exact_numbers(kernel: str, seed: int) -> None:
    """Windows that a kernel does not flag equal the unlimited numbers. Some windows exceed a word, some do not."""
    random = np.random.default_rng(seed)
    states = int(random.integers(1, 3 if kernel in ("two states", "panes") else 4))
    vertices = stream(random, states, 150)
    graph, _ = template(random, states)
    size = int(random.integers(1, 120))
    slide = int(random.integers(1, size + 1))
    windows = list_windows(vertices.tick, np.array([0, 150]), size, slide)
    moment = -(-windows.index[windows.opener] * slide // size) * size
    middle = np.searchsorted(vertices.tick, moment)
    free = free_graph(graph, vertices)
    totals, minima, flags = counted(kernel, free, windows, MeetingPoints(middle, moment))
    exact, exact_minima = exactly(free, windows)
    for w, numbers in enumerate(exact):
        assert flags[w] or totals[w].tolist() == numbers
        assert flags[w] or (minima[w] == exact_minima[w]).all()
        assert max(numbers) < 2**62 or flags[w]


@pytest.mark.parametrize("seed", SEEDS[:4])
@pytest.mark.parametrize("largest", [1, 2**20, 2**31, 2**40, 2**61])
def test_exact_numbers_are_those_of_python(largest: int, seed: int) -> None:
    """Numbers with one or many limbs, weights with one or two limbs, one window or many overlapping windows."""
    random = np.random.default_rng(seed)
    n, states = int(random.choice([30, 130])), int(random.integers(1, 4))
    vertices = stream(random, states, n)._replace(weights=random.integers(0, largest, (n, 2), endpoint=True))
    graph, edges = template(random, states)
    size = int(random.choice([20, 150, 500]))
    windows = list_windows(vertices.tick, np.array([0, n]), size, max(1, size // int(random.choice([1, 3, 40]))))
    exact, minima = exactly(free_graph(graph, vertices), windows)
    follows = dict.fromkeys(edges, earlier(vertices))
    for w in range(0, len(exact), 1 + len(exact) // 6):
        expected = every_edge(graph, follows, vertices, windows.first[w], windows.last[w])
        assert (exact[w], minima[w].tolist()) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_of_two_states_are_those_of_any(seed: int) -> None:
    """Edges that are cut at a moment: prefix sums in registers give the same as sums computed again."""
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
    cut_graph = Graph(graph, comparisons, vertices, no_limits())
    results = []
    for kernel in (count_windows, count_by_two_states):
        numbers = no_numbers(vertices, len(windows.first))
        kernel(cut_graph, windows.ranges, numbers)
        results.append((numbers.totals[~numbers.overflowed].tolist(), numbers.overflowed.tolist()))
    assert results[0] == results[1]
