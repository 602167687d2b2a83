"""The matches of strategies with at most one match for each first event; each match is one answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.matching.arrays.paths import Paths, batches
from cep_core.matching.kernels.runs import Forest, walk_runs
from cep_core.matching.result.match_answers import CountedAnswers


@dataclass(frozen=True)
class RunMatches(CountedAnswers):
    """One answer for each match."""

    first_rows: Ints
    lengths: Ints
    branch: Ints
    """[match] the branch that found it, of an OR around the whole pattern."""

    @property
    def is_listed_in_order(self) -> bool:
        """Matches with one last event and window differ in their first events, and are in the order of these."""
        seq = self.graph.seq
        first, last = seq[self.first_rows], seq[self.last_rows]
        in_order = (first[1:] > first[:-1]) | (last[1:] != last[:-1])
        if self.window_start is not None:
            in_order |= self.window_start[1:] != self.window_start[:-1]
        return bool(in_order.all())

    @abstractmethod
    def paths(self, jobs: Ints) -> Paths:
        """The matches with these numbers."""

    def listing(self, most: Ints) -> Iterator[Paths]:
        jobs = np.flatnonzero(most)
        for begin, end in batches(self.lengths[jobs]):
            yield self.paths(jobs[begin:end])

    def nodes(self) -> Paths:
        return self.paths(np.arange(len(self.counts)))

    def keep(self, wanted: Flags | Ints) -> Self:
        """The answers with only these matches."""
        return replace(
            self,
            last_rows=self.last_rows[wanted],
            window_start=None if self.window_start is None else self.window_start[wanted],
            certain=self.certain[wanted],
            counts=self.counts[wanted],
            waits=self.waits[wanted],
            first_rows=self.first_rows[wanted],
            lengths=self.lengths[wanted],
            branch=self.branch[wanted],
        )


@dataclass(frozen=True)
class ForestMatches(RunMatches):
    """Matches as paths of the forest of all runs."""

    forest: Forest
    first: Ints
    """The node of each match's first event."""

    def paths(self, jobs: Ints) -> Paths:
        states = self.graph.network.fits.shape[1]
        return walk_runs(self.forest, states, self.first[jobs], self.lengths[jobs], jobs)

    def keep(self, wanted: Flags | Ints) -> Self:
        return replace(super().keep(wanted), first=self.first[wanted])


@dataclass(frozen=True)
class ListedMatches(RunMatches):
    """Matches that were listed one by one."""

    listed: Paths
    place: Ints
    """The number of each match in `listed`."""

    def paths(self, jobs: Ints) -> Paths:
        return replace(self.listed.take(self.place[jobs]), jobs=jobs)

    def keep(self, wanted: Flags | Ints) -> Self:
        return replace(super().keep(wanted), place=self.place[wanted])
