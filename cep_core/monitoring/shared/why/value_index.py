"""The events of a type by the value of an attribute, for makers of proofs that ask for many values.

An index costs a sort of the column, a pass over the column costs less: it is made when a column was asked often. Texts
and numbers are found by it; other columns have none. Cost: a sort, then O(log n) and the events found.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from cep_core.arrays import Floats, Ints
from cep_core.events.logs.point_log import TypedEvents
from cep_core.monitoring.shared.scalars import Value

OFTEN = 32
"""So many questions are answered without an index."""


@dataclass(frozen=True)
class _Ordered:
    """`rows` of events that are not null, by value; `codes`: of texts."""

    rows: Ints
    values: Ints | Floats
    codes: dict[str, int] | None

    def with_value(self, value: Value) -> Ints:
        number = value if self.codes is None else self.codes.get(str(value))
        if number is None or isinstance(number, str):
            return self.rows[:0]
        first, last = np.searchsorted(self.values, number, "left"), np.searchsorted(self.values, number, "right")
        return np.sort(self.rows[first:last])


@dataclass
class ValueIndex:
    """The indexes of a log's columns, by event type and attribute, as they become worth their cost."""

    asked: dict[tuple[str, str], int] = field(default_factory=dict)
    made: dict[tuple[str, str], _Ordered | None] = field(default_factory=dict)

    def rows(self, event_type: str, events: TypedEvents, name: str, value: int | float | str) -> Ints | None:
        """The rows of the events that have a value, ascending; None: not by an index.

        >>> events = TypedEvents(np.array([0, 0, 1]), {"a": pa.array(["x", None, "x"])})
        >>> index = ValueIndex({("P", "a"): OFTEN})
        >>> index.rows("P", events, "a", "x").tolist(), index.rows("P", events, "a", "y").tolist()
        ([0, 2], [])
        """
        key = event_type, name
        self.asked[key] = self.asked.get(key, 0) + 1
        column = events.columns.get(name)
        if self.asked[key] <= OFTEN or column is None:
            return None
        if key not in self.made:
            self.made[key] = _ordered(column)
        ordered = self.made[key]
        if ordered is None or isinstance(value, str) != (ordered.codes is not None):
            return None
        return ordered.with_value(value)


def _ordered(column: pa.Array) -> _Ordered | None:
    codes = None
    if pa.types.is_string(column.type):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        codes = {text: code for code, text in enumerate(column.dictionary.to_pylist())}
        column = column.indices
    elif not (pa.types.is_int64(column.type) or pa.types.is_float64(column.type)):
        return None
    rows = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
    values = column.fill_null(0).to_numpy(zero_copy_only=False)[rows]
    if codes is not None:
        values = values.astype(np.int64)
    order = np.argsort(values, kind="stable")
    return _Ordered(rows[order], values[order], codes)
