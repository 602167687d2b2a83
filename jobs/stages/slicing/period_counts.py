"""Statistics of a log's events, counted piece by piece in this process: the rows that `sql/statistics` gives.

Events of a day have one `run_id`, that of its load. A value is counted as the slicer sees it: 0.0 and -0.0 are one.
Pieces may come in any order and be cut anywhere. What is kept is one row for each value that events of a type carry in
a period; all rates, distinct values and heavy values follow from it.
Cost: a grouping of each piece, and one for each attribute. Memory: up to AT_ONCE different (type, period, value) of all
attributes together. Where there are more, counts go to files by a hash of the value and are added up file by file
(`spilled_sums.py`), so heavy and distinct values are exact however many values there are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jobs.stages.slicing.spilled_sums import Sums, side_by_side

Places = Mapping[str, Sequence[str]]
"""Event type -> its slicing attributes, sorted."""

OF_TYPE = ["day", "run_id", "event_type"]
OF_PERIOD = [*OF_TYPE, "period_start"]


class PeriodCounts:
    """Counts of events by type, period of `width` (periods begin at `offset` and its multiples) and value."""

    def __init__(self, places: Places, offset: int, width: int) -> None:
        self._places, self._offset, self._width = places, offset, width
        self._attributes = sorted({name for attributes in places.values() for name in attributes})
        self._periods = Sums(OF_PERIOD)
        self._values = side_by_side({name: [*OF_PERIOD, "value"] for name in self._attributes})

    def add(self, events: pa.Table) -> None:
        """Count a piece: day, run_id, event_type, ts and the slicing attributes."""
        ts = events["ts"].to_numpy()
        starts = pa.array(ts - np.mod(ts - self._offset, self._width))
        coded = events.select(OF_TYPE).append_column("period_start", starts)
        self._periods.add(coded)
        for name in self._attributes:
            types = pa.array(sorted(kind for kind, of_type in self._places.items() if name in of_type), pa.string())
            carrying = pc.and_(pc.is_in(events["event_type"], types), events[name].is_valid())
            values = coded.append_column("value", _in_one_form(events[name])).filter(carrying)
            self._values[name].add(values)

    def stream_statistics(self) -> pa.Table:
        """Events and distinct values of each type and period."""
        periods = pa.concat_tables(self._periods.tables())
        for name, sums in self._values.items():
            parts = [part.group_by(OF_PERIOD).aggregate([([], "count_all")]) for part in sums.tables()]
            distinct = pa.concat_tables(parts).group_by(OF_PERIOD).aggregate([("count_all", "sum")])
            periods = periods.join(distinct.rename_columns([*OF_PERIOD, name]), OF_PERIOD, use_threads=False)
        return pa.table(
            {
                **{name: periods[name] for name in OF_PERIOD},
                "events": periods["events"],
                "rate": pc.divide(periods["events"].cast(pa.float64()), float(self._width)),
                "distinct_values": pa.array([self._as_json(row) for row in periods.to_pylist()], pa.string()),
            }
        )

    def heavy_hitters(self, slices: int) -> pa.Table:
        """The values that more events of a type carry on a day than an even slice would hold."""
        periods = pa.concat_tables(self._periods.tables())
        totals = periods.group_by(OF_TYPE).aggregate([("events", "sum")])
        totals = totals.rename_columns([*OF_TYPE, "of_type"])
        parts = [_heavy(part, name, totals, slices) for name, sums in self._values.items() for part in sums.tables()]
        return pa.concat_tables(parts) if parts else HEAVY.empty_table()

    def _as_json(self, row: Mapping[str, Any]) -> str:
        counts = {name: row[name] or 0 for name in self._places.get(row["event_type"], ())}
        return json.dumps(counts, separators=(",", ":"))


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
    return pc.cast(_in_one_form(values), pa.string())


def _heavy(counts: pa.Table, name: str, totals: pa.Table, slices: int) -> pa.Table:
    """`counts`: events by period and value of an attribute; `totals`: `of_type` events by day and type."""
    of_day = counts.group_by([*OF_TYPE, "value"]).aggregate([("events", "sum")])
    of_day = of_day.rename_columns([*OF_TYPE, "value", "frequency"])
    rows = of_day.join(totals, OF_TYPE, use_threads=False)
    rows = rows.filter(pc.greater(pc.multiply(rows["frequency"], slices), rows["of_type"]))
    columns = {
        **{column: rows[column] for column in [*OF_TYPE, "frequency"]},
        "value": as_text(rows["value"]),
        "attribute": pa.repeat(pa.scalar(name), rows.num_rows),
        "error_bound": pa.repeat(pa.scalar(0, pa.int64()), rows.num_rows),
        "threshold": pc.divide(rows["of_type"].cast(pa.float64()), float(slices)),
    }
    return pa.table({column: columns[column] for column in HEAVY.names}).cast(HEAVY)


def _in_one_form(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values with 0.0 for -0.0."""
    return pc.add(values, 0.0) if pa.types.is_floating(values.type) else values
