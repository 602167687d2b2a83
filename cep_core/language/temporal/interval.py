"""Intervals of temporal operators: how far away in time a point may be.

As written, a bound may be open and may have a unit; `resolved` gives whole numbers of a log's unit with both ends
included. Paper 01 writes half-open intervals; both languages write what they mean (`docs/policies.md`).
"""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.language.durations import NANOSECONDS


@dataclass(frozen=True)
class Interval:
    """Time differences from `low` to `high`; `high` None: any. Without units and open ends it is resolved."""

    low: int = 0
    high: int | None = None
    low_unit: str = ""
    high_unit: str = ""
    low_open: bool = False
    high_open: bool = False

    @property
    def is_bounded(self) -> bool:
        return self.high is not None

    @property
    def is_empty(self) -> bool:
        """Whether a resolved interval has no member."""
        return self.high is not None and self.high < self.low

    def __contains__(self, difference: int) -> bool:
        """Whether a time difference lies in a resolved interval.

        >>> 5 in Interval(0, 5), 6 in Interval(0, 5), 6 in Interval(3)
        (True, False, True)
        """
        return self.low <= difference and (self.high is None or difference <= self.high)

    def resolved(self, unit: str) -> Interval:
        """The interval in a log's unit, both ends included; possibly empty. Raises ValueError for a part of a unit.

        >>> Interval(0, 30, high_unit="m", high_open=True).resolved("s")
        Interval(low=0, high=1799, low_unit='', high_unit='', low_open=False, high_open=False)
        """
        low = _in_unit(self.low, self.low_unit, unit) + self.low_open
        high = None if self.high is None else _in_unit(self.high, self.high_unit, unit) - self.high_open
        return Interval(low, high)


ANY_TIME = Interval()
"""All time differences, zero included: the interval of an operator that is written without one."""


def _in_unit(number: int, written: str, unit: str) -> int:
    if not written or written == unit:
        return number
    whole, rest = divmod(number * NANOSECONDS[written], NANOSECONDS[unit])
    if rest:
        raise ValueError(f"{number} {written} is no whole number of {unit}")
    return whole
