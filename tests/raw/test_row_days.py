"""Rows whose time tells their day: a run sees the same ones however a file is written, and the others are counted."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jobs.raw.raw_frame import LEDGER
from jobs.raw.reading.file_form import FileForm, ParquetForm, TextForm
from jobs.raw.reading.file_rows import survey_of
from jobs.raw.row_days import FarRows, RowDays, SeenRows
from jobs.raw.strict_frame import NumberedRange, frame_batches
from jobs.runs.input_size import read_bytes, source_bytes
from jobs.workload.declaration import load_workload
from jobs.workload.operating_days import UNITS, OperatingDays, day_number
from jobs.workload.sections.sources import Source
from tests.runs.lake.small_workload import write_workload

START = date(2024, 1, 3)
DAYS = [START + timedelta(days=n) for n in range(-2, 5)]
EPOCH = date(1970, 1, 1)
STORED = {
    "BIGINT": [pa.int64(), pa.float64()],
    "TIMESTAMP": [pa.timestamp("ms"), pa.timestamp("us", "UTC"), pa.timestamp("ns"), pa.date32(), pa.string()],
    "DATE": [pa.date32(), pa.timestamp("ms")],
}
"""Types in files from which the declared ones are taken; of some, a value may be refused that lies between others."""


@st.composite
def logs(draw: st.DrawFn) -> tuple[RowDays, pa.DataType, list[date | None], list[int | None], dict[str, Any]]:
    """How rows tell their days, the stored type, days of rows and their moments, and how the file is written."""
    kind = draw(st.sampled_from(sorted(STORED)))
    calendar = OperatingDays(timedelta(hours=draw(st.integers(0, 23))), draw(st.sampled_from(sorted(UNITS))))
    slack, stored = draw(st.integers(0, 1)), draw(st.sampled_from(STORED[kind]))
    loads = draw(st.sets(st.sampled_from(DAYS), min_size=1, max_size=2))
    near = {day + timedelta(days=n) for day in loads for n in range(-slack, slack + 1)}
    time = RowDays("at", kind, slack, calendar, tuple(sorted(map(day_number, near))), day_number(START))
    in_order = draw(st.booleans())
    drawn = draw(st.lists(st.one_of(st.none(), st.sampled_from(DAYS), st.sampled_from(DAYS)), min_size=1, max_size=20))
    days = sorted(drawn, key=lambda day: (day is not None, day or START)) if in_order else drawn
    seconds = [draw(st.integers(0, 86_399)) for _ in days]
    moments = [None if day is None else _moment(time, day, later) for day, later in zip(days, seconds, strict=True)]
    if pa.types.is_date32(stored) or kind == "DATE":  # a day's first moment, by its name
        days = [None if m is None else day_of(time, m - m % DAY_OF[kind]) for m in moments]
        moments = [None if m is None else m - m % DAY_OF[kind] for m in moments]
    writing = {
        "row_group_size": draw(st.integers(1, 6)),
        "write_statistics": draw(st.sampled_from([True, True, False])),
    }
    return time, stored, days, moments, writing


DAY_OF = {"BIGINT": 1, "TIMESTAMP": 86_400_000_000, "DATE": 1}


def _moment(time: RowDays, day: date, seconds: int) -> int:
    """A moment of an operating day, as the column counts."""
    if time.kind == "DATE":
        return day_number(day)
    unit = "us" if time.kind == "TIMESTAMP" else time.calendar.unit
    return OperatingDays(time.calendar.begin, unit).interval(day)[0] + seconds * UNITS[unit]


def day_of(time: RowDays, moment: int) -> date:
    """The operating day of a moment, by its definition."""
    if time.kind == "DATE":
        return EPOCH + timedelta(days=moment)
    unit = UNITS["us" if time.kind == "TIMESTAMP" else time.calendar.unit]
    return EPOCH + timedelta(days=(moment - int(time.calendar.begin.total_seconds()) * unit) // (86_400 * unit))


def column_of(moments: list[int | None], kind: str, stored: pa.DataType) -> pa.Array:
    """Moments as a file stores them."""
    if kind == "BIGINT":
        return pa.array(moments, pa.int64()).cast(stored, safe=False)
    if kind == "DATE":
        return pa.array(moments, pa.int32()).cast(pa.date32()).cast(stored)
    stamps = pa.array(moments, pa.timestamp("us", "UTC"))
    if pa.types.is_string(stored):
        return pa.compute.strftime(stamps, "%Y-%m-%dT%H:%M:%S")
    return stamps.cast(pa.timestamp("us") if getattr(stored, "tz", None) is None else stamps.type).cast(stored)


def read(path: Path, form: FileForm) -> tuple[list[tuple[int, date | None, str | None]], SeenRows, int]:
    """Ids, days and rules of the rows that are read; the file's rows counted; how many are in skipped groups."""
    time = form.time
    assert time is not None
    survey = survey_of(path, form, 1)
    seen, rows = SeenRows(time.slack, {}, survey.skipped), []
    for part in survey.ranges:
        for batch in frame_batches(NumberedRange(0, None, part, 0), form):
            if batch[LEDGER].null_count:
                seen += time.counted(batch)
                rows += batch.filter(time.sees(batch["_day"])).select(["_id", "_day", "_rule"]).to_pylist()
    return sorted(tuple(row.values()) for row in rows), seen, survey.skipped.rows


GROUP_AROUND_START = (
    RowDays("at", "BIGINT", 0, OperatingDays(timedelta(0), "ms"), (day_number(START) + 1,), day_number(START)),
    pa.int64(),
    [START - timedelta(days=2), START],
    [1_704_067_200_000, 1_704_240_000_000],
    {"row_group_size": 2, "write_statistics": True},
)
"""One group of rows before the log's first day and on it; the run sees neither, and counts the first as missed."""


REFUSED_LAST = (
    GROUP_AROUND_START[0],
    pa.int64(),
    [START - timedelta(days=2)] * 5,
    [1_704_067_200_000 + row for row in range(5)],
    {"row_group_size": 5, "write_statistics": True},
)
"""The fifth of the missed rows is the last one, and its reader refuses it."""


@given(logs())
@example(GROUP_AROUND_START)
@example(REFUSED_LAST)
def test_a_run_sees_the_same_rows_however_a_file_is_written(
    log: tuple[RowDays, pa.DataType, list[date | None], list[int | None], dict[str, Any]],
) -> None:
    """Row groups of any sizes, with statistics or none, in the order of time or not; and the same as text. Rows that
    are not seen are counted, whether they were read or skipped; no row that is seen is skipped."""
    time, stored, days, moments, writing = log
    number = column_of(moments, time.kind, stored)
    wrong = [row % 5 == 4 for row in range(len(days))]
    with tempfile.TemporaryDirectory() as folder:
        parquet, text = Path(folder, "log.parquet"), Path(folder, "log.csv")
        pq.write_table(pa.table({"at": number, "n": [0.5 if bad else 1.0 for bad in wrong]}), parquet, **writing)
        shown = (
            number.cast(pa.int64())
            if time.kind == "BIGINT"
            else pa.compute.strftime(
                pa.array(moments, pa.int32()).cast(pa.date32())
                if time.kind == "DATE"
                else column_of(moments, time.kind, pa.timestamp("us", "UTC")),
                "%Y-%m-%d" if time.kind == "DATE" else "%Y-%m-%dT%H:%M:%S",
            )
        )
        lines = [
            f"{'' if at is None else at},{0.5 if bad else 1}" for at, bad in zip(shown.to_pylist(), wrong, strict=True)
        ]
        text.write_text("\n".join(["at,n", *lines]))
        columns = {"at": time.kind, "n": "BIGINT"}
        readings = [read(parquet, ParquetForm(columns, time)), read(text, TextForm("csv", columns, time=time))]
    days = [None if moment is None else day_of(time, moment) for moment in moments]
    near = [day is None or day_number(day) in time.wanted for day in days]
    missed = [
        m
        for m, day in zip(moments, days, strict=True)
        if m is not None and day and day < START and time.kind == "BIGINT" and day_number(day) not in time.wanted
    ]
    far = FarRows(near.count(False), len(missed), max(missed, default=None))
    expected = [
        (row, day, "type" if bad else None)
        for row, (day, is_near, bad) in enumerate(zip(days, near, wrong, strict=True))
        if is_near
    ]
    for rows, seen, skipped in readings:
        assert rows == expected
        assert seen.near == Counter(day for _, day, _ in expected)
        assert seen.far.rows == far.rows >= skipped
        assert (seen.far.missed, seen.far.last) == (far.missed, far.last)


def test_row_groups_of_other_days_are_not_read(tmp_path: Path) -> None:
    """Four days, one a row group: the run's day and the group with a null are read, the rest is not even opened."""
    calendar = OperatingDays(timedelta(0), "s")
    time = RowDays("at", "BIGINT", 0, calendar, (day_number(DAYS[3]),), day_number(START))
    stamps = [
        calendar.interval(day)[0] + row if (day, row) != (DAYS[5], 1) else None for day in DAYS[1:6] for row in range(3)
    ]
    file = tmp_path / "log.parquet"
    pq.write_table(pa.table({"at": stamps, "n": range(15)}), file, row_group_size=3)
    survey = survey_of(file, ParquetForm({"at": "BIGINT", "n": "BIGINT"}, time))
    assert [(part.begin, part.end, part.ordinal) for part in survey.ranges] == [(2, 3, 6), (4, 5, 12)]
    assert survey.skipped == FarRows(9, 3, stamps[2])
    home = write_workload(tmp_path, days=0)
    source = Source("log", "parquet", {"at": "BIGINT", "n": "BIGINT"}, str(file), time="at")
    workload = replace(load_workload(home), start=START)
    whole = source_bytes(source, [DAYS[3]], tmp_path)
    assert whole is not None
    assert read_bytes(source, [DAYS[3]], workload) == round(whole * 6 / 15)
    assert read_bytes(source, [], workload) == read_bytes(replace(source, time=""), DAYS, workload) == whole


@pytest.mark.parametrize("value", [1 << 60, -(1 << 60), 1 << 62, (1 << 63) - 1])
def test_a_group_with_a_moment_that_no_calendar_has_is_read(tmp_path: Path, value: int) -> None:
    """Its row has no day, so every run must see it."""
    time = RowDays("at", "TIMESTAMP", 0, OperatingDays(timedelta(0)), (day_number(START),), day_number(START))
    for unit in ("ms", "us", "ns"):
        file = tmp_path / f"{unit}.parquet"
        pq.write_table(pa.table({"at": pa.array([0, value], pa.timestamp(unit))}), file)
        rows, seen, skipped = read(file, ParquetForm({"at": "TIMESTAMP"}, time))
        if unit != "ns":  # in nanoseconds 64 bits hold no year beyond 2262
            assert (rows, skipped, seen.far.rows) == ([(1, None, "type")], 0, 1)
