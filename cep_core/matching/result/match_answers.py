"""What a selection strategy answers to the outputs: which matches end where, how many they are, and what they bind.

Either the matches of each answer are counted before any is listed (`CountedAnswers`), or conditions must judge each
match, so that nothing but the listing says how many there are (`JudgedAnswers`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.result.last_events import LastEvents, leaders
from cep_core.matching.result.match_columns import match_columns
from cep_core.matching.result.spending import Spending
from cep_core.matching.result.tally import ListingTally
from cep_core.matching.result.totals import parts
from cep_core.numbers.lanes import LIMIT


@dataclass(frozen=True)
class CountedAnswers(LastEvents, ABC):
    """Answers whose matches are counted."""

    counts: Ints
    """Matches of each answer."""
    large: Mapping[int, int]
    """By answer, the counts that int64 cannot hold."""

    @abstractmethod
    def listing(self, most: Ints) -> Iterator[Paths]:
        """The first most[k] matches of each answer k, in order, in batches; `Paths.jobs` says of which answer.

        `most` may be lowered between two batches.
        """

    @abstractmethod
    def nodes(self) -> Paths:
        """For each answer all nodes of its matches as one path, whose job it is."""

    def columns(self, most: Ints) -> Iterator[dict[str, pa.Array]]:
        """The same as `listing`, as columns of the result."""
        return (match_columns(self, paths) for paths in self.listing(most))

    def compact_counts(self) -> tuple[Ints, Mapping[int, int]]:
        """The matches of each compact row: as `counts` and `large`."""
        row = self.compact_row
        if (np.diff(row) > 0).all():
            return self.counts, self.large
        sums = [0] * (int(row.max()) + 1)
        for answer, (place, count) in enumerate(zip(row.tolist(), self.counts.tolist(), strict=True)):
            sums[place] += self.large.get(answer, count)
        beyond = {place: count for place, count in enumerate(sums) if count >= LIMIT}
        return np.array([min(count, LIMIT) for count in sums], np.int64), beyond

    def totals(self) -> list[int]:
        """Exact numbers of matches of each day."""
        day = self.day
        plain = self.counts.copy()
        plain[list(self.large)] = 0
        halves = np.zeros((2, len(parts(self.days))), np.int64)  # 31 bits at a time, so that no sum wraps
        np.add.at(halves[0], day, plain & 0x7FFFFFFF)
        np.add.at(halves[1], day, plain >> 31)
        sums = [low + (high << 31) for low, high in halves.T.tolist()]
        for number, count in zip(day[list(self.large)].tolist(), self.large.values(), strict=True):
            sums[number] += count
        return sums

    def candidates(self) -> list[int] | None:
        """How many matches a listing tries on each day; None where they are no more than first events."""
        return None

    def quotas(self, max_matches: int | None) -> Ints:
        """How many matches of each answer can be among the first `max_matches` of its day.

        Answers with the same last event and window all get what is left before them: their matches mix in the order.
        """
        if max_matches is None or not len(self.counts):
            return self.counts.copy()
        order = np.argsort(self.day, kind="stable")
        wanted = np.minimum(self.counts, max_matches)[order]
        before = np.cumsum(wanted) - wanted
        day, group = self.day[order], self.group[order]
        left = max_matches - (before[leaders(day, group)] - before[leaders(day)])
        most = np.empty_like(wanted)
        most[order] = np.clip(left, 0, wanted)
        return most


@dataclass(frozen=True)
class JudgedAnswers(LastEvents, ABC):
    """Answers whose matches are known once they are listed and judged."""

    @abstractmethod
    def judged(self, tally: ListingTally, spending: Spending) -> Iterator[tuple[Paths, dict[str, pa.Array]]]:
        """The matches that pass every condition, in batches, each with columns of its own beside those of matches.

        Matches that are counted in the `tally` and the work in `spending` say where the listing stops.
        """

    @abstractmethod
    def nodes(self) -> Paths:
        """For each answer, as one path whose job it is, all nodes that may be part of its matches, and maybe more."""

    def candidates(self) -> list[int] | None:
        """How many matches a listing would try on each day, if that is known."""
        return None
