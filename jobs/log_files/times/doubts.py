"""What makes one doubt that columns of times are read as they are meant: told, as the times are read nevertheless."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from jobs.log_files.times.local_times import unclear_times
from jobs.log_files.times.number_forms import looks_like_clock, looks_like_days
from jobs.log_files.times.stamps import without_offset
from jobs.log_files.times.time_source import TimeSource
from jobs.reports.words.quantities import counted, quantity

_MOMENTS = re.compile(r"time|date|day|stamp|(^|[^a-z])(ts|at|when)([^a-z]|$)", re.IGNORECASE)
_SPREADSHEET = date(1899, 12, 30)
_DAYS_1982, _DAYS_2064 = 30_000, 60_000
"""Days as spreadsheets count them, from _SPREADSHEET on."""


def doubts(source: TimeSource, table: pa.Table) -> Iterator[str]:
    """Remarks on the times that a source reads from a table."""
    if len(source.columns) == 1 and source.form is None:
        name = source.columns[0]
        yield from _of_texts(table[name], name, source.zone)
        if source.is_unit_guessed and source.origin is None:
            yield from _of_numbers(table[name], name)
    written = source.as_written(table)
    is_local = kinds.is_timestamp(written.type) and written.type.tz is None and source.zone != "UTC"
    if is_local and (source.form is None or source.form.has_date) and (odd := unclear_times(written, source.zone)):
        yield (
            f"clocks change in {source.zone}, so {counted(odd, 'time')} of the file happened twice or never: the first "
            "of two is taken, and one that never happened is that much later"
        )


def _of_texts(column: pa.ChunkedArray, name: str, zone: str) -> Iterator[str]:
    local = without_offset(column)
    if 0 < local < (times := len(column) - column.null_count):
        yield (
            f"'{name}' holds {counted(local, 'time')} without an offset beside {quantity(times - local)} with one: "
            f"they are taken for times of {zone} (--zone)"
        )


def _of_numbers(column: pa.ChunkedArray, name: str) -> Iterator[str]:
    """Of numbers whose unit nothing tells, in a column that is named like a moment."""
    if not _MOMENTS.search(name) or column.null_count == len(column):
        return
    if looks_like_clock(column):
        yield f"'{name}' is read as seconds, and can be times of day, too: --ts-format '%H%M%S' reads it so"
    if form := looks_like_days(column):
        yield f"'{name}' is read as seconds, and can be days, too: --ts-format '{form}' reads it so"
    bounds = pc.min_max(column).as_py()
    if bounds["min"] >= _DAYS_1982 and bounds["max"] <= _DAYS_2064:
        first, last = (_SPREADSHEET + timedelta(days=int(bounds[end])) for end in ("min", "max"))
        yield (
            f"'{name}' is read as seconds; if it counts days, as spreadsheets do, it spans {first} to {last}: "
            f"--unit day --origin {_SPREADSHEET} reads it so"
        )
