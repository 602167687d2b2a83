"""The matches of strategies with at most one match for each first event; each match is one answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.language.evaluator import CERTAIN
from cep_core.language.totals import parts
from cep_core.matching.arrays.paths import Paths, batches
from cep_core.matching.kernels.run_columns import run_columns
from cep_core.matching.kernels.runs import Forest, Nodes, walk_runs
from cep_core.matching.result.match_answers import CountedAnswers
from cep_core.matching.result.match_rows import LAST_SEQ, PATH, no_paths, window_columns


@dataclass(frozen=True)
class RunMatches(CountedAnswers):
    """One answer for each match."""

    first_rows: Ints
    lengths: Nodes
    branch: Ints
    """[match] the branch that found it, of an OR around the whole pattern."""

    @property
    def is_listed_in_order(self) -> bool:
        """Matches with one last event and window differ in their first events, and are in the order of these."""
        seq = self.graph.seq
        first = seq[self.first_rows]
        in_order = first[1:] > first[:-1]
        if in_order.all():
            return True
        last = seq[self.last_rows]
        in_order |= last[1:] != last[:-1]
        if self.window_start is not None:
            in_order |= self.window_start[1:] != self.window_start[:-1]
        return bool(in_order.all())

    def moments(self, answers: Ints, first_ts: Ints) -> Ints:
        return self.certain[answers]

    def totals(self) -> list[int]:
        if self.days is None:
            return [len(self.certain)]
        return np.bincount(self.day, minlength=len(parts(self.days))).tolist()

    @abstractmethod
    def paths(self, jobs: Ints) -> Paths:
        """The matches with these numbers."""

    def listing(self, most: Ints) -> Iterator[Paths]:
        jobs = np.flatnonzero(most)
        for begin, end in batches(self.lengths[jobs], self.batch_size):
            yield self.paths(jobs[begin:end])

    def node_pieces(self) -> Iterator[Paths]:
        return self.listing(self.counts)

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
    first: Nodes
    """The node of each match's first event."""

    def columns(self, most: Ints) -> Iterator[dict[str, pa.Array]]:
        if not self.judge.plan.columns_tell_paths:
            return super().columns(most)
        jobs, size = np.flatnonzero(most), self.batch_size
        if len(jobs) == len(most):
            return (self._columns(slice(begin, end)) for begin, end in batches(self.lengths, size))
        return (self._columns(jobs[begin:end]) for begin, end in batches(self.lengths[jobs], size))

    def _columns(self, jobs: Ints | slice) -> dict[str, pa.Array]:
        """The matches with these numbers as columns of the result."""
        graph, query = self.graph, self.judge.query
        states = graph.network.fits.shape[1]
        listed = run_columns(self.forest, states, self.first[jobs], self.lengths[jobs], graph.ts, graph.seq)
        last_ts, last = pa.array(listed.last_ts), pa.array(listed.last)
        starts = None if self.window_start is None else self.window_start[jobs]
        columns = {"first_ts": pa.array(listed.first_ts), "last_ts": last_ts}
        for variable, offsets, values in zip(query.positive, listed.offsets, listed.values, strict=True):
            flat = pa.array(values)
            columns[variable.name] = pa.ListArray.from_arrays(pa.array(offsets), flat) if variable.kleene else flat
        certain = {CERTAIN: pa.array(self.certain[jobs]), LAST_SEQ: last, PATH: no_paths(len(last))}
        return {**columns, **window_columns(starts, query.window.size), **certain}

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
