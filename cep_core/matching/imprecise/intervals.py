"""Computes when each event may have happened: any whole moment of [ts_lo, ts_hi], all equally likely.

From SASE++, section 2.3. The columns `ts_lo` and `ts_hi` of the table give the interval of each event. Without these
columns, the log's schema gives for each event type how much earlier and later than `ts` its events may have happened.
Without either, an event happened at `ts`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.events.schema import LogSchema

LOW, HIGH = "ts_lo", "ts_hi"


def intervals(events: pa.Table, schema: LogSchema) -> tuple[Ints, Ints]:
    """The first and the last possible moment of each event. Raises ValueError if an interval does not contain its `ts`.

    >>> log = pa.table({"event_type": ["A", "B"], "ts": [60, 70]})
    >>> [bounds.tolist() for bounds in intervals(log, LogSchema({}, imprecision={"A": (0, 59)}))]
    [[60, 70], [119, 70]]
    """
    ts = events.column("ts").to_numpy()
    low, high = ts.copy(), ts.copy()
    for event_type, (before, after) in schema.imprecision.items():
        of_type = pc.fill_null(pc.equal(events.column("event_type"), event_type), False).to_numpy()
        low[of_type] -= before
        high[of_type] += after
    low, high = _column(events, LOW, low), _column(events, HIGH, high)
    outside = np.flatnonzero((low > ts) | (high < ts))
    if len(outside):
        row = int(outside[0])
        problem = f"ts {ts[row]} lies outside of [{low[row]}, {high[row]}] in row {row}"
        raise ValueError(f"'{LOW}' and '{HIGH}' are the first and last possible moment of an event, but {problem}")
    return low, high


def _column(events: pa.Table, name: str, otherwise: Ints) -> Ints:
    if name not in events.column_names:
        return otherwise
    column = events.column(name)
    if not pa.types.is_integer(column.type) or column.null_count:
        raise ValueError(f"'{name}' is int64 without nulls, not {column.type} with {column.null_count} nulls")
    values: Ints = column.cast(pa.int64()).to_numpy()
    return values
