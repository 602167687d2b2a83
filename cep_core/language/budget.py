"""A budget of work: how many steps an evaluation may take before it stops with an error.

Most of an engine's work is polynomial in the number of events. Three parts are not: candidates that must be listed to
be judged, pairs of matches, and possible worlds. These parts count their steps, about one for each event that they
read. They count steps, not seconds, so that the same events exhaust the same budget on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, log10

DEFAULT_WORK = 300_000_000
"""The default number of steps for one query and day: about half a minute on one core. A workload can set another."""


def _nobody(spent: int) -> None:
    """The default listener: it ignores the number of steps."""


@dataclass(frozen=True)
class Budget:
    """At most `limit` steps; None means no limit.

    `tell` is called now and then with the number of steps spent so far.
    """

    limit: int | None = None
    tell: Callable[[int], None] = field(default=_nobody, compare=False)

    def left(self, spent: int) -> float:
        """The number of steps left after `spent` steps."""
        return inf if self.limit is None else float(max(0, self.limit - spent))

    def exhausted(self, reason: str = "") -> WorkExhausted:
        """The error to raise when the budget is too small."""
        assert self.limit is not None
        return WorkExhausted(self.limit, reason=reason)

    def is_over(self, spent: int) -> bool:
        return self.limit is not None and spent > self.limit


UNLIMITED = Budget()


def _short(count: int) -> str:
    """A count of any size, written for a sentence."""
    if count < 10**9:
        return f"{count:,}"
    exponent, rest = divmod(log10(count), 1)
    return f"{10**rest:.1f}e{exponent:.0f}"


class WorkExhausted(Exception):
    """An evaluation needed more steps than its budget allows. There is no result, not even a partial one.

    `limit`: the budget. `candidates`: how many candidates there are to try, if known. `reason`: replaces the count of
    steps in the message when no number of steps would be enough.

    >>> str(WorkExhausted(1000, 2**58))
    "the budget of work is exhausted: 1,000 steps were not enough to try the query's 2.9e17 candidates"
    """

    def __init__(self, limit: int, candidates: int | None = None, *, reason: str = "") -> None:
        self.limit = limit
        self.candidates = candidates
        self.reason = reason
        many = "all of the query's candidates" if candidates is None else f"the query's {_short(candidates)} candidates"
        shortage = f"{limit:,} steps were not enough to try {many}"
        super().__init__(f"the budget of work is exhausted: {reason or shortage}")
