"""What changed: a day's headline number compared with the 28 days before.

Only days that were evaluated count; a day without results counts as zero. Days are summarised by their median, smallest
and largest value, because one stormy day may have 10^30 times the trends of a calm one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from jobs.reports.words.quantities import Magnitude, counted, median, quantity, ratio, share
from jobs.reports.words.values import capitalised

TRAILING = 28
BEYOND = 6
"""From this many orders of magnitude on, their number is printed, since "2.1e28 times" is hard to read."""


@dataclass(frozen=True)
class Change:
    """A number today, and on each evaluated day of the 28 before.

    `at_least`: the number of those days on which the value is only a lower bound. `today_at_least`: whether today's is.
    """

    today: Magnitude
    before: Mapping[date, Magnitude]
    at_least: int = 0
    today_at_least: bool = False

    @property
    def usual(self) -> Magnitude | None:
        """The median of the days before; None if there are none."""
        return median(list(self.before.values())) if self.before else None

    @property
    def spread(self) -> tuple[Magnitude, Magnitude] | None:
        """The smallest and the largest number of the days before."""
        if not self.before:
            return None
        ordered = sorted(self.before.values(), key=lambda value: value.key)
        return ordered[0], ordered[-1]

    @property
    def exact(self) -> bool:
        """Whether no number is only a lower bound."""
        return not (self.at_least or self.today_at_least)

    @property
    def sentence(self) -> str:
        """The comparison in one sentence, or in two if not all matches were counted."""
        today = f"{'At least ' if self.today_at_least else ''}{quantity(self.today)}"
        if self.exact or not self.before:
            return self.text(f"{today} is ")
        whose = ["today"] if self.today_at_least else []
        whose += [f"on {self.at_least} of the days before"] if self.at_least else []
        when = capitalised(" and ".join(whose))
        return f"{self.text(f'{today} is ')} {when} matches were counted only as far as they are listed."

    def text(self, opening: str) -> str:
        """The comparison; `opening` are the words before a positive number."""
        usual, spread = self.usual, self.spread
        if usual is None or spread is None:
            return "There is no earlier day to compare with."
        low, high = spread
        earlier = "the day before" if len(self.before) == 1 else f"the median of the {len(self.before)} days before"
        spanned = "" if low.key == high.key else f"from {quantity(low)} to {quantity(high)}"
        beside = f"({quantity(usual)}; {spanned})" if spanned else f"({quantity(usual)})"
        if self.today.key == usual.key:
            return f"{opening}the same as {earlier} {beside}."
        extreme = ""
        if len(self.before) > 1:
            if self.today.key > high.key:
                extreme = " more than on any of them"
            elif self.today.key < low.key:
                extreme = " less than on any of them"
        if usual.sign <= 0 or self.today.sign <= 0:
            verb = "had" if len(self.before) == 1 else "is"
            brackets = f" ({spanned})" if spanned else ""
            return f"{capitalised(earlier)} {verb} {quantity(usual)}{brackets}{extreme and f'; today has{extreme}'}."
        return f"{opening}{_against(self.today, usual)} {earlier} {beside}{extreme and f',{extreme}'}."


def _against(today: Magnitude, usual: Magnitude) -> str:
    """How a positive number compares with the usual one.

    >>> _against(Magnitude.of(7), Magnitude.of(2)), _against(Magnitude.of(1), Magnitude.of(300))
    ('3.5 times', '1/300 of')
    >>> _against(Magnitude.of(None, 34.3), Magnitude.of(100)), _against(Magnitude.of(100), Magnitude.of(10**9))
    ('32 orders of magnitude above', '7 orders of magnitude below')
    """
    above = today.log10 - usual.log10
    if abs(above) >= BEYOND:
        return f"{abs(above):.0f} orders of magnitude {'above' if above > 0 else 'below'}"
    times = ratio(today, usual)
    if times == "1.0":
        return "close to"
    if above >= 0:
        return f"{times} times"
    return f"{share(10**above)} of" if above > -2 else f"1/{ratio(usual, today)} of"


def compare(
    day: date,
    today: Magnitude,
    evaluated: set[date],
    headlines: Mapping[date, Magnitude],
    *,
    at_least: Collection[date] = (),
) -> Change:
    """Compare with the days in `evaluated` among the 28 before `day`. A day without a headline counts as zero.

    `at_least`: days on which only listed matches were counted.

    >>> days = {date(2013, 3, day): Magnitude.of(count) for day, count in ((5, 20), (6, 25), (7, 60))}
    >>> compare(date(2013, 3, 8), Magnitude.of(87), {*days, date(2013, 3, 9)}, days).sentence
    '87 is 3.5 times the median of the 3 days before (25; from 20 to 60), more than on any of them.'
    """
    first = day - timedelta(days=TRAILING)
    before = {
        earlier: headlines.get(earlier, Magnitude.of(0)) for earlier in sorted(evaluated) if first <= earlier < day
    }
    return Change(today, before, sum(earlier in at_least for earlier in before), day in at_least)


def volume(today: int, before: Mapping[date, int]) -> str:
    """The day's events in a sentence, against the days before."""
    change = Change(Magnitude.of(today), {day: Magnitude.of(events) for day, events in before.items()})
    opening = f"There {'was' if today == 1 else 'were'} {counted(today, 'event')}"
    comparison = change.text(f"{opening}, ")
    return comparison if comparison.startswith(opening) else f"{opening}. {comparison}"
