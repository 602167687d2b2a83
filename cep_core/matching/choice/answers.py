"""What a strategy answers to the evaluator: how many matches there are, by last event, and how to list them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.result.totals import Days, part_of, parts
from cep_core.numbers.lanes import LIMIT


@dataclass(frozen=True)
class Answers(ABC):
    """n answers in the order of (last_ts, last seq, window); an answer stands for one or more matches."""

    graph: EventGraph
    last_rows: Ints
    window_start: Ints | None
    certain: Ints
    counts: Ints
    """Matches of each answer."""
    large: Mapping[int, int]
    """By answer, the counts that int64 cannot hold."""
    days: Days
    waits: Flags
    """Whether an answer's matches are certain not at `certain` but a window's size after their first event."""

    @abstractmethod
    def listing(self, most: Ints) -> Iterator[Paths]:
        """The first most[k] matches of each answer k, in order, in batches; `Paths.jobs` says of which answer.

        `most` may be lowered between two batches.
        """

    @abstractmethod
    def compact(self) -> Paths:
        """For each answer all nodes of its matches as one path, whose job it is."""

    def moments(self, answers: Ints, first_ts: Ints) -> Ints:
        """When matches of these answers, whose first events have these times, are certain."""
        # nothing waits but without SLIDE and in a window of time, whose size is its width
        return np.where(self.waits[answers], first_ts + self.graph.width, self.certain[answers])

    @property
    def compact_row(self) -> Ints:
        """The number of each answer's compact row, 0..: one for each last event of a partition, window and day."""
        keys = np.stack([self.group, self.last_rows, part_of(self.certain, self.days)])
        row: Ints = np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1)
        return row

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

    def totals(self, days: Days) -> list[int]:
        """Exact numbers of matches of each day."""
        part = part_of(self.certain, days)
        plain = self.counts.copy()
        plain[list(self.large)] = 0
        halves = np.zeros((2, len(parts(days))), np.int64)  # 31 bits at a time, so that no sum wraps
        np.add.at(halves[0], part, plain & 0x7FFFFFFF)
        np.add.at(halves[1], part, plain >> 31)
        sums = [low + (high << 31) for low, high in halves.T.tolist()]
        for day, count in zip(part[list(self.large)].tolist(), self.large.values(), strict=True):
            sums[day] += count
        return sums

    def quotas(self, days: Days, max_matches: int | None) -> Ints:
        """How many matches of each answer can be among the first `max_matches` of its day.

        Answers with the same last event and window all get what is left before them: their matches mix in the order.
        """
        if max_matches is None or not len(self.counts):
            return self.counts.copy()
        part = part_of(self.certain, days)
        order = np.argsort(part, kind="stable")
        wanted = np.minimum(self.counts, max_matches)[order]
        before = np.cumsum(wanted) - wanted
        day, group = part[order], self.group[order]
        left = max_matches - (before[_leaders(day, group)] - before[_leaders(day)])
        most = np.empty_like(wanted)
        most[order] = np.clip(left, 0, wanted)
        return most

    @property
    def group(self) -> Ints:
        """Answers with the same last event and window have the same number; ascending."""
        seq = self.graph.seq[self.last_rows]
        keys = [seq] if self.window_start is None else [seq, self.window_start]
        return _leaders(*keys)


def _leaders(*keys: Ints) -> Ints:
    """For each place the first place of its run of equal keys.

    >>> _leaders(np.array([7, 7, 8, 8]), np.array([0, 0, 0, 1])).tolist()
    [0, 0, 2, 3]
    """
    places = np.arange(len(keys[0]))
    new = np.zeros(len(places), np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.maximum.accumulate(np.where(new, places, 0))
