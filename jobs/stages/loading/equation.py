"""The equation of rows, for each day and file: read = gave_event + refused + other_days + without_event +
suppressed.

The right side counts the fates of rows, the left what the readers gave. `bitmap_equation.py` says the
same of a large load. Cost: linear in the rows; one row of the result for each day and file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from jobs.raw.row_days import FarRows, SeenRows
from jobs.stages.loading.row_fates import NO_DAY, GivenEvents, RowFates, days_of_rows
from jobs.workload.operating_days import day_number


class RowsOfFiles(NamedTuple):
    """The rows of a run and their files. `file` [rows]: the row's place among the files; `own` [rows]: the day that its
    time tells, or NO_DAY; `seen` [files]: the rows that the run sees, of files whose rows tell their days."""

    file: Ints
    own: Ints
    seen: Sequence[SeenRows | None]

    def near(self, day: int) -> Flags:
        """[rows] Whether a run of this one day would see the row."""
        slack = np.array([0 if of_file is None else of_file.slack for of_file in self.seen], np.int64)
        return (self.own == NO_DAY) | (abs(self.own - day) <= slack[self.file])


class LeftOut(NamedTuple):
    """What erasures leave out. `events` [events]; `rows` [rows]: refused rows, of those that the run records."""

    events: Flags
    rows: Flags


def equation(
    files: pa.Table,
    rows: RowsOfFiles,
    fates: RowFates,
    events: GivenEvents,
    out: LeftOut,
    days: Sequence[date],
    start: date,
) -> pa.Table:
    """A row for each of `days` and each file: day, source, number, read, the five terms, `missed` (rows all of whose
    events lie before the log's first day or outside the calendar), `missed_ts` (the last `ts` of such an event).

    `files`: source, number, read (`file_ledgers.file_counts`). A row that a run of the one day would not see belongs to
    other days, whether it has an event or not; so the terms of a day do not depend on the other days of the run.
    """
    count, of_row = len(files), rows.file
    refused, has_day = fates.refused, np.zeros(len(of_row), np.bool_)
    has_day[fates.day_rows] = True
    missed = (fates.first >= 0) & (fates.last_day < day_number(start))
    far = [FarRows() if seen is None else seen.far for seen in rows.seen]
    all_missed = _counted(of_row, missed, count) + np.array([of_file.missed for of_file in far], np.int64)
    unseen = np.array([of_file.rows for of_file in far], np.int64)
    passed = ~refused[fates.day_rows]
    kept_rows, kept_days = days_of_rows(events.row[~out.events], events.day[~out.events])
    kept = ~refused[kept_rows]
    tables = []
    for day in days:
        number = day_number(day)
        near = rows.near(number)
        dated = _counted(of_row[fates.day_rows], passed & (fates.days == number), count)
        gave = _counted(of_row[kept_rows], kept & (kept_days == number), count)
        recorded = refused & (fates.recorded == number)
        of_day, hidden = _counted(of_row, recorded, count), _counted(of_row, recorded & out.rows, count)
        with_day = _counted(of_row, near & ~refused & has_day, count)
        all_refused = _counted(of_row, near & refused, count)
        terms: Mapping[str, Ints] = {
            "gave_event": gave,
            "refused": of_day - hidden,
            "other_days": with_day - dated + all_refused - of_day + _counted(of_row, ~near, count) + unseen,
            "without_event": _counted(of_row, near & ~refused & ~has_day, count),
            "suppressed": dated - gave + hidden,
            "missed": all_missed,
        }
        columns = {name: files[name] for name in ("source", "number", "read")}
        tables.append(pa.table({"day": pa.repeat(pa.scalar(day, pa.date32()), count), **columns, **terms}))
    missing = events.timed & (events.day < day_number(start))
    given = _last_of_files(of_row[events.row[missing]], events.ts[missing], count)
    lasts = [(FarRows(last=last) + of_file).last for last, of_file in zip(given, far, strict=True)]
    last = pa.array(lasts, pa.int64())
    return pa.concat_tables(table.append_column("missed_ts", last) for table in tables)


def _counted(of_row: Ints, chosen: Flags, count: int) -> Ints:
    return np.bincount(of_row[chosen], minlength=count)


def _last_of_files(files: Ints, ts: Ints, count: int) -> list[int | None]:
    """[files] The largest `ts` of each file; null: none."""
    order = np.argsort(ts, kind="stable")
    last = dict(zip(files[order].tolist(), ts[order].tolist(), strict=True))
    return [last.get(file) for file in range(count)]
