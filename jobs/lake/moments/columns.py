"""TIMESTAMP columns beside whole-number times, for those who read a lake with other programs.

Times in a lake are whole numbers in the log's unit, which no cast ever rounds. Beside them stand TIMESTAMP columns in
UTC: `first_at` beside `first_ts`, `window_start_at` beside `window_start`. The program computes them at each write; a
column's own metadata says of what and in which unit, so a table's log is enough. Nothing here reads them. Microseconds
are what a TIMESTAMP holds: nanoseconds are cut off, and times outside of the years 1 to 9999 are null.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from jobs.lake.definition import Column

MADE_OF, UNIT = "trendmill.made_of", "trendmill.unit"
"""Metadata of a column: the whole-number column that it is computed from, and the unit of that one."""

FILLED = "trendmill.moments"
"""Table property: every row has its TIMESTAMP columns, also those that an older program wrote."""

NAMES = {
    "ts": "at",
    "first_ts": "first_at",
    "last_ts": "last_at",
    "window_start": "window_start_at",
    "window_end": "window_end_at",
}
"""Columns that hold times, and the columns beside them."""


@dataclass(frozen=True)
class Moment:
    """A TIMESTAMP column: of which column it is made, and the unit of that one."""

    name: str
    made_of: str
    unit: str


def moment_columns(times: Iterable[str], taken: Iterable[str], unit: str) -> list[Column]:
    """The TIMESTAMP columns beside columns of times. `taken`: names of the table, none of which is used again."""
    spelt = {name.lower() for name in taken}
    return [
        Column(NAMES[name], "TIMESTAMP", f"{name} as a point in time", made_of=name, unit=unit)
        for name in times
        if NAMES[name] not in spelt
    ]


def moments_in(schema: pa.Schema) -> list[Moment]:
    """The TIMESTAMP columns of a table, by its schema."""
    moments = []
    for field in schema:
        metadata = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        if MADE_OF in metadata:
            moments.append(Moment(field.name, metadata[MADE_OF], metadata[UNIT]))
    return moments


def metadata_of(column: Column) -> dict[str, Any]:
    """What a table's log says of a column."""
    return {"comment": column.comment, **({MADE_OF: column.made_of, UNIT: column.unit} if column.made_of else {})}
