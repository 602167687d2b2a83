"""A lake's events without a JVM: the days' files, in the log's order."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa

from jobs.lake.dataset import read_table
from jobs.workload.declaration import Workload


def read_events(lake: Path, workload: Workload, days: Iterable[date]) -> pa.Table:
    """The published events of some days in (ts, seq) order, with `pos`, their rank among them."""
    columns = ["event_type", "ts", "seq", *workload.attributes]
    found = read_table(lake / workload.name / "events", columns, days)
    if found is None:
        raise FileNotFoundError(f"no lake at {lake / workload.name}: load days with `trendmill run {workload.name}`")
    ordered = log_order(found)
    return ordered.append_column("pos", pa.array(np.arange(ordered.num_rows, dtype=np.int64)))


def log_order(events: pa.Table) -> pa.Table:
    """Events sorted by (ts, seq)."""
    return events.sort_by([("ts", "ascending"), ("seq", "ascending")]).combine_chunks()
