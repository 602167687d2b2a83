"""The vertices of a log one after another, forwards or backwards in time, and the ticks at which they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.trends.arrays.comparing import Comparing


@dataclass(frozen=True)
class Line:
    """m vertices in partitions, in time order or, if mirrored, in reverse time order."""

    offsets: Ints
    tick: Ints
    """Vertices of equal tick are concurrent."""
    variables: Mapping[str, Flags]
    comparing: Comparing
    backwards: bool = False

    @cached_property
    def first(self) -> Ints:
        """[m] The first vertex of each vertex's partition."""
        return np.repeat(self.offsets[:-1], np.diff(self.offsets))

    @cached_property
    def tick_start(self) -> Ints:
        """[m] The first vertex of each vertex's tick."""
        opens, group = self._ticks
        return opens[group] if len(opens) < len(group) else opens

    @cached_property
    def tick_end(self) -> Ints:
        """[m] One after the last vertex of each vertex's tick."""
        opens, group = self._ticks
        if opens is group:
            return opens + 1
        ends = np.append(opens[1:], len(self.tick))
        return ends[group] if len(opens) < len(group) else ends

    @cached_property
    def _ticks(self) -> tuple[Ints, Ints]:
        """The first vertex of each tick, and the number of each vertex's tick: one array if each has its own."""
        first = self.first
        changes = np.ones(len(self.tick), dtype=np.bool_)
        changes[1:] = (self.tick[1:] != self.tick[:-1]) | (first[1:] != first[:-1])
        if changes.all():
            each = np.arange(len(changes), dtype=np.int64)
            return each, each
        return np.flatnonzero(changes), np.cumsum(changes) - 1

    def mirrored(self) -> Line:
        """The same vertices in reverse order: vertex i becomes m - 1 - i."""
        return Line(
            np.ascontiguousarray((len(self.tick) - self.offsets)[::-1]),
            np.ascontiguousarray(self.tick[::-1]),
            {name: flags[::-1] for name, flags in self.variables.items()},
            self.comparing,
            not self.backwards,
        )
