"""The settings in which strategies are compared: loads over the day and over its busiest span, and latency bounds.

A load of 140 % over a day may be 590 % over its busiest three hours, so every load says which time it refers to. One
setting is described part by part: 140 % (`described_load`) over the busiest span if there is one, else over the day.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LOADS = (1.2, 1.4, 1.6, 1.8, 2.0)
"""The paper's event rates (pSPICE, section IV), as shares of what the operator can bear."""

DAY, BUSIEST = "day", "busiest"
"""The time that a load refers to."""

_DESCRIBED = 1.4


@dataclass(frozen=True)
class Setting:
    """A load over the day or over its busiest span, and a latency bound in virtual nanoseconds."""

    load: float
    over: str
    bound: int


def described_load(loads: Iterable[float]) -> float:
    """The load that is described part by part: 140 % if it was measured, else the one in the middle.

    `loads`: at least one.

    >>> described_load([1.2, 1.4, 2.0]), described_load([1.2, 1.6, 2.0])
    (1.4, 1.6)
    """
    ordered = sorted(loads)
    return _DESCRIBED if _DESCRIBED in ordered else ordered[len(ordered) // 2]


def settings_of(loads: Sequence[float], bound: int, bounds: Sequence[int], *, busiest: bool) -> list[Setting]:
    """The setting described part by part, every load over the day and the busiest span, then every other bound.

    >>> for setting in settings_of([1.2, 1.4], 5, [1, 5], busiest=True):
    ...     print(setting.load, setting.over, setting.bound)
    1.4 busiest 5
    1.2 day 5
    1.4 day 5
    1.2 busiest 5
    1.4 busiest 1
    """
    if not loads:
        return []
    first = Setting(described_load(loads), BUSIEST if busiest else DAY, bound)
    settings = [first]
    settings += [Setting(load, over, bound) for over in ((DAY, BUSIEST) if busiest else (DAY,)) for load in loads]
    settings += [Setting(first.load, first.over, further) for further in bounds]
    return list(dict.fromkeys(settings))
