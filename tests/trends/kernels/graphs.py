"""Random GRETA graphs for the kernels, too long to enumerate, and GRETA's algorithm on them in Python integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cep_core.arrays import NOTHING, Flags, Ints
from cep_core.numbers.limb_words import limbs_of
from cep_core.trends.arrays.graph import Graph, Vertices
from cep_core.trends.arrays.window_vertices import Windows
from cep_core.trends.choice.exact import count_exactly
from cep_core.trends.plan.state_arrays import StateArrays, automaton

SEEDS = range(12)

Edge = tuple[int, int]


def stream(random: np.random.Generator, states: int, n: int) -> Vertices:
    """n vertices at few enough times that some have equal times."""
    all_states = np.uint64((1 << states) - 1)
    return Vertices(
        tick=np.sort(random.integers(-n, n, n)),
        states=random.integers(0, 1 << states, n).astype(np.uint64) & all_states,
        weights=random.integers(0, 9, (n, 2)),
        weighted=random.integers(0, 1 << states, 2).astype(np.uint64),
        codes=random.integers(-9, 9, (n, 2)),
        coded=random.integers(0, 1 << states, 2).astype(np.uint64),
    )


def template(random: np.random.Generator, states: int) -> tuple[StateArrays, list[Edge]]:
    """A random template. Trends start in its first state and end in its last state."""
    edges = [(p, q) for p in range(states) for q in range(states) if random.random() < 0.6]
    return automaton(states, [0], [states - 1], edges), edges


def exactly(graph: Graph, windows: Windows) -> tuple[list[list[int]], Ints]:
    """The exact totals and the minima of each window."""
    minima = np.full((len(windows.first), graph.vertices.codes.shape[1]), NOTHING)
    columns = count_exactly(graph, limbs_of(graph.vertices.weights), windows.ranges, minima)
    return [list(numbers) for numbers in zip(*(column.to_list() for column in columns), strict=True)], minima


def earlier(vertices: Vertices) -> Flags:
    """[later, earlier] Whether time passes between two vertices. An edge without a comparison asks only this."""
    return vertices.tick[np.newaxis, :] < vertices.tick[:, np.newaxis]


def every_edge(
    graph: StateArrays,
    edges: Mapping[Edge, Flags],
    vertices: Vertices,
    first: int,
    last: int,
    may_begin: Callable[[int, int], Any] = lambda vertex, state: True,
    may_end: Callable[[int, int], Any] = lambda vertex, state: True,
) -> tuple[list[int], list[int]]:
    """Totals and minima of one window by GRETA, Algorithm 2: visits every predecessor of every vertex.

    `edges[source, target]`: [later, earlier] whether the later vertex follows the earlier one along this edge.
    """
    states, sums = len(graph.start), vertices.weights.shape[1]
    numbers = np.zeros((last, states, 1 + sums), dtype=object)
    least = np.full((last, states, vertices.codes.shape[1]), NOTHING)
    total, smallest = np.zeros(1 + sums, dtype=object), np.full(vertices.codes.shape[1], NOTHING)
    for i in range(first, last):
        for s in range(states):
            if not int(vertices.states[i]) >> s & 1:
                continue
            numbers[i, s, 0] = int(graph.start[s] and may_begin(i, s))
            for (source, target), follows in edges.items():
                if target != s:
                    continue
                rows = first + np.flatnonzero(follows[i, first:last])
                numbers[i, s] += numbers[rows, source].sum(axis=0)
                least[i, s] = np.minimum(least[i, s], least[rows, source].min(axis=0, initial=NOTHING))
            if numbers[i, s, 0] == 0:
                continue
            for j, states_of in enumerate(vertices.weighted):
                if int(states_of) >> s & 1:
                    numbers[i, s, 1 + j] += numbers[i, s, 0] * int(vertices.weights[i, j])
            for j, states_of in enumerate(vertices.coded):
                if int(states_of) >> s & 1:
                    least[i, s, j] = min(least[i, s, j], vertices.codes[i, j])
            if graph.end[s] and may_end(i, s):
                total += numbers[i, s]
                smallest = np.minimum(smallest, least[i, s])
    return total.tolist(), smallest.tolist()
