"""Who has the most, where many have one each: those who have more, since the others are like each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from jobs.reports.answers.listing import SHOWN

Whose = TypeVar("Whose")


def leading(counts: Sequence[tuple[Whose, int]], at_most: int = SHOWN) -> tuple[Sequence[tuple[Whose, int]], str]:
    """The rows of a page, and what is said of the others. `counts`: most first, the first has more than one.

    >>> leading([("a", 4), ("b", 2), ("c", 1), ("d", 1)], 3)
    ([('a', 4), ('b', 2)], '; the others have 1 each')
    >>> leading([("a", 4), ("b", 3), ("c", 2), ("d", 2)], 3), leading([("a", 2), ("b", 1)], 3)
    (([('a', 4), ('b', 3), ('c', 2)], ''), ([('a', 2), ('b', 1)], ''))
    """
    if len(counts) <= at_most:
        return counts, ""
    more = [row for row in counts[:at_most] if row[1] > 1]
    return more, "; the others have 1 each" if counts[len(more)][1] == 1 else ""
