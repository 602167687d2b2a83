"""Times without an offset: the moments that Python's time zones give, and what is doubtful is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.log_files.times.doubts import doubts
from jobs.log_files.times.local_times import moments_of_local, unclear_times
from jobs.log_files.times.time_source import TimeOptions, TimeSource

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia")
CHANGES = ("2024-03-31T02:30", "2024-10-27T02:30", "2024-03-10T02:30", "2024-11-03T01:30", "2024-04-07T01:45")
TIMES = st.one_of(
    st.datetimes(datetime(1971, 1, 1), datetime(2036, 1, 1)),
    st.builds(
        lambda change, seconds: datetime.fromisoformat(change) + timedelta(seconds=seconds),
        st.sampled_from(CHANGES),
        st.integers(-7200, 7200),
    ),
)


@given(st.lists(TIMES, min_size=1, max_size=6), st.sampled_from(ZONES), st.sampled_from(["s", "ms", "us", "ns"]))
def test_local_times_are_the_moments_that_python_gives(times: list[datetime], zone: str, unit: str) -> None:
    """The first of two, and later by what was skipped."""
    if unit in ("s", "ms"):
        times = [time.replace(microsecond=0) for time in times]
    column = pa.chunked_array([pa.array([*times, None], pa.timestamp(unit))])
    expected = [time.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC) for time in times]
    assert moments_of_local(column, zone).to_pylist() == [*expected, None]
    odd = [time for time in times if len({time.replace(tzinfo=ZoneInfo(zone), fold=f).utcoffset() for f in (0, 1)}) > 1]
    assert unclear_times(column, zone) == len(odd)


@given(
    st.lists(st.tuples(TIMES, st.none() | st.integers(-12, 14)), min_size=1, max_size=6),
    st.sampled_from(ZONES),
)
def test_texts_with_and_without_an_offset(rows: list[tuple[datetime, int | None]], zone: str) -> None:
    """Beside each other in one column: an offset counts, and without one the zone does; how many have none is told."""
    texts, expected = [], []
    for local, hours in rows:
        clock = ZoneInfo(zone) if hours is None else timezone(timedelta(hours=hours))
        moment = local.replace(tzinfo=clock, microsecond=0)
        texts.append(moment.isoformat() if hours is not None else moment.replace(tzinfo=None).isoformat(" "))
        expected.append(int(moment.timestamp()))
    table = pa.table({"at": texts})
    source = TimeSource.of(table, TimeOptions(zone=zone))
    per_second = {"s": 1, "us": 10**6}[source.unit]
    assert [moment // per_second for moment in source.moments(source.stamps(table)).to_pylist()] == expected
    local_times = sum(hours is None for _, hours in rows)
    remarks = [remark for remark in doubts(source, table) if "without an offset" in remark]
    assert bool(remarks) == (0 < local_times < len(rows))
    assert all(f"holds {local_times} time" in remark for remark in remarks)


def test_numbers_and_times_of_day_have_no_zone() -> None:
    """Numbers that count from 1970 are UTC's; a time of day counts from its origin, which is in the zone."""
    for table, options in (
        (pa.table({"at": [1_706_688_000]}), TimeOptions("at", zone="Europe/Berlin")),
        (pa.table({"at": ["08:00:00"]}), TimeOptions("at", zone="Europe/Berlin")),
        (pa.table({"at": ["080000"]}), TimeOptions("at", "%H%M%S", zone="Europe/Berlin")),
    ):
        source, same = TimeSource.of(table, options), TimeSource.of(table, TimeOptions("at", options.form))
        assert source.moments(source.stamps(table)) == same.moments(same.stamps(table))


@pytest.mark.parametrize(
    ("name", "values", "options", "said"),
    [
        ("Time", [203_615, 517], {}, "can be times of day, too: --ts-format '%H%M%S'"),
        ("Date", [81_109, 81_110], {}, "can be days, too: --ts-format '%y%m%d'"),
        ("day", [20_081_109], {}, "can be days, too: --ts-format '%Y%m%d'"),
        ("time", [45_322.25, 45_323.5], {}, "it spans 2024-01-31 to 2024-02-01: --unit day --origin 1899-12-30"),
        (
            "at",
            ["2024-03-31 02:30"],
            {"zone": "Europe/Berlin"},
            "change in Europe/Berlin, so 1 time of the file",
        ),
        ("Time", [203_615, 517], {"unit": "s"}, ""),
        ("Time", [203_675], {}, ""),
        ("count", [45_322.25], {}, ""),
        ("at", [1, 2], {}, ""),
        ("at", ["2024-03-31 02:30"], {}, ""),
    ],
)
def test_doubts(name: str, values: list[object], options: dict[str, str], said: str) -> None:
    """What numbers can be besides seconds, with the option that reads them so; nothing of what is usual."""
    table = pa.table({name: values})
    remarks = " ".join(doubts(TimeSource.of(table, TimeOptions(name, **options)), table))
    assert said in remarks
    assert bool(said) == bool(remarks)
