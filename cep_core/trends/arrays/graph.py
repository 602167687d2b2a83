"""What the kernels read: a template, the vertices of a GRETA graph and its compared edges, as arrays.

GRETA, section 4: a vertex is an event that may bind a state of the template; edges are never stored. Vertices of one
partition are consecutive and in time order. All arrays are contiguous, so that a kernel allocates nothing per vertex.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Bits, Flags, Ints
from cep_core.trends.plan.state_arrays import StateArrays, bits


class Vertices(NamedTuple):
    """Events that may bind a state, m of them, with J additive and M extreme attributes.

    `tick[m]`: vertices of equal tick never follow each other. `states[m]`: bit s says that the event may bind state s.
    `weights[m, J]` >= 0: what an occurrence adds to the j-th total, where it binds a state of `weighted[j]` (bits).
    `codes[m, M]`: what an occurrence offers to the j-th minimum, where it binds a state of `coded[j]` (bits).
    """

    tick: Ints
    states: Bits
    weights: Ints
    weighted: Bits
    codes: Ints
    coded: Bits


class Comparisons(NamedTuple):
    """C edges of the template that carry comparisons, as ranks among the values of a partition.

    The edge c leads from state `source[c]` to `target[c]`. A source vertex i stands at `rank[i, c]` (1.., 0 when its
    value is null); a target vertex i is preceded by those of rank 1..`bound[i, c]`, or of that very rank where
    `equal[c]`. `ranks[p]` is the largest rank in partition p. Where an edge carries more comparisons, its others are
    first_other[c]..first_other[c + 1] - 1: `other_rank[j, o]` must be known and at most `other_bound[i, o]` as well.

    Where `cut[c]`, a target vertex i follows only sources from vertex `since[c, i]` on, which never decreases inside a
    partition: what lies before is cut off by a negated match. `since` is void if no edge is cut.
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
    """Which vertices of a window may begin or end a trend: those before, and those from, a vertex; void: any may.

    A vertex i of state s may begin a trend of window w, which holds the vertices first..last - 1, if
    i < `starts_before[w, s]` and `begun[i, s]` < first, and end one if i >= `ends_from[w, s]` and
    `ended[i, s]` >= last: a negation at the edge of a window forbids the others.
    """

    starts_before: Ints
    ends_from: Ints
    begun: Ints
    ended: Ints

    def take(self, windows: Ints) -> WindowLimits:
        """Those of some windows."""
        if len(self.starts_before) == 0:
            return self
        return self._replace(starts_before=self.starts_before[windows], ends_from=self.ends_from[windows])


class Graph(NamedTuple):
    """All that the kernels read of a GRETA graph."""

    template: StateArrays
    comparisons: Comparisons
    vertices: Vertices
    limits: WindowLimits

    def of_ranges(self, places: Ints) -> Graph:
        """The same graph for the ranges at these places."""
        return self._replace(limits=self.limits.take(places))


def free_graph(template: StateArrays, vertices: Vertices, partitions: int = 1) -> Graph:
    """A graph whose edges compare nothing, and without a negation at the edge of a window."""
    return Graph(template, no_comparisons(len(vertices.tick), partitions), vertices, no_limits())


def no_comparisons(vertices: int, partitions: int) -> Comparisons:
    """Comparisons of a template none of whose edges carries one."""
    nothing = np.zeros(0, dtype=np.int64)
    ranks = np.zeros((vertices, 0), dtype=np.int32)
    none = np.zeros(0, dtype=np.bool_)
    most = np.zeros(partitions, np.int64)
    return Comparisons(nothing, nothing, none, ranks, ranks, most, *no_others(0, vertices), none, no_cuts())


def no_others(edges: int, vertices: int) -> tuple[Ints, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The fields of `Comparisons` for further comparisons where no edge carries any."""
    ranks = np.zeros((vertices, 0), dtype=np.int32)
    return np.zeros(edges + 1, dtype=np.int64), ranks, ranks


def no_cuts() -> Ints:
    """`Comparisons.since` where no edge is cut."""
    return np.zeros((0, 0), dtype=np.int64)


def no_limits() -> WindowLimits:
    """Limits of windows that have no negation at their edges."""
    nothing = np.zeros((0, 0), dtype=np.int64)
    return WindowLimits(nothing, nothing, nothing, nothing)


def states_of(variables: Iterable[str], binds: Mapping[str, Flags], vertices: int) -> Bits:
    """[m] the states (bits), which bind these variables, that each vertex may bind.

    >>> states_of(["A", "B"], {"A": np.array([True, False]), "B": np.array([True, True])}, 2)
    array([3, 2], dtype=uint64)
    """
    words = np.zeros(vertices, dtype=np.uint64)
    for number, name in enumerate(variables):
        words |= np.where(binds[name], np.uint64(bits([number])), np.uint64(0))
    return words
