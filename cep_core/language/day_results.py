"""The operating days of a result, and which of them are evaluated together.

A table is computed for all days of a run, or only for those of which the result asks for it, as compact rows are
wanted where a listing was cut. A block of days is one evaluation, with one budget of work. Cost: linear in the days.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class DayResult:
    """An operating day, [begin, end) in log time. After its evaluation: also the rows and totals of its result."""

    begin: int
    end: int
    rows: int = 0
    totals: Mapping[str, Any] = field(default_factory=dict)
    """As in `TOTALS` of `evaluator`."""

    @property
    def is_cut(self) -> bool:
        """Whether there are more matches than rows.

        >>> DayResult(0, 9, 2, {"matches_total": "3"}).is_cut, DayResult(0, 9, 2, {"matches_total": "2"}).is_cut
        (True, False)
        """
        total = self.totals.get("matches_total") or self.totals.get("matches_at_least")
        return total is not None and int(total) > self.rows


Blocks = Callable[[Sequence[DayResult]], Sequence[Sequence[DayResult]]]
"""Chooses the operating days for which a table is computed, in blocks of days that are evaluated together."""


def together(days: Sequence[DayResult]) -> Sequence[Sequence[DayResult]]:
    """All days in one block."""
    return [days]


def one_by_one(days: Sequence[DayResult]) -> Sequence[Sequence[DayResult]]:
    """Each day is a block. If each day has a budget of work, a day that exhausts it is missing alone."""
    return [[day] for day in days]
