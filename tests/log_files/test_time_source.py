"""Which columns tell the time: derived where they can be read in one way only; else said, or refused with advice."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.exits import WrongWorkload
from jobs.log_files.times.stamps import finer_unit, moments
from jobs.log_files.times.time_source import TimeOptions, TimeSource

HDFS = pa.table({"Date": [81109, 81109, 81110], "Time": [203615, 203807, 517]})
HADOOP = pa.table({"Date": ["2015-10-18", "2015-10-18"], "Time": ["18:01:47,978", "18:01:48,963"]})


def read(table: pa.Table, **options: str) -> list[object]:
    """The moments of a table, and their unit."""
    source = TimeSource.of(table, TimeOptions(**options))
    return [source.unit, *source.moments(source.stamps(table)).to_pylist()]


def seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def test_days_and_times_of_day_are_read_together() -> None:
    """Dates beside times of day can mean one thing only; a comma before milliseconds is a point."""
    assert read(HADOOP) == [
        "us",
        seconds("2015-10-18T18:01:47") * 10**6 + 978_000,
        seconds("2015-10-18T18:01:48") * 10**6 + 963_000,
    ]
    typed = pa.table({"day": HADOOP["Date"].cast(pa.date32()), "at": pa.array([65_107, 65_108], pa.time32("s"))})
    assert read(typed)[1] == seconds("2015-10-18T18:05:07") * 10**6


def test_numbers_like_times_of_day_beside_days_are_refused() -> None:
    """They were read as seconds once. The message has the options that read them; these give zeros back."""
    with pytest.raises(WrongWorkload, match=r"--ts Date.Time --ts-format '%y%m%d %H%M%S' reads both, "):
        read(HDFS)
    form = "%y%m%d %H%M%S"
    assert read(HDFS, columns="Date+Time", form=form) == [
        "s",
        *(seconds(f"2008-11-{at}") for at in ("09T20:36:15", "09T20:38:07", "10T00:05:17")),
    ]
    assert read(HDFS, columns="Time") == ["s", 203615, 203807, 517]
    with pytest.raises(WrongWorkload, match="'Date' holds 81109 and 'Time' holds 203615; which form"):
        read(HDFS, columns="Date+Time")


def test_a_name_that_has_a_day_inside_is_no_day() -> None:
    """Only words count: an update is none."""
    updates = pa.table({"updates": [7, 8], "Time": [203615, 203807]})
    assert read(updates) == ["s", 203615, 203807]


def test_a_log_that_counts_from_some_moment() -> None:
    """The origin is a date in the user's zone, or with an offset of its own; times that are dates have none."""
    ticks = pa.table({"stock_time": [25_263_126, 25_265_331]})
    begin = seconds("2004-09-01T04:00:00") * 1000
    named = {"columns": "stock_time", "unit": "ms"}
    for origin, zone in (("2004-09-01", "America/New_York"), ("2004-09-01T00:00-04:00", "UTC")):
        assert read(ticks, **named, origin=origin, zone=zone) == ["ms", begin + 25_263_126, begin + 25_265_331]
    with pytest.raises(WrongWorkload, match="--origin 'soon' is no date"):
        read(ticks, **named, origin="soon")
    with pytest.raises(WrongWorkload, match=r"--origin: the times of 'Date.Time' are dates"):
        read(HADOOP, origin="2004-09-01")
    with pytest.raises(WrongWorkload, match="unknown time zone 'Mars'"):
        TimeOptions(zone="Mars")


def test_an_origin_of_zero_is_one() -> None:
    """Whoever says that time 0 was the first of January 1970 sees dates."""
    source = TimeSource.of(pa.table({"ts": [5]}), TimeOptions(origin="1970-01-01"))
    assert source.are_dates(pa.chunked_array([[5]]))
    assert source.moments(pa.chunked_array([[5]])).to_pylist() == [5]


def test_three_columns_need_a_form() -> None:
    """Nobody knows how they are put together."""
    table = pa.table({"day": ["9"], "month": ["Nov"], "at": ["2008 203615"]})
    with pytest.raises(WrongWorkload, match=r"--ts day.month.at: how more than two columns tell the time must be said"):
        read(table, columns="day+month+at")
    with pytest.raises(WrongWorkload, match=r"'day.month.at' holds '9 Nov 2008 203615'"):
        read(table, columns="day+month+at", form="%d %b %Y %H%M%S")
    table = table.set_column(0, "day", pa.array(["09"]))
    assert read(table, columns="day+month+at", form="%d %b %Y %H%M%S") == ["s", seconds("2008-11-09T20:36:15")]


def test_columns_with_a_plus_in_their_name() -> None:
    """A column's own name is taken before two names."""
    assert TimeSource.of(pa.table({"a+b": [1], "a": [2]}), TimeOptions("a+b")).columns == ("a+b",)
    with pytest.raises(WrongWorkload, match="no column 'c'"):
        TimeSource.of(pa.table({"a": [2]}), TimeOptions("a+c"))


def test_a_unit_that_nothing_tells_is_a_guess() -> None:
    """Numbers that are no dates; not where the user says the unit, nor for dates."""
    small, large = pa.table({"ts": [1, 2]}), pa.table({"ts": [1_362_729_600, 1_362_729_601]})
    assert TimeSource.of(small, TimeOptions()).is_unit_guessed
    assert not TimeSource.of(small, TimeOptions(unit="s")).is_unit_guessed
    assert not TimeSource.of(large, TimeOptions()).is_unit_guessed


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=5), st.sampled_from([1, 10, 1000, 10**6]))
def test_seconds_with_fractions(numbers: list[int], parts: int) -> None:
    """Numbers that are whole in parts of a second are read without loss, in the coarsest unit that fits them all."""
    column = pa.chunked_array([[number / parts for number in numbers]])
    unit = finer_unit(column, "s")
    factor = {"s": 1, "ms": 10**3, "us": 10**6}[unit]
    assert moments(column, "t", unit, "s").to_pylist() == [
        number * 10**6 // parts * factor // 10**6 for number in numbers
    ]
    assert unit == "s" or any(
        number * factor // 1000 % parts or number * (factor // 1000) % parts for number in numbers
    )


def test_nan_is_no_time_and_infinity_is_refused() -> None:
    """As a missing value, and with the value."""
    assert moments(pa.chunked_array([[float("nan"), 1.5]]), "t", "ms", "s").to_pylist() == [None, 1500]
    with pytest.raises(WrongWorkload, match="'t' holds inf"):
        moments(pa.chunked_array([[float("inf")]]), "t", "s")


def test_numbers_that_are_named_like_times_are_advised() -> None:
    """Not taken, as they may be lengths of time; a name with spaces is quoted as a shell wants it."""
    nasdaq = pa.table({"price": [27.85], "stock_time": [25_263_126]})
    with pytest.raises(WrongWorkload, match=r"numbers named so may: --ts stock_time \(with --unit ms"):
        read(nasdaq)
    soccer = pa.table({"Period": [1], "Start Time [s]": [0.04], "Endpoints": [3]})
    with pytest.raises(WrongWorkload, match=r"may: --ts 'Start Time \[s\]' \("):
        read(soccer)
    with pytest.raises(WrongWorkload, match="no column holds times; name it with --ts, one of price, times_seen"):
        read(pa.table({"price": [1], "times_seen": [2]}))
