"""The data that the choice of a kernel looks at, and that kernels read: one part of the windows of a slice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cep_core.arrays import Floats, Ints
from cep_core.trends.arrays.graph import Comparisons, Graph, Vertices, WindowLimits
from cep_core.trends.arrays.weights import Weights
from cep_core.trends.arrays.window_vertices import Windows
from cep_core.trends.plan.trend_plan import TrendPlan


@dataclass(frozen=True)
class Case:
    """A plan over the vertices of a slice and R ranges of windows in P partitions."""

    plan: TrendPlan
    vertices: Vertices
    comparisons: Comparisons
    limits: WindowLimits
    """The limits of each range."""
    weights: Weights
    windows: Windows
    clock: Ints
    """The time or position of each vertex; windows are measured in it."""
    offsets: Ints
    """The first vertex of each partition, then the number of vertices."""

    @property
    def graph(self) -> Graph:
        """The graph that kernels read."""
        return Graph(self.plan.automaton, self.comparisons, self.vertices, self.limits)

    @cached_property
    def partition(self) -> Ints:
        """[R] The partition of each range."""
        return self.windows.ranges.partition

    @property
    def partitions(self) -> int:
        """The number of partitions."""
        return len(self.offsets) - 1

    @cached_property
    def overlapping(self) -> bool:
        """Whether consecutive windows of a partition share vertices."""
        if self.plan.size == self.plan.slide:
            return False
        first, last = self.windows.first, self.windows.last
        return bool(((first[1:] < last[:-1]) & (self.partition[1:] == self.partition[:-1])).any())

    @property
    def limited(self) -> bool:
        """Whether windows restrict which vertices may begin or end a trend."""
        return len(self.limits.starts_before) > 0

    @property
    def carries(self) -> bool:
        """Whether there are totals or minima besides the number of trends."""
        return self.vertices.weights.shape[1] > 0 or self.vertices.codes.shape[1] > 0

    @property
    def simply_compared(self) -> bool:
        """Whether each edge has at most one comparison, and no negation cuts an edge."""
        return not self.comparisons.cut.any() and not self.comparisons.first_other[-1]

    @cached_property
    def visits(self) -> Floats:
        """[P] The number of vertices in all windows of a partition; a vertex counts once for each window."""
        visits = np.zeros(self.partitions)
        begin, _, held = self._held
        if len(held):
            visits[held] = np.add.reduceat(self.windows.last - self.windows.first, begin)
        return visits

    @cached_property
    def ranges(self) -> Ints:
        """[P] The number of ranges."""
        return np.bincount(self.partition, minlength=self.partitions)

    @cached_property
    def span(self) -> Floats:
        """[P] The number of vertices from the start of the first window to the end of the last window."""
        span = np.zeros(self.partitions)
        begin, end, held = self._held
        span[held] = self.windows.last[end - 1] - self.windows.first[begin]  # ranges are in time order
        return span

    @cached_property
    def _held(self) -> tuple[Ints, Ints, Ints]:
        """The first range of each partition that has ranges, one after its last, and the numbers of these."""
        held = np.flatnonzero(self.ranges)
        end = np.cumsum(self.ranges)[held]
        return end - self.ranges[held], end, held
