"""The input of the kernels as arrays: a template, the vertices of a GRETA graph, and its edges with comparisons.

GRETA, section 4: a vertex is an event that may bind a state of the template. Edges are never stored. Vertices of one
partition are consecutive and in time order. All arrays are contiguous, so a kernel allocates no memory per vertex.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Bits, Flags, Ints
from cep_core.candidates.roles import Roles
from cep_core.trends.plan.state_arrays import StateArrays


class Vertices(NamedTuple):
    """The m events that may bind a state, with J additive and M extreme attributes.

    `tick[m]`: vertices of equal tick never follow each other. `states[m]`: bit s is set if the event may bind state s.
    `weights[m, J]` >= 0: an occurrence adds this to the j-th total if it binds a state in `weighted[j]` (bits).
    `codes[m, M]`: the j-th minimum takes this into account if the occurrence binds a state in `coded[j]` (bits).
    """

    tick: Ints
    states: Bits
    weights: Ints
    weighted: Bits
    codes: Ints
    coded: Bits


class Comparisons(NamedTuple):
    """C edges of the template that carry comparisons, as ranks among the values of a partition.

    Edge c leads from state `source[c]` to `target[c]`. A source vertex i has `rank[i, c]` (1.., or 0 if its value is
    null). A target vertex i follows sources of rank 1..`bound[i, c]`; if `equal[c]`, only sources whose rank equals the
    bound. `ranks[p]` is the largest rank in partition p. If an edge has more comparisons, the others are
    first_other[c]..first_other[c + 1] - 1: `other_rank[j, o]` must be above 0 and at most `other_bound[i, o]`.

    If `cut[c]`, a target vertex i follows only sources from vertex `since[c, i]` on; a negated match cuts off the
    earlier ones. `since` never decreases inside a partition. It is void if no edge is cut.
    """

    source: Ints
    target: Ints
    equal: Flags
    rank: npt.NDArray[np.int32]
    bound: npt.NDArray[np.int32]
    ranks: Ints
    first_other: Ints
    other_rank: npt.NDArray[np.int32]
    other_bound: npt.NDArray[np.int32]
    cut: Flags
    since: Ints


class WindowLimits(NamedTuple):
    """The vertices that may begin or end a trend of a window. Void arrays: every vertex may.

    Window w holds the vertices first..last - 1. Vertex i in state s may begin a trend of w if i < `starts_before[w, s]`
    and `begun[i, s]` < first. It may end a trend if i >= `ends_from[w, s]` and `ended[i, s]` >= last. A negation at the
    edge of the window forbids the others.
    """

    starts_before: Ints
    ends_from: Ints
    begun: Ints
    ended: Ints

    def take(self, windows: Ints | slice) -> WindowLimits:
        """The limits of the given windows."""
        if len(self.starts_before) == 0:
            return self
        return self._replace(starts_before=self.starts_before[windows], ends_from=self.ends_from[windows])


class Graph(NamedTuple):
    """A GRETA graph, as the kernels read it."""

    template: StateArrays
    comparisons: Comparisons
    vertices: Vertices
    limits: WindowLimits

    def of_ranges(self, places: Ints | slice) -> Graph:
        """The same graph for the ranges at these places."""
        return self._replace(limits=self.limits.take(places))


def free_graph(template: StateArrays, vertices: Vertices, partitions: int = 1) -> Graph:
    """A graph whose edges compare nothing, without negations at the edges of windows."""
    return Graph(template, no_comparisons(len(vertices.tick), partitions), vertices, no_limits())


def no_comparisons(vertices: int, partitions: int) -> Comparisons:
    """The comparisons of a template whose edges compare nothing."""
    no_edges = np.zeros(0, dtype=np.int64)
    ranks = np.zeros((vertices, 0), dtype=np.int32)
    no_flags = np.zeros(0, dtype=np.bool_)
    no_ranks = np.zeros(partitions, np.int64)
    return Comparisons(
        no_edges, no_edges, no_flags, ranks, ranks, no_ranks, *no_others(0, vertices), no_flags, no_cuts()
    )


def no_others(edges: int, vertices: int) -> tuple[Ints, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The fields of `Comparisons` for further comparisons, if no edge has any."""
    ranks = np.zeros((vertices, 0), dtype=np.int32)
    return np.zeros(edges + 1, dtype=np.int64), ranks, ranks


def no_cuts() -> Ints:
    """`Comparisons.since`, if no edge is cut."""
    return np.zeros((0, 0), dtype=np.int64)


def no_limits() -> WindowLimits:
    """Limits of windows that have no negation at their edges."""
    nothing = np.zeros((0, 0), dtype=np.int64)
    return WindowLimits(nothing, nothing, nothing, nothing)


def states_of(variables: Iterable[str], binds: Mapping[str, Flags], vertices: int) -> Bits:
    """[m] The states that each vertex may bind, as bits. State s binds the s-th variable.

    >>> states_of(["A", "B"], {"A": np.array([True, False]), "B": np.array([True, True])}, 2)
    array([3, 2], dtype=uint64)
    """
    if isinstance(binds, Roles):
        return binds.states(variables)
    words = np.zeros(vertices, dtype=np.uint64)
    names = list(variables)
    for first in range(0, len(names), 8):  # eight states at a time, in bytes
        byte = np.zeros(vertices, dtype=np.uint8)
        for number, name in enumerate(names[first : first + 8]):
            byte |= binds[name].view(np.uint8) << np.uint8(number)
        words |= byte.astype(np.uint64) << np.uint64(first)
    return words
