"""A budget of work: how much an evaluation may try before it is given up.

Most of an engine is polynomial in the events. What is not - candidates that only a listing can judge, pairs of matches,
possible worlds - counts its steps, about one for each event that it looks at. Steps are counted, not seconds: the same
events exhaust the same budget on any machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, log10

DEFAULT_WORK = 300_000_000
"""Steps of a query and day unless a workload says otherwise: about half a minute of one core."""


def _nobody(spent: int) -> None:
    """Told by default."""


@dataclass(frozen=True)
class Budget:
    """At most `limit` steps; None: as many as it takes. `tell` hears now and then how many were spent."""

    limit: int | None = None
    tell: Callable[[int], None] = field(default=_nobody, compare=False)

    def left(self, spent: int) -> float:
        """How many steps are left."""
        return inf if self.limit is None else float(max(0, self.limit - spent))

    def exhausted(self, reason: str = "") -> WorkExhausted:
        """The error of whoever finds that the budget cannot suffice."""
        assert self.limit is not None
        return WorkExhausted(self.limit, reason=reason)

    def is_over(self, spent: int) -> bool:
        return self.limit is not None and spent > self.limit


UNLIMITED = Budget()


def _short(count: int) -> str:
    """A count of any size in a sentence."""
    if count < 10**9:
        return f"{count:,}"
    exponent, rest = divmod(log10(count), 1)
    return f"{10**rest:.1f}e{exponent:.0f}"


class WorkExhausted(Exception):
    """An evaluation that its budget of work did not suffice for: there is no result, not even a part of one.

    `limit`: the budget. `candidates`: how many there are to try, if that is known. `reason`: where no number of steps
    would do.

    >>> str(WorkExhausted(1000, 2**58))
    "the budget of work is exhausted: 1,000 steps were not enough to try the query's 2.9e17 candidates"
    """

    def __init__(self, limit: int, candidates: int | None = None, *, reason: str = "") -> None:
        self.limit = limit
        self.candidates = candidates
        self.reason = reason
        many = "all of the query's candidates" if candidates is None else f"the query's {_short(candidates)} candidates"
        told = f"{limit:,} steps were not enough to try {many}"
        super().__init__(f"the budget of work is exhausted: {reason or told}")
