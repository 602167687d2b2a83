"""Marks of loaded days: one column of `_work/loaded_days` gets one value for some days.

Days that were never loaded have no row, and get none. Cost: one read of a table with a row a day, and one commit if a
row changes.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import one_of
from jobs.lake.dataset import read_table
from jobs.lake.definition import identifier
from jobs.lake.tables.event_tables import LOADED_DAYS
from jobs.lake.write import replace


def mark_days(home: Path, days: Collection[date], column: str, value: str | bool) -> None:
    """`home`: a workload's folder in the lake. Days that have the value already are left as they are."""
    folder = home / LOADED_DAYS.folder
    names = schema_of(folder).names
    rows = read_table(folder, names, days)
    if rows is None:
        return
    rows = rows.filter(pc.fill_null(pc.not_equal(rows[column], value), True))
    if rows.num_rows:
        marked = rows.set_column(names.index(column), column, pa.array([value] * rows.num_rows))
        replace(marked, identifier(home.name, LOADED_DAYS.name), one_of("day", rows["day"].to_pylist()))
