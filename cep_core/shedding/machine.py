"""The state machine of a pattern: partial matches are its instances (pSPICE, section II-A).

The machine is a chain of steps. State s means that s steps are bound. So a pattern of L steps has L + 1 states: the
first is the initial one, and the last is final. A step may repeat (`B+`). The steps of an `ANY(n, ...)` group stand one
after another and take distinct members in any order. A negated event kills the instances that wait in given states.

`Start` says how a window starts its instances. The selection strategy says what an instance does with an event that
fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cep_core.language.patterns.query import Strategy


class Start(StrEnum):
    """What a window does with the instance in the initial state that it opens with."""

    AT_OPENING = "at opening"
    """The event that opens the window is the first of the match (`WITHIN` without SLIDE)."""
    ONCE = "once"
    """The instance itself moves on at the first event that fits: at most one match a window (pSPICE, Fig. 1)."""
    EACH = "each"
    """Every event that fits the first step starts a partial match; the instance stays."""


@dataclass(frozen=True)
class Machine:
    """L steps, L + 1 states. Raises ValueError for a machine that makes no sense.

    >>> Machine(steps=3).states
    4
    """

    steps: int
    selection: Strategy = Strategy.NEXT
    start: Start = Start.ONCE
    loops: frozenset[int] = frozenset()
    """Steps that may repeat; not the last one."""
    groups: tuple[tuple[int, int], ...] = ()
    """`ANY(n, ...)`: steps [begin, end) in any order, also of concurrent events; no two are bound to the same
    member."""

    def __post_init__(self) -> None:
        if self.steps < 1 or self.steps > 100:
            raise ValueError(f"a pattern has 1 to 100 steps, not {self.steps}")
        if self.selection not in (Strategy.NEXT, Strategy.ANY):
            raise ValueError(f"an operator selects by {Strategy.NEXT} or {Strategy.ANY}, not {self.selection}")
        if self.selection is Strategy.ANY and self.start is Start.ONCE:
            raise ValueError(f"under {Strategy.ANY} every event that fits the first step starts a partial match")
        if any(not 0 <= step < self.steps - 1 for step in self.loops):
            raise ValueError("the last step of a pattern cannot repeat: it would never be final")
        if any(not 0 <= begin < end <= self.steps for begin, end in self.groups):
            raise ValueError("a group of steps lies outside of the pattern")
        if any(begin <= step < end for begin, end in self.groups for step in self.loops):
            raise ValueError("a step of ANY cannot repeat")

    @property
    def states(self) -> int:
        """All states, the initial and the final one included."""
        return self.steps + 1

    def group_of(self, step: int) -> int:
        """The first step of the group that a step is in; -1: it is in no group."""
        return next((begin for begin, end in self.groups if begin <= step < end), -1)
