"""A day's number against the evaluated days of the 28 before: median, range, times, extremes."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from jobs.reports.answers.changes import compare, volume
from jobs.reports.words.quantities import Magnitude, median, ratio

DAY = date(2013, 3, 8)


def counts(*values: int) -> dict[date, Magnitude]:
    """Values of the days before, the last one yesterday's."""
    return {DAY - timedelta(days=len(values) - n): Magnitude.of(value) for n, value in enumerate(values)}


def said(today: int, *before: int) -> str:
    days = counts(*before)
    return compare(DAY, Magnitude.of(today), {*days, DAY}, days).sentence


def test_only_the_trailing_days_count() -> None:
    """28 days before, neither the day itself nor a later or an older one."""
    every = {DAY + timedelta(days=n) for n in range(-40, 10)}
    change = compare(DAY, Magnitude.of(1), every, {})
    assert sorted(change.before) == [DAY - timedelta(days=n) for n in range(28, 0, -1)]


def test_evaluated_days_without_results_count_as_zero() -> None:
    """A calm day is a day; one that was never evaluated is not."""
    days = counts(4, 6)
    change = compare(DAY, Magnitude.of(6), {*days, DAY - timedelta(days=5)}, days)
    assert [value.exact for value in change.before.values()] == [0, 4, 6]
    assert change.usual == Magnitude.of(4)


def test_sentences() -> None:
    """Without a past, with one day, like the median, above, below, and where the median is zero."""
    assert said(5) == "There is no earlier day to compare with."
    assert said(5, 4) == "5 is 1.3 times the day before (4)."
    assert said(4, 4) == "4 is the same as the day before (4)."
    assert said(5, 4, 5, 9) == "5 is the same as the median of the 3 days before (5; from 4 to 9)."
    assert (
        said(18, 4, 5, 9)
        == "18 is 3.6 times the median of the 3 days before (5; from 4 to 9), more than on any of them."
    )
    assert (
        said(1, 4, 5, 9) == "1 is 20 % of the median of the 3 days before (5; from 4 to 9), less than on any of them."
    )
    assert said(0, 4, 5, 9) == "The median of the 3 days before is 5 (from 4 to 9); today has less than on any of them."
    assert (
        said(99, 100, 101, 102)
        == "99 is close to the median of the 3 days before (101; from 100 to 102), less than on any of them."
    )
    assert said(7, 0, 0, 9) == "The median of the 3 days before is 0 (from 0 to 9)."
    assert said(0, 0, 0) == "0 is the same as the median of the 2 days before (0)."


def test_counts_beyond_machine_numbers_are_compared() -> None:
    """Through logarithms: 10^5000 is 10^4990 times 10^10."""
    huge, usual = Magnitude.of(None, 5000.0), Magnitude.of(10**10)
    change = compare(DAY, huge, {DAY - timedelta(days=1)}, {DAY - timedelta(days=1): usual})
    assert change.sentence == "1.0e5000 is 4990 orders of magnitude above the day before (1.0e10)."


def test_volume_of_events() -> None:
    """The day's events, against the days before."""
    before = {DAY - timedelta(days=1): 1000, DAY - timedelta(days=2): 3000}
    assert volume(0, {}) == "There were no events. There is no earlier day to compare with."
    assert volume(1, {}) == "There was 1 event. There is no earlier day to compare with."
    assert volume(4000, before) == (
        "There were 4,000 events, 2.0 times the median of the 2 days before (2,000; from 1,000 to 3,000), "
        "more than on any of them."
    )


@given(st.lists(st.integers(-(10**40), 10**40), min_size=1))
def test_the_median_lies_between(values: list[int]) -> None:
    """Whatever the sizes, half of the values are not above the median and half not below it."""
    middle = median([Magnitude.of(value) for value in values])
    tolerance = 1e-9 * 10**40
    exact = sorted(values)
    low, high = exact[(len(exact) - 1) // 2], exact[len(exact) // 2]
    value = float(middle.exact) if middle.exact is not None else middle.sign * 10**middle.log10
    assert low - tolerance <= value <= high + tolerance


@given(st.integers(1, 10**30), st.integers(1, 10**30))
def test_times_agree_with_division(value: int, base: int) -> None:
    """What is said to be so many times as much is."""
    shown = float(ratio(Magnitude.of(value), Magnitude.of(base)).replace(",", ""))
    assert abs(shown - value / base) <= 0.05 * value / base + 0.06
