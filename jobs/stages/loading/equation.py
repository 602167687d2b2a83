"""The equation of rows, for each day and file: read = gave_event + refused + other_days + without_event.

The right side counts the fates of rows, the left what the readers gave. `bitmap_equation.py` says the
same of a large load. Cost: linear in the rows; one row of the result for each day and file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from jobs.stages.loading.row_fates import GivenEvents, RowFates
from jobs.workload.operating_days import day_number


def equation(
    files: pa.Table, of_row: Ints, fates: RowFates, events: GivenEvents, days: Sequence[date], start: date
) -> pa.Table:
    """A row for each of `days` and each file: day, source, number, read, the four terms, `missed` (rows all of whose
    events lie before the log's first day or outside the calendar), `missed_ts` (the last `ts` of such an event).

    `files`: source, number, read (`file_ledgers.file_counts`). `of_row` [rows]: the row's place in `files`.
    """
    count = len(files)
    refused, has_day = fates.refused, np.zeros(len(of_row), np.bool_)
    has_day[fates.day_rows] = True
    missed = (fates.first >= 0) & (fates.last_day < day_number(start))
    whole = {
        "refused": _counted(of_row, refused, count),
        "days": _counted(of_row, ~refused & has_day, count),
        "without_event": _counted(of_row, ~refused & ~has_day, count),
        "missed": _counted(of_row, missed, count),
    }
    passed = ~refused[fates.day_rows]
    tables = []
    for day in days:
        number = day_number(day)
        gave = _counted(of_row[fates.day_rows], passed & (fates.days == number), count)
        recorded = _counted(of_row, refused & (fates.recorded == number), count)
        terms: Mapping[str, Ints] = {
            "gave_event": gave,
            "refused": recorded,
            "other_days": whole["days"] - gave + whole["refused"] - recorded,
            "without_event": whole["without_event"],
            "missed": whole["missed"],
        }
        columns = {name: files[name] for name in ("source", "number", "read")}
        tables.append(pa.table({"day": pa.repeat(pa.scalar(day, pa.date32()), count), **columns, **terms}))
    missing = events.timed & (events.day < day_number(start))
    last = pa.array(_last_of_files(of_row[events.row[missing]], events.ts[missing], count), pa.int64())
    return pa.concat_tables(table.append_column("missed_ts", last) for table in tables)


def _counted(of_row: Ints, chosen: Flags, count: int) -> Ints:
    return np.bincount(of_row[chosen], minlength=count)


def _last_of_files(files: Ints, ts: Ints, count: int) -> list[int | None]:
    """[files] The largest `ts` of each file; null: none."""
    order = np.argsort(ts, kind="stable")
    last = dict(zip(files[order].tolist(), ts[order].tolist(), strict=True))
    return [last.get(file) for file in range(count)]
