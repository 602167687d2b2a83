"""Small logs of time-points, written as plain lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.schema import AttributeType, LogSchema

Event = tuple[str | int | float | None, ...]
"""An event's type, then its attributes in order."""
Points = Sequence[tuple[int, Iterable[Event]]]
"""The stamp and the events of each time-point."""


def log_of(points: Points, schema: LogSchema | None = None) -> PointLog:
    """The log of these time-points. Without a schema, attributes are called "1", "2", ..., and values tell their types.

    >>> log = log_of([(3, [("P", 1, "a"), ("P", 2, None)]), (3, []), (4, [("P", 1, "b"), ("Q",)])])
    >>> log.stamps.tolist(), sorted(log.events), log.events["P"].point.tolist()
    ([3, 3, 4], ['P', 'Q'], [0, 0, 2])
    >>> {name: column.to_pylist() for name, column in log.events["P"].columns.items()}
    {'1': [1, 2, 1], '2': ['a', None, 'b']}
    """
    rows: dict[str, list[tuple[int, Event]]] = {}
    for point, (_, events) in enumerate(points):
        for event_type, *values in events:
            rows.setdefault(str(event_type), []).append((point, tuple(values)))
    typed = {event_type: _typed_events(event_type, typed_rows, schema) for event_type, typed_rows in rows.items()}
    return PointLog(np.array([stamp for stamp, _ in points], np.int64), typed)


def _typed_events(event_type: str, rows: list[tuple[int, Event]], schema: LogSchema | None) -> TypedEvents:
    columns = list(zip(*(values for _, values in rows), strict=True))
    names = [str(place) for place in range(1, len(columns) + 1)]
    types: list[pa.DataType | None] = [None] * len(columns)
    if schema is not None:
        attributes = schema.attributes_of(event_type).values()
        names = [attribute.name for attribute in attributes]
        types = [pa.int64() if attr.type is AttributeType.BOOL else ARROW_TYPES[attr.type] for attr in attributes]
    return TypedEvents(
        np.array([point for point, _ in rows], np.int64),
        {name: pa.array(column, kind) for name, column, kind in zip(names, columns, types, strict=True)},
    )
