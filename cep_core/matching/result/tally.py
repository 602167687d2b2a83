"""How many matches a listing has found so far, and which answers are still wanted.

A day wants no more once it has more matches than are listed of it; but answers with one last event and window mix in
the order of results, so they are listed together.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.matching.result.last_events import LastEvents
from cep_core.matching.result.totals import Total, parts


class ListingTally:
    """Matches by answer and by day, while answers are listed in order."""

    def __init__(self, answers: LastEvents, max_matches: int | None) -> None:
        self.max_matches = max_matches
        self.counts = np.zeros(len(answers.last_rows), np.int64)
        """Matches of each answer."""
        self._day, self._group = answers.day, answers.group
        self._found = np.zeros(len(parts(answers.days)), np.int64)

    def add(self, answers: Ints) -> None:
        """Matches, of which answer each is."""
        self._found += np.bincount(self._day[answers], minlength=len(self._found))
        self.counts += np.bincount(answers, minlength=len(self.counts))

    def unwanted(self, last: int, *, in_order: bool = True) -> Flags:
        """The answers of which no more matches are wanted, when `last` is the answer listed last.

        `in_order`: the matches of each answer are listed in the order of results.
        """
        if self.max_matches is None:
            return np.zeros(len(self.counts), np.bool_)
        enough = (self._found > self.max_matches)[self._day] & (self._group > self._group[last])
        return enough | (self.counts > self.max_matches) if in_order else enough

    def totals(self) -> list[Total]:
        """The matches of each day; exact unless the listing was cut there."""
        return [
            Total(count, exact=self.max_matches is None or count <= self.max_matches) for count in self._found.tolist()
        ]
