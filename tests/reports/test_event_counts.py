"""Events by type and part of the day: statistics tell what a count of the events tells, or are not used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from hypothesis import given
from hypothesis import strategies as st

from jobs.reports.event_counts import Parts, events_by_part
from jobs.reports.lake_reader import LakeReader
from jobs.stages.slicing.counting.period_counts import PeriodCounts
from jobs.workload.operating_days import OperatingDays
from tests.counts import few

DAYS = (date(2013, 3, 7), date(2013, 3, 8), date(2013, 3, 9))
EVENTS = pa.schema(
    [("day", pa.date32()), ("run_id", pa.string()), ("event_type", pa.string()), ("ts", pa.int64()), ("n", pa.int64())]
)
CALENDARS = st.builds(OperatingDays, st.sampled_from([0, 8, 23]).map(lambda hour: timedelta(hours=hour, minutes=hour)))


class NothingCounted(LakeReader):
    """A reader that is never asked for events."""

    def pieces(self, name: str, *_: Any, **__: Any) -> Iterator[pa.Table]:
        raise AssertionError(f"rows of {name} are read")


def events(data: st.DataObject, calendar: OperatingDays, day: date, run: str, least: int = 0) -> list[dict[str, Any]]:
    start, end = calendar.interval(day)
    moments = st.one_of(st.sampled_from([start, end - 1]), st.integers(start, end - 1))
    drawn = data.draw(st.lists(st.tuples(st.sampled_from("ABC"), moments), min_size=least, max_size=8))
    return [{"day": day, "run_id": run, "event_type": kind, "ts": ts, "n": 1} for kind, ts in drawn]


def lake_of(lake: Path, calendar: OperatingDays, present: pa.Table, counted: pa.Table) -> Path:
    """Makes a folder a lake with some events, and statistics of others."""
    counts = PeriodCounts({"A": ["n"]}, calendar.offset, calendar.length // 24)
    counts.add(counted)
    for name, rows in (("events", present), ("stream_statistics", counts.tables(4)[0])):
        write_deltalake(str(lake / name), rows, partition_by=["day"])
    return lake


def one_by_one(calendar: OperatingDays, rows: list[dict[str, Any]]) -> dict[date, Parts]:
    """The definition; in the order of the types and parts."""
    sums: dict[date, Counter[tuple[str, int]]] = {day: Counter() for day in DAYS}
    for row in rows:
        into_day = row["ts"] - calendar.interval(row["day"])[0]
        sums[row["day"]][row["event_type"], into_day // (calendar.length // 24)] += 1
    return {day: dict(sorted(own.items())) for day, own in sums.items()}


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, EVENTS)


@few(40)
@given(st.data(), CALENDARS)
def test_statistics_and_events_give_the_same_counts(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, calendar: OperatingDays
) -> None:
    """Whatever happened after a day was counted: nothing, a load of other events, which was perhaps killed between
    files, an erasure of some events, or of all. Days without events have no statistics."""
    counted = {day: events(data, calendar, day, "first") for day in DAYS}
    present = dict(counted)
    for day in DAYS:
        match data.draw(st.sampled_from(["nothing", "loaded", "in part", "added", "erased"]), f"{day}"):
            case "loaded":
                present[day] = events(data, calendar, day, "second")
            case "in part":
                present[day] = [*counted[day][1:], *events(data, calendar, day, "second", 1)[:1]]
            case "added":
                present[day] = [*counted[day], *events(data, calendar, day, "second")]
            case "erased":
                present[day] = [row for row in counted[day] if data.draw(st.booleans())]
    rows = [row for own in present.values() for row in own]
    lake = lake_of(
        tmp_path_factory.mktemp("lake"), calendar, table(rows), table([row for own in counted.values() for row in own])
    )
    counts = events_by_part(LakeReader(lake), calendar, DAYS)
    assert counts == one_by_one(calendar, rows)
    assert [list(own) for own in counts.values()] == [list(own) for own in one_by_one(calendar, rows).values()]


@few(20)
@given(st.data(), CALENDARS)
def test_no_event_is_read_of_days_that_are_counted(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, calendar: OperatingDays
) -> None:
    rows = [row for day in DAYS for row in events(data, calendar, day, f"run of {day}", 1)]
    lake = lake_of(tmp_path_factory.mktemp("lake"), calendar, table(rows), table(rows))
    assert events_by_part(NothingCounted(lake), calendar, DAYS) == one_by_one(calendar, rows)


def test_statistics_of_days_that_began_at_another_hour_are_not_used(tmp_path: Path) -> None:
    """An event at 08:00 UTC is in the first part of days that begin then, and in the ninth of days from midnight."""
    early, late = OperatingDays(timedelta(0)), OperatingDays(timedelta(hours=8, minutes=30))
    start = late.interval(DAYS[0])[0]
    rows = [{"day": DAYS[0], "run_id": "first", "event_type": "A", "ts": start, "n": 1}]
    lake = lake_of(tmp_path, early, table(rows), table(rows))
    assert events_by_part(LakeReader(lake), late, DAYS[:1]) == {DAYS[0]: {("A", 0): 1}}
    with pytest.raises(AssertionError, match="rows of events are read"):
        events_by_part(NothingCounted(lake), late, DAYS[:1])


def test_a_lake_without_statistics_or_events(tmp_path: Path) -> None:
    calendar = OperatingDays(timedelta(0))
    assert events_by_part(LakeReader(tmp_path), calendar, DAYS) == {day: {} for day in DAYS}
    assert events_by_part(LakeReader(tmp_path), calendar, ()) == {}
    rows = [{"day": DAYS[1], "run_id": "first", "event_type": "A", "ts": calendar.interval(DAYS[1])[0], "n": 1}]
    write_deltalake(str(tmp_path / "events"), table(rows), partition_by=["day"])
    assert events_by_part(LakeReader(tmp_path), calendar, DAYS) == {**{day: {} for day in DAYS}, DAYS[1]: {("A", 0): 1}}
