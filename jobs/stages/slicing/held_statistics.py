"""Statistics of events that this process holds: the rows that `sql/statistics` gives, computed over Arrow columns.

Events of a day have one `run_id`, that of its load. A value is counted as the slicer sees it: 0.0 and -0.0 are one.
Cost: one grouping for all rates, and one for each slicing attribute.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Places = Mapping[str, Sequence[str]]
"""Event type -> its slicing attributes, sorted."""

OF_TYPE = ["day", "run_id", "event_type"]


def stream_statistics(events: pa.Table, places: Places, offset: int, width: int) -> pa.Table:
    """Events and distinct values of each type and period of `width`; periods begin at `offset` and its multiples."""
    attributes = _attributes(places)
    ts = events["ts"].to_numpy()
    counted = _in_one_form(events, attributes).append_column("period_start", pa.array(ts - np.mod(ts - offset, width)))
    distinct: list[Any] = [(name, "count_distinct", pc.CountOptions("only_valid")) for name in attributes]
    periods = counted.group_by([*OF_TYPE, "period_start"], use_threads=False).aggregate([([], "count_all"), *distinct])
    return pa.table(
        {
            **{name: periods[name] for name in [*OF_TYPE, "period_start"]},
            "events": periods["count_all"],
            "rate": pc.divide(periods["count_all"].cast(pa.float64()), float(width)),
            "distinct_values": pa.array([_as_json(row, places) for row in periods.to_pylist()], pa.string()),
        }
    )


def heavy_hitters(events: pa.Table, places: Places, slices: int) -> pa.Table:
    """The values that more events of a type carry on a day than an even slice would hold."""
    totals = events.group_by(OF_TYPE, use_threads=False).aggregate([([], "count_all")])
    totals = totals.rename_columns([*OF_TYPE, "events"])
    parts = [_heavy(events, name, places, totals, slices) for name in _attributes(places)]
    return pa.concat_tables(parts) if parts else HEAVY.empty_table()


HEAVY = pa.schema(
    [
        ("day", pa.date32()),
        ("run_id", pa.string()),
        ("event_type", pa.string()),
        ("attribute", pa.string()),
        ("value", pa.string()),
        ("frequency", pa.int64()),
        ("threshold", pa.float64()),
        ("error_bound", pa.int64()),
    ]
)
"""The columns of `heavy_hitters`."""


def as_text(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values as `heavy_hitters` shows them. Spark and Arrow write floats in different words, so all are Arrow's.

    >>> as_text(pa.chunked_array([[1.0, -0.0, 1e7]])).to_pylist()
    ['1', '0', '10000000']
    """
    return pc.cast(pc.add(values, 0.0) if pa.types.is_floating(values.type) else values, pa.string())


def _heavy(events: pa.Table, name: str, places: Places, totals: pa.Table, slices: int) -> pa.Table:
    types = pa.array(sorted(kind for kind, attributes in places.items() if name in attributes), pa.string())
    carrying = events.filter(pc.and_(pc.is_in(events["event_type"], types), events[name].is_valid()))
    values = carrying.select(OF_TYPE).append_column("value", as_text(carrying[name]))
    counts = values.group_by([*OF_TYPE, "value"], use_threads=False).aggregate([([], "count_all")])
    rows = counts.join(totals, OF_TYPE, use_threads=False)
    rows = rows.filter(pc.greater(pc.multiply(rows["count_all"], slices), rows["events"]))
    constant = {"attribute": pa.scalar(name), "error_bound": pa.scalar(0, pa.int64())}
    columns = {
        **{column: rows[column] for column in [*OF_TYPE, "value"]},
        **{column: pa.repeat(value, rows.num_rows) for column, value in constant.items()},
        "frequency": rows["count_all"],
        "threshold": pc.divide(rows["events"].cast(pa.float64()), float(slices)),
    }
    return pa.table({column: columns[column] for column in HEAVY.names}).cast(HEAVY)


def _attributes(places: Places) -> list[str]:
    return sorted({name for attributes in places.values() for name in attributes})


def _in_one_form(events: pa.Table, attributes: Sequence[str]) -> pa.Table:
    """The events with 0.0 for -0.0 in these attributes."""
    for name in attributes:
        if pa.types.is_floating(events.schema.field(name).type):
            place = events.schema.get_field_index(name)
            events = events.set_column(place, name, pc.add(events[name], 0.0))
    return events


def _as_json(row: Mapping[str, Any], places: Places) -> str:
    counts = {name: row[f"{name}_count_distinct"] for name in places.get(row["event_type"], ())}
    return json.dumps(counts, separators=(",", ":"))
