"""Counts the matches that a listing has found so far, and decides which answers it can skip.

A day needs no more matches once it has more than `max_matches`. But the matches of answers with the same last event and
window mix in the order of results. So these answers are listed together.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.language.totals import Total, parts
from cep_core.matching.result.last_events import LastEvents


class ListingTally:
    """Matches by answer and by day, while answers are listed in order."""

    def __init__(self, answers: LastEvents, max_matches: int | None) -> None:
        self.max_matches = max_matches
        self.counts = np.zeros(len(answers.last_rows), np.int64)
        """[answer] its number of matches."""
        self._day, self._group = answers.day, answers.group
        self._counts = np.zeros(len(parts(answers.days)), np.int64)

    def add(self, answers: Ints) -> None:
        """Counts matches; `answers` has the answer of each match."""
        self._counts += np.bincount(self._day[answers], minlength=len(self._counts))
        self.counts += np.bincount(answers, minlength=len(self.counts))

    def unwanted(self, last: int, *, in_order: bool = True) -> Flags:
        """The answers that need no more matches; `last` is the answer listed last.

        `in_order`: the matches of each answer are listed in the order of results.
        """
        if self.max_matches is None:
            return np.zeros(len(self.counts), np.bool_)
        enough = (self._counts > self.max_matches)[self._day] & (self._group > self._group[last])
        return enough | (self.counts > self.max_matches) if in_order else enough

    def totals(self) -> list[Total]:
        """The number of matches of each day; exact unless the listing of the day was cut."""
        return [
            Total(count, exact=self.max_matches is None or count <= self.max_matches) for count in self._counts.tolist()
        ]
