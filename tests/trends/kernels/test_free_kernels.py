"""The kernels for edges without a comparison count alike: ties, many states, and numbers of any size."""

from __future__ import annotations

import numpy as np
import pytest

from cep_core.arrays import NOTHING, Ints
from cep_core.trends.arrays.graph import Comparisons, Vertices, no_comparisons, no_limits, no_others
from cep_core.trends.arrays.window_vertices import Windows, list_windows
from cep_core.trends.choice.uncompared import count_by_panes, count_by_two_states
from cep_core.trends.kernels.meeting_points import meet_windows
from cep_core.trends.kernels.ranked import count_compared_windows
from cep_core.trends.kernels.window_sums import count_windows
from cep_core.trends.plan.state_arrays import Automaton, automaton
from tests.trends.kernels.graphs import SEEDS, earlier, every_edge, exactly, stream, template


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
    else:
        where = np.zeros(len(windows.first), np.int64)
        if kernel == "panes":
            count_by_panes(graph, vertices, windows.first, windows.last, where, totals, minima, flags)
        else:
            span = (windows.first, windows.last, where)
            count_compared_windows(graph, nothing, vertices, no_limits(), *span, totals, minima, flags)
    return totals, minima, flags


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", ["one by one", "two states", "panes", "meeting", "ranked"])
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
    exact, exact_minima = exactly(graph, no_comparisons(150, 1), vertices, no_limits(), windows)
    for w, numbers in enumerate(exact):
        assert flags[w] or totals[w].tolist() == numbers
        assert flags[w] or (minima[w] == exact_minima[w]).all()
        assert max(numbers) < 2**62 or flags[w]


@pytest.mark.parametrize("seed", SEEDS[:4])
@pytest.mark.parametrize("largest", [1, 2**20, 2**31, 2**40, 2**61])
def test_exact_numbers_are_those_of_python(largest: int, seed: int) -> None:
    """Numbers of one to many limbs, weights of one limb or two, one window or many that overlap."""
    random = np.random.default_rng(seed)
    n, states = int(random.choice([30, 130])), int(random.integers(1, 4))
    vertices = stream(random, states, n)._replace(weights=random.integers(0, largest, (n, 2), endpoint=True))
    graph, edges = template(random, states)
    size = int(random.choice([20, 150, 500]))
    windows = list_windows(vertices.tick, np.array([0, n]), size, max(1, size // int(random.choice([1, 3, 40]))))
    exact, minima = exactly(graph, no_comparisons(n, 1), vertices, no_limits(), windows)
    follows = dict.fromkeys(edges, earlier(vertices))
    for w in range(0, len(exact), 1 + len(exact) // 6):
        expected = every_edge(graph, follows, vertices, windows.first[w], windows.last[w])
        assert (exact[w], minima[w].tolist()) == expected


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
