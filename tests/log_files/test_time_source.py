"""Which columns tell the time: derived where they can be read in one way only; else said, or refused with advice."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.exits import WrongWorkload
from jobs.log_files.times.forms import TimeForm
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
    table = pa.table({"day": ["9th"], "month": ["Nov"], "at": ["2008 203615"]})
    with pytest.raises(WrongWorkload, match=r"--ts day.month.at: how more than two columns tell the time must be said"):
        read(table, columns="day+month+at")
    with pytest.raises(WrongWorkload, match=r"'day.month.at' holds '9th Nov 2008 203615'"):
        read(table, columns="day+month+at", form="%d %b %Y %H%M%S")
    for day in ("09", "9"):
        table = table.set_column(0, "day", pa.array([day]))
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
    with pytest.raises(WrongWorkload, match=r"these numbers may: --ts stock_time \(with --unit ms"):
        read(nasdaq)
    soccer = pa.table({"Period": [1], "Start Time [s]": [0.04], "Endpoints": [3]})
    with pytest.raises(WrongWorkload, match=r"may: --ts 'Start Time \[s\]' \("):
        read(soccer)
    with pytest.raises(WrongWorkload, match="no column holds times; name it with --ts, one of price, times_seen"):
        read(pa.table({"price": [1], "times_seen": [2]}))


def test_a_form_finds_its_column() -> None:
    """Columns that it does not read are not meant; a second one that it reads is told."""
    table = pa.table({"name": ["x"], "at": ["12/31/2013 5:00 PM"], "end": ["1/1/2014 12:05 am"]})
    source = TimeSource.of(table, TimeOptions(form="%m/%d/%Y %I:%M %p"))
    assert source.moments(source.stamps(table)).to_pylist() == [seconds("2013-12-31T17:00:00")]
    assert source.text == "column 'at' tells the time in s (or --ts end?)"


def test_what_could_be_meant_as_well_is_told() -> None:
    """A second column of time-stamps; none where the user named the column."""
    trips = pa.table({"from": ["2013-01-01 00:00:00"], "to": ["2013-01-01 00:02:00"]})
    assert TimeSource.of(trips, TimeOptions()).others == ("to",)
    assert TimeSource.of(trips, TimeOptions("to")).others == ()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["12/31/2013 5:00 PM"], "--ts at --ts-format '%m/%d/%Y %I:%M %p'"),
        (["3/4/2024 05:00"], "--ts-format '%m/%d/%Y %H:%M'; 'at' holds '3/4/2024 05:00': .*'%d/%m/%Y %H:%M'"),
        (["18/Oct/2015:18:01:47 +0200"], "--ts at --ts-format '%d/%b/%Y:%H:%M:%S %z'"),
        (
            ["2024-01-31 08:00:00", "soon"],
            "time-stamps but for 'soon': if this means no time, --missing 'soon'",
        ),
        ([1_706_688_000_000], "these numbers may: --ts at"),
        ([7, 8, 8, 12], "these numbers rise from row to row: --ts at"),
        ([4_121_195_473, 17], "no column holds times; name it with --ts, one of at"),
        (["[18/Oct/2015:18:01:47 +0200]"], r"--ts-format '\[%d/%b/%Y:%H:%M:%S %z\]'"),
        (["2024-01-31 08:00:00", "2024-01-31 24:00:00"], "time-stamps but for '2024-01-31 24:00:00'"),
        (["Jan 31 08:00:00"], "'at' holds 'Jan 31 08:00:00': it has no year, which a time needs: write one in front"),
        (["Mon 08:00:00"], "'at' holds 'Mon 08:00:00': no form reads a weekday: write a date in its place in the file"),
        (["Sunday 3 May 08:00"], "'at' holds 'Sunday 3 May 08:00': no form reads a weekday: remove it from the file"),
        (["about 08:00:00"], "'at' holds 'about 08:00:00': if this is a time, --ts-format says how it is written"),
    ],
)
def test_what_may_be_a_time_is_advised(values: list[object], said: str) -> None:
    """Not read, but said with the options that read it; a day and month that can be exchanged have two forms."""
    with pytest.raises(WrongWorkload, match=said):
        TimeSource.of(pa.table({"at": values}), TimeOptions())


@pytest.mark.parametrize("text", ["Mar 08 10:00:00", "Mar 8 10:00:00.5", "03-08 10:00:00", "03/08 10:00:00.123"])
def test_the_advice_for_days_without_a_year_reads_them(text: str) -> None:
    with pytest.raises(WrongWorkload, match="write one in front") as raised:
        TimeSource.of(pa.table({"at": [text]}), TimeOptions())
    form = str(raised.value).split("--ts-format '")[1].split("'")[0]
    [read_as] = TimeForm(form).read(pa.chunked_array([[f"2026 {text}"]]), "at").to_pylist()
    assert (read_as.year, read_as.month, read_as.day, read_as.hour) == (2026, 3, 8, 10)


def test_days_beside_hours_and_minutes() -> None:
    """Read together if the name says time: 1:30 may be a score. One digit is an hour, too."""
    day = ["2024-01-31", "2024-01-31"]
    assert read(pa.table({"Date": day, "Time": ["8:05", "17:30"]}))[1:] == [
        seconds(f"2024-01-31T{clock}:00") * 10**6 for clock in ("08:05", "17:30")
    ]
    scores = pa.table({"Date": day, "score": ["8:05", "17:30"]})
    assert TimeSource.of(scores, TimeOptions()).columns == ("Date",)
    assert TimeSource.of(scores, TimeOptions("Date+score")).columns == ("Date", "score")


def test_stamps_with_and_without_an_offset() -> None:
    """Without one they are UTC's, also beside others."""
    assert read(pa.table({"at": ["2024-01-31T08:00:00Z", "2024-01-31 09:00", "2024-01-31T09:00:00+02:00"]}))[1:] == [
        seconds(f"2024-01-31T{clock}:00:00") * 10**6 for clock in ("08", "09", "07")
    ]


def test_the_text_that_is_no_time_is_shown() -> None:
    """The first number was shown once, beside which a text of a later row was the culprit."""
    table = pa.table({"at": ["7", "8", "soon", "9"]})
    source = TimeSource.of(table, TimeOptions("at"))
    with pytest.raises(WrongWorkload, match="'at' holds 'soon', which is no time"):
        source.moments(source.stamps(table))


def test_days_of_a_spreadsheet() -> None:
    """Numbers of days, with or without fractions, from the day that their origin is."""
    named = {"columns": "at", "unit": "day", "origin": "1899-12-30"}
    assert read(pa.table({"at": [45_322, 45_323]}), **named) == ["s", seconds("2024-01-31"), seconds("2024-02-01")]
    assert read(pa.table({"at": [45_322.25, 45_322.000_011_574]}), **named) == [
        "s",
        seconds("2024-01-31T06:00:00"),
        seconds("2024-01-31T00:00:01"),
    ]
    [unit, moment] = read(pa.table({"at": [45_322.000_001]}), **named)
    assert (unit, moment) == ("ms", seconds("2024-01-31") * 1000 + 86)


def test_the_unit_is_that_of_all_times() -> None:
    """Fractions that only later rows have were rounded away once."""
    first = TimeSource.of(pa.table({"ts": [1.0, 2.0]}), TimeOptions())
    source = first.over(table := pa.table({"ts": [1.0, 2.25]}), TimeOptions())
    assert (first.unit, source.unit, source.moments(source.stamps(table)).to_pylist()) == ("s", "ms", [1000, 2250])
