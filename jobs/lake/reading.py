"""A lake's events without a JVM: the days' files, in the log's order."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.table import is_in_order
from jobs.lake.dataset import read_table
from jobs.workload.declaration import Workload


def read_events(lake: Path, workload: Workload, days: Iterable[date]) -> pa.Table:
    """The published events of some days in (ts, seq) order, with `pos`, their rank among them."""
    columns = ["event_type", "ts", "seq", *workload.attributes]
    unordered = read_table(lake / workload.name / "events", columns, days)
    if unordered is None:
        raise FileNotFoundError(f"no lake at {lake / workload.name}: load days with `trendmill run {workload.name}`")
    ordered = log_order(unordered)
    return ordered.append_column("pos", pa.array(np.arange(ordered.num_rows, dtype=np.int64)))


def read_types(lake: Path, workload: Workload, types: Collection[str], days: Iterable[date]) -> pa.Table:
    """The published events of some types and days in (ts, seq) order, with the attributes that these types have."""
    attributes = sorted({name for kind in types for name in workload.schema.attributes_of(kind)})
    unordered = read_table(lake / workload.name / "events", ["event_type", "ts", "seq", *attributes], days)
    if unordered is None:
        raise FileNotFoundError(f"no lake at {lake / workload.name}: load days with `trendmill run {workload.name}`")
    return log_order(unordered.filter(pc.is_in(unordered["event_type"], pa.array(sorted(types), pa.string()))))


def log_order(events: pa.Table) -> pa.Table:
    """Events sorted by (ts, seq); as a load leaves them, they are."""
    if is_in_order(events["ts"].to_numpy(), events["seq"].to_numpy()):
        return events.combine_chunks()
    return events.sort_by([("ts", "ascending"), ("seq", "ascending")]).combine_chunks()
