"""What is said of a log's times: counted over all rows, against counting in plain Python; and what is odd."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from jobs.log_files.times.log_clock import LogClock
from jobs.log_files.times.time_span import TimeSpan
from jobs.reports.words.clock import Clock
from jobs.workload.operating_days import UNITS

HOUR, DAY = 3_600, 86_400


def span(times: list[int]) -> TimeSpan:
    counted = TimeSpan.of(pa.chunked_array([times]), pa.chunked_array([sorted(times)]))
    assert counted is not None
    return counted


@given(st.lists(st.integers(-5, 5), min_size=1))
def test_a_span_is_counted(times: list[int]) -> None:
    """First, last, different times, rows that go back, and the fullest time."""
    counted, sizes = span(times), Counter(times)
    assert (counted.rows, counted.first, counted.last) == (len(times), min(times), max(times))
    assert (counted.different, counted.most) == (len(sizes), max(sizes.values()))
    assert sizes[counted.most_at] == counted.most
    assert counted.back == sum(later < earlier for earlier, later in pairwise(times))


def test_a_log_without_rows_has_no_span() -> None:
    nothing = pa.chunked_array([pa.array([], pa.int64())])
    assert TimeSpan.of(nothing, nothing) is None


def oddities(times: list[int], *, wall: bool = True, is_unit_guessed: bool = False) -> str:
    clock = LogClock(Clock() if wall else None)
    return " ".join(span(times).oddities(clock, is_unit_guessed=is_unit_guessed))


def test_nothing_is_odd_about_a_usual_log() -> None:
    """Nor about a few rows."""
    assert oddities([1_362_729_600 + minute * 60 for minute in range(100)]) == ""
    assert oddities([7] * 9, wall=False) == ""


def test_what_is_odd_is_told() -> None:
    """One time for most events, a time that runs back, dates that cannot be, numbers that may not be seconds."""
    day = 1_445_126_400
    assert "20 of 30 events are at one time, 2015-10-18 00:00" in oddities([day] * 20 + list(range(day + 1, day + 11)))
    assert "goes back in 9 of 10 rows" in oddities(list(range(day, day - 10, -1)))
    assert "the newest rows stand first" in oddities(list(range(day, day - 20, -1)))
    assert "is this right: 2015-10-18 00:00 to 6000-" in oddities([day, 127_200_000_000])
    notes = oddities([25_263_126, 71_996_000], wall=False, is_unit_guessed=True)
    assert "as seconds they span 541 days; as milliseconds (--unit ms) 13 hours" in notes
    assert oddities([25_263_126, 71_996_000], wall=False) == ""


@given(st.sampled_from(sorted(UNITS)), st.integers(0, 10**9 - 1), st.integers(-(2**33), 2**33))
def test_no_digit_of_a_moment_is_lost(unit: str, part: int, seconds: int) -> None:
    """What is shown can be given back, whatever the unit; of two moments each is shown otherwise, also in files."""
    moment = (seconds * 10**9 + part) * UNITS[unit] // 10**9
    clock = LogClock.of(unit, "UTC", are_dates=True)
    assert clock.moment(clock.time(moment)) == moment
    assert Clock(unit).iso(moment) != Clock(unit).iso(moment + 1)
    length = clock.length(1 + part * UNITS[unit] // 10**9)
    assert not length.startswith("0 "), length
