"""What changed: a day's headline number against the same query's on the trailing 28 days.

Only days that were evaluated count; one without results counts as zero. The middle of those days is their median, the
spread their smallest and largest value: robust where one stormy day has 10^30 times the trends of a calm one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from jobs.reports.quantities import Magnitude, counted, median, quantity, ratio, share

TRAILING = 28


@dataclass(frozen=True)
class Change:
    """A number today, and on each evaluated day of the 28 before."""

    today: Magnitude
    before: Mapping[date, Magnitude]

    @property
    def usual(self) -> Magnitude | None:
        """The median of the days before; None where there is none."""
        return median(list(self.before.values())) if self.before else None

    @property
    def spread(self) -> tuple[Magnitude, Magnitude] | None:
        """The smallest and the largest number of the days before."""
        if not self.before:
            return None
        ordered = sorted(self.before.values(), key=lambda value: value.key)
        return ordered[0], ordered[-1]

    @property
    def sentence(self) -> str:
        """The comparison in a sentence, without the number of today."""
        usual, spread = self.usual, self.spread
        if usual is None or spread is None:
            return "No earlier day to compare with."
        low, high = spread
        days = "the day before" if len(self.before) == 1 else f"the {len(self.before)} days before"
        middle = "that of" if len(self.before) == 1 else "the median of"
        beside = (
            f"({quantity(usual)})"
            if low.key == high.key
            else f"({quantity(usual)}; {quantity(low)} to {quantity(high)})"
        )
        if self.today.key == usual.key:
            return f"Like {middle} {days} {beside}."
        extreme = ""
        if len(self.before) > 1:
            if self.today.key > high.key:
                extreme = ", more than on any of them"
            elif self.today.key < low.key:
                extreme = ", less than on any of them"
        if usual.sign <= 0 or self.today.sign <= 0:
            return f"Against {middle} {days} {beside}{extreme}."
        times = ratio(self.today, usual)
        below = self.today.log10 - usual.log10
        if times == "1.0":
            comparison = "Close to"
        elif below >= 0:
            comparison = f"{times} times"
        else:
            comparison = f"{share(10**below)} of" if below > -2 else f"1/{ratio(usual, self.today)} of"
        return f"{comparison} {middle} {days} {beside}{extreme}."


def compare(
    day: date, today: Magnitude, evaluated: set[date], headlines: Mapping[date, Magnitude], trailing: int = TRAILING
) -> Change:
    """Compare with the days in `evaluated` among the `trailing` before `day`; one without a headline counts as zero.

    >>> days = {date(2013, 3, day): Magnitude.of(count) for day, count in ((5, 20), (6, 25), (7, 60))}
    >>> compare(date(2013, 3, 8), Magnitude.of(87), {*days, date(2013, 3, 9)}, days).sentence
    '3.5 times the median of the 3 days before (25; 20 to 60), more than on any of them.'
    """
    first = day - timedelta(days=trailing)
    before = {
        earlier: headlines.get(earlier, Magnitude.of(0)) for earlier in sorted(evaluated) if first <= earlier < day
    }
    return Change(today, before)


def volume(today: int, before: Mapping[date, int]) -> str:
    """The day's events in a sentence, against the days before."""
    change = Change(Magnitude.of(today), {day: Magnitude.of(events) for day, events in before.items()})
    return f"{counted(today, 'event').capitalize()}. {change.sentence}"
