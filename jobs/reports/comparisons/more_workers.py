"""What more workers would give for a day, as `compare` planned it and the day's last run measured it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pyarrow.dataset as ds

from jobs.reports.lake_reader import LakeReader, rows
from jobs.stages.measuring.more_workers import EXPERIMENT, Rows, read_back, work_of
from jobs.stages.measuring.wall_time import Wall, walls


def walls_of_day(reader: LakeReader, day: date) -> list[Wall]:
    """The predicted wall times of a day, fewest workers first; none if the day was not planned for other numbers."""
    planned = read_back(rows(reader.read("experiments", day, day, where=ds.field("experiment") == EXPERIMENT)))
    loaded = rows(reader.read("_work/loaded_days", day, day, ["events"]))
    if not planned or not loaded:
        return []

    def read(name: str, columns: Sequence[str], where: ds.Expression) -> Rows:
        return rows(reader.read(name, columns=columns, where=where))

    work = work_of(read, day, loaded[0]["events"])
    return [] if work is None else walls(work, planned.get)
