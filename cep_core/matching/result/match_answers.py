"""The answers of a selection strategy, which outputs read: where matches end, how many there are, and their events.

There are two kinds. The matches of `CountedAnswers` are counted before any match is listed. The matches of
`JudgedAnswers` are each judged by conditions, so only a listing gives their number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints, are_in_order
from cep_core.language.totals import parts
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.result.last_events import LastEvents, leaders
from cep_core.matching.result.match_columns import match_columns
from cep_core.matching.result.spending import Spending
from cep_core.matching.result.tally import ListingTally
from cep_core.numbers.lanes import LIMIT


@dataclass(frozen=True)
class CountedAnswers(LastEvents, ABC):
    """Answers whose matches are counted before they are listed."""

    counts: Ints
    """[answer] its number of matches."""
    large: Mapping[int, int]
    """By answer, the counts that do not fit int64."""

    @abstractmethod
    def listing(self, most: Ints) -> Iterator[Paths]:
        """The first most[k] matches of each answer k, in order, in batches; `Paths.jobs` has the answer of each match.

        `most` may be lowered between two batches.
        """

    @abstractmethod
    def node_pieces(self) -> Iterator[Paths]:
        """For each answer, all nodes of its matches as one path, whose job is the answer; in order, some at a time."""

    def nodes(self) -> Paths:
        """The nodes of all answers."""
        return Paths.join(list(self.node_pieces()))

    @cached_property
    def has_own_rows(self) -> bool:
        """Whether each answer has a compact row of its own, in the order of answers."""
        return bool((np.diff(self.compact_row) > 0).all())

    def columns(self, most: Ints) -> Iterator[dict[str, pa.Array]]:
        """The matches of `listing` as columns of the result."""
        return map(partial(match_columns, self), self.listing(most))  # which, unlike a generator, keeps no batch

    def compact_counts(self) -> tuple[Ints, Mapping[int, int]]:
        """The number of matches of each compact row, as `counts` and `large`."""
        if self.has_own_rows:
            return self.counts, self.large
        row = self.compact_row
        if not self.large and self.counts.sum(dtype=np.float64) < LIMIT / 2 and are_in_order(row):
            return np.add.reduceat(self.counts, self.answer_of_row), {}
        sums = [0] * (int(row.max()) + 1)
        for answer, (place, count) in enumerate(zip(row.tolist(), self.counts.tolist(), strict=True)):
            sums[place] += self.large.get(answer, count)
        beyond = {place: count for place, count in enumerate(sums) if count >= LIMIT}
        return np.array([min(count, LIMIT) for count in sums], np.int64), beyond

    def totals(self) -> list[int]:
        """The exact number of matches of each day."""
        day = self.day
        plain = self.counts.copy()
        plain[list(self.large)] = 0
        halves = np.zeros((2, len(parts(self.days))), np.int64)  # 31 bits at a time, so no sum overflows
        np.add.at(halves[0], day, plain & 0x7FFFFFFF)
        np.add.at(halves[1], day, plain >> 31)
        sums = [low + (high << 31) for low, high in halves.T.tolist()]
        for number, count in zip(day[list(self.large)].tolist(), self.large.values(), strict=True):
            sums[number] += count
        return sums

    def candidates(self) -> list[int] | None:
        """The number of matches that a listing tries on each day; None if it is at most the number of first events."""
        return None

    def quotas(self, max_matches: int | None) -> Ints:
        """The number of matches of each answer that can be among the first `max_matches` of its day.

        The matches of answers with the same last event and window mix in the order of results. So each of these answers
        gets the whole quota that remains before the first of them.
        """
        if max_matches == 0:
            return np.zeros(len(self.counts), np.int64)
        if max_matches is None or np.minimum(self.counts, max_matches).sum(dtype=np.float64) <= max_matches:
            return self.counts.copy()
        order = np.argsort(self.day, kind="stable")
        capped = np.minimum(self.counts, max_matches)[order]
        before = np.cumsum(capped) - capped
        day, group = self.day[order], self.group[order]
        remaining = max_matches - (before[leaders(day, group)] - before[leaders(day)])
        most = np.empty_like(capped)
        most[order] = np.clip(remaining, 0, capped)
        return most


@dataclass(frozen=True)
class JudgedAnswers(LastEvents, ABC):
    """Answers whose matches must be listed and judged to count them."""

    @abstractmethod
    def judged(self, tally: ListingTally, spending: Spending) -> Iterator[tuple[Paths, dict[str, pa.Array]]]:
        """The matches that pass every condition, in batches; a batch may have additional columns.

        The matches counted in `tally` and the work in `spending` decide where the listing stops.
        """

    @abstractmethod
    def nodes(self) -> Paths:
        """For each answer, one path with the answer as its job: all nodes of its matches, and possibly more nodes."""

    def candidates(self) -> list[int] | None:
        """The number of matches that a listing would try on each day, if known."""
        return None
