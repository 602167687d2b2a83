"""The cuts of negated matches, as arrays that the kernels read (GRETA, section 5.2).

An event may follow only the vertices from `Comparisons.since` on. Where an earlier event can excuse a negation, the
later event must also come by a moment that the earlier event sets: this is a comparison like any other. At the edges of
a window some events may not begin a trend, or may not end one (`WindowLimits`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.arrays import Bits, Ints
from cep_core.trends.arrays.cut_moments import Negated, passing, passing_from
from cep_core.trends.arrays.graph import Comparisons, WindowLimits, no_limits
from cep_core.trends.arrays.line import Line
from cep_core.trends.arrays.negated_walk import NEVER, since_last
from cep_core.trends.arrays.ranks import Compared
from cep_core.trends.arrays.window_vertices import LATEST, Windows
from cep_core.trends.plan.guards import Guarded


class Cuts:
    """The cuts of all negations of a query on the line of its candidates."""

    def __init__(self, guarded: Guarded, line: Line) -> None:
        self._guarded = guarded
        self._line = line
        self._negated = [Negated(negated, line) for negated in guarded.forbidden]

    def since(self, edge: tuple[int, int]) -> Ints:
        """[m] The first vertex that each vertex may follow along a guarded edge of the diagram."""
        line, ways = self._line, self._guarded.between[edge]
        if len(ways) == 1:
            (way,) = ways
            alone = [self._negated[k].alone for k in way]
            flags = [own for own in alone if own is not None]
            if flags and len(flags) == len(alone):
                return since_last(np.logical_or.reduce(flags), line.tick, line.offsets)
        starts = line.tick_start, line.first
        lowers = [passing_from(way, self._negated, line, *starts) for way in sorted(ways, key=sorted)]
        return lowers[0] if len(lowers) == 1 else np.minimum.reduce(lowers)

    def comparison(self, edge: tuple[int, int]) -> Compared:
        """The extra comparison on an edge whose negation an earlier event can excuse."""
        line = self._line
        (way,) = self._guarded.between[edge]
        upper = passing(way, self._negated, line, line.tick_start, line.first)[1]
        return ">=", pa.array(upper), pa.array(line.tick_start)

    def limits(self, windows: Windows) -> WindowLimits:
        """The vertices that may begin or end a trend, for each range of windows."""
        before, after = self._guarded.before, self._guarded.after
        if not before and not after:
            return no_limits()
        line, states = self._line, len(self._guarded.diagram.variables)
        ranges, vertices = (len(windows.first), states), (len(line.tick), states)
        limits = WindowLimits(
            starts_before=np.full(ranges, LATEST, dtype=np.int64),
            ends_from=np.zeros(ranges, dtype=np.int64),
            begun=np.full(vertices, NEVER, dtype=np.int64),
            ended=np.full(vertices, LATEST, dtype=np.int64),
        )
        last = np.repeat(line.offsets[1:], np.diff(line.offsets))
        for state, ways in before.items():
            begun, starts = [], []
            for way in ways:
                forward = [self._negated[k] for k in sorted(way) if self._negated[k].forward]
                backward = [self._negated[k] for k in sorted(way) if not self._negated[k].forward]
                none = np.full(len(line.tick), NEVER, dtype=np.int64)
                begun.append(
                    np.maximum.reduce([none, *(negated.begun(line.tick_start, line.first) for negated in forward)])
                )
                ends = [negated.ended(windows.first, windows.last) for negated in backward]
                starts.append(np.minimum.reduce([limits.starts_before[:, state], *map(self._after_tick, ends)]))
            limits.begun[:, state] = np.minimum.reduce(begun)
            limits.starts_before[:, state] = np.maximum.reduce(starts)
        for state, ways in after.items():
            ended, first_ends = [], []
            for way in ways:
                forward = [self._negated[k] for k in sorted(way) if self._negated[k].forward]
                backward = [self._negated[k] for k in sorted(way) if not self._negated[k].forward]
                never = np.full(len(line.tick), LATEST, dtype=np.int64)
                ended.append(np.minimum.reduce([never, *(negated.ended(line.tick_end, last) for negated in backward)]))
                begins = [negated.begun(windows.last, windows.first) for negated in forward]
                first_ends.append(np.maximum.reduce([limits.ends_from[:, state], *map(self._at_tick, begins)]))
            limits.ended[:, state] = np.maximum.reduce(ended)
            limits.ends_from[:, state] = np.minimum.reduce(first_ends)
        return limits

    def _after_tick(self, vertices: Ints) -> Ints:
        """One after the last vertex of each vertex's tick. LATEST stays."""
        after = vertices.copy()
        finite = vertices != LATEST
        after[finite] = self._line.tick_end[vertices[finite]]
        return after

    def _at_tick(self, vertices: Ints) -> Ints:
        """The first vertex of each vertex's tick; 0 for NEVER."""
        firsts = np.zeros(len(vertices), dtype=np.int64)
        happened = vertices != NEVER
        firsts[happened] = self._line.tick_start[vertices[happened]]
        return firsts


def with_cuts(comparisons: Comparisons, cut: Mapping[tuple[int, int], Ints], states: Bits) -> Comparisons:
    """The comparisons with the cut edges; `cut` gives `since[m]` for each (source, target).

    A cut edge that compares nothing becomes a compared edge whose sources all have the same rank.
    """
    if not cut:
        return comparisons
    compared = set(zip(comparisons.source.tolist(), comparisons.target.tolist(), strict=True))
    free = [edge for edge in cut if edge not in compared]
    source = np.concatenate([comparisons.source, np.array([p for p, _ in free], dtype=np.int64)])
    target = np.concatenate([comparisons.target, np.array([q for _, q in free], dtype=np.int64)])

    first_eight = states.astype(np.uint8)

    def beside(ranks: npt.NDArray[np.int32], free_states: list[int]) -> npt.NDArray[np.int32]:
        columns = np.empty((len(states), ranks.shape[1] + len(free_states)), np.int32)
        columns[:, : ranks.shape[1]] = ranks
        for column, state in enumerate(free_states, ranks.shape[1]):
            own = first_eight & np.uint8(1 << state) if state < 8 else states & np.uint64(1 << state)
            columns[:, column] = own != 0
        return columns

    edges = list(zip(source.tolist(), target.tolist(), strict=True))
    is_cut = np.array([edge in cut for edge in edges], dtype=np.bool_)
    if len(edges) == 1:
        since = cut[edges[0]][np.newaxis]
    else:
        since = np.zeros((len(edges), len(states)), dtype=np.int64)
        for c in np.flatnonzero(is_cut).tolist():
            since[c] = cut[edges[c]]
    return Comparisons(
        source,
        target,
        np.concatenate([comparisons.equal, np.zeros(len(free), dtype=np.bool_)]),
        beside(comparisons.rank, [p for p, _ in free]),
        beside(comparisons.bound, [q for _, q in free]),
        np.maximum(comparisons.ranks, 1),
        np.concatenate([comparisons.first_other, np.full(len(free), comparisons.first_other[-1])]),
        comparisons.other_rank,
        comparisons.other_bound,
        is_cut,
        since,
    )
