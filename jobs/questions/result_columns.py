"""What the columns of a result hold: events, moments, numbers, texts, for whoever shows or compares its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from jobs.workload.compiled import WorkloadQuery

WINDOW = frozenset({"window_start", "window_end"})
"""Columns of a window: moments, or positions where windows are of events."""
MOMENTS = frozenset({"ts", "first_ts", "last_ts", "last_point"}) | WINDOW
"""Columns of log times."""
LOG = "_log10"
"""The suffix of the logarithm of another column."""


DIGITS = "_exact"
"""The suffix of all digits of another column."""


class ColumnKind(Enum):
    """What a value of a column is, in the words of a message."""

    EVENTS = "rows of the given events, such as 2 3"
    MOMENT = "a moment"
    WHOLE = "a whole number"
    DECIMAL = "a number"
    TRUTH = "true or false"
    TEXT = "text"


def moments(windows_of_events: bool) -> frozenset[str]:
    """The columns of log times of a query."""
    return MOMENTS - WINDOW if windows_of_events else MOMENTS


def kinds_of(query: WorkloadQuery) -> Mapping[str, ColumnKind]:
    """What each column of a query's result holds."""
    of_time = moments(query.bound.windows_of_events)
    return {
        field.name: ColumnKind.EVENTS
        if field.name in query.variables
        else ColumnKind.MOMENT
        if field.name in of_time and kinds.is_integer(field.type)
        else _kind(field.type)
        for field in query.evaluator.schema
    }


def exact(row: Mapping[str, Any], name: str) -> Any:
    """A row's value; of a count beyond 38 digits all of them, if the query has `exact_counts`."""
    digits = row.get(f"{name}{DIGITS}")
    return int(digits) if row[name] is None and digits is not None else row[name]


def further(names: Sequence[str]) -> list[str]:
    """The columns that say more than others do: no logarithm, and no digits, of a number that is there itself.

    >>> further(["n", "n_log10", "n_exact", "x_log10"])
    ['n', 'x_log10']
    """
    return [
        name
        for name in names
        if not any(name.endswith(suffix) and name.removesuffix(suffix) in names for suffix in (LOG, DIGITS))
    ]


def _kind(stored: pa.DataType) -> ColumnKind:
    if kinds.is_boolean(stored):
        return ColumnKind.TRUTH
    if kinds.is_integer(stored) or kinds.is_decimal(stored):
        return ColumnKind.WHOLE
    return ColumnKind.DECIMAL if kinds.is_floating(stored) else ColumnKind.TEXT
