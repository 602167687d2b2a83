"""What an operator's work costs on the virtual clock, in integer virtual nanoseconds.

An event costs `event`, plus the cost of each partial match that it meets (by its pattern and state), plus `window` for
each window that it opens, plus `event_window` for each window that it belongs to (`docs/semantics.md` 7).
Shedding costs too: looking up and sorting utilities, drawing random numbers, and removing what is dropped. All costs
are integers, so that the same run gives the same bytes on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

NANOSECONDS = 1_000_000_000


@dataclass(frozen=True)
class Costs:
    """Virtual nanoseconds. `states`: by pattern, the cost of meeting an instance in each state but the final one."""

    states: tuple[tuple[int, ...], ...]
    event: int = 0
    window: int = 0
    lookup: int = 0
    """Utility of one partial match."""
    sort: int = 0
    """One comparison: n partial matches are sorted by n * bits(n) of them."""
    drop: int = 0
    """Removal of one partial match."""
    draw: int = 0
    """One random decision about a partial match or about an event in a window."""
    event_window: int = 0
    """An event in an open window, whether or not a partial match waits in that window."""

    def __post_init__(self) -> None:
        if any(getattr(self, name) < 0 for name in OTHER_COSTS) or any(cost < 1 for own in self.states for cost in own):
            raise ValueError("costs are not negative, and meeting a partial match costs at least 1")

    def sorting(self, count: int, dropped: int) -> int:
        """Dropping the lowest of `count` partial matches (pSPICE, Algorithm 2): n + n log n + dropped.

        >>> Costs(((1,),), lookup=2, sort=1, drop=5).sorting(8, 3)
        63
        """
        return self.lookup * count + self.sort * count * count.bit_length() + self.drop * dropped

    def drawing(self, count: int, dropped: int) -> int:
        """Deciding by chance about each of `count` partial matches, and dropping `dropped` of them."""
        return self.draw * count + self.drop * dropped


OTHER_COSTS = tuple(field.name for field in fields(Costs) if field.name != "states")
"""The names of the costs that do not depend on the pattern."""


def uniform_costs(states: Sequence[int], per_match: int, **further: int) -> Costs:
    """The same cost for every state of every pattern. `states`: how many each pattern has, the final one included."""
    return Costs(tuple((per_match,) * (count - 1) for count in states), **further)
