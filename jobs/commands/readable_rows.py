"""Rows of a result for a person: moments as local times, and no logarithms of numbers that are there themselves.

Names and order of columns stay. Programs read the columns themselves (`--csv`).
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import pyarrow as pa

from jobs.commands.text_table import text_table
from jobs.questions.result_columns import LOG, moments
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import scientific


def readable_table(rows: pa.Table, clock: Clock, *, windows_of_events: bool = False) -> str:
    """The rows as aligned text. `windows_of_events`: windows are positions of events, not moments.

    >>> rows = pa.table({"window_start": [1362729600], "n": pa.array([None], pa.int64()), "n_log10": [46.2]})
    >>> print(readable_table(rows, Clock(zone="America/New_York")))
    window_start         n
    2013-03-08 03:00:00  1.6e46
    """
    names = rows.schema.names
    kept = [name for name in names if not (name.endswith(LOG) and name.removesuffix(LOG) in names)]
    of_time = moments(windows_of_events)
    return text_table(kept, [[_cell(name, row, clock, of_time) for name in kept] for row in rows.to_pylist()])


def _cell(name: str, row: dict[str, Any], clock: Clock, of_time: Set[str]) -> object:
    value = row[name]
    if name in of_time and isinstance(value, int):
        local = clock.at(value)
        fraction = f"{local.microsecond:06d}".rstrip("0")
        return f"{local:%Y-%m-%d %H:%M:%S}" + (f".{fraction}" if fraction else "")
    log10 = row.get(f"{name}{LOG}")
    return scientific(log10) if value is None and log10 is not None else value
