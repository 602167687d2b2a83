"""A small lake, written without a JVM: seven days, three queries, one hole, hostile values.

Results are what readers meet, not what an engine would find: reports must print whatever tables say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

from tests.reports.lake.small_days import DAYS, EMPTY, HOLE
from tests.reports.lake.small_results import chains, departures, events_of, matches, records
from tests.reports.lake.small_runs import (
    earlier_experiments,
    earlier_plans,
    experiments,
    heavy_hitters,
    loaded,
    plan,
    quarantine,
    runs,
    slice_runs,
    source_files,
    source_rows,
)
from tests.reports.lake.small_schemas import (
    CHAINS,
    DEPARTURES,
    EVENTS,
    EXPERIMENTS,
    HEAVY_HITTERS,
    LOADED_DAYS,
    MATCHES,
    QUARANTINE,
    RESULT_DAYS,
    RUNS,
    SLICE_RUNS,
    SLICING_PLANS,
    SOURCE_FILES,
    SOURCE_ROWS,
)
from tests.reports.lake.small_shedding import measured, nothing_dropped


def write_lake(lake: Path) -> None:
    """Write every table that a report reads."""
    events = [event for day in DAYS if day != EMPTY for event in events_of(day)]
    _write(lake, "events", events, EVENTS, "One row is an event")
    _write(lake, "late_chains", [row for day in DAYS if day != EMPTY for row in chains(day)], CHAINS)
    _write(lake, "all_departures", [row for day in DAYS if day != EMPTY for row in departures(day)], DEPARTURES)
    _write(lake, "snowball", [row for day in DAYS if day != EMPTY for row in matches(day)], MATCHES)
    _write(lake, "result_days", [row for day in DAYS for row in records(day)], RESULT_DAYS)
    _write(lake, "_work/loaded_days", [loaded(day) for day in (*DAYS, HOLE)], LOADED_DAYS)
    _write(lake, "_work/source_rows", [source_rows(day) for day in DAYS], SOURCE_ROWS)
    _write(lake, "_work/source_files", [source_files(day) for day in DAYS], SOURCE_FILES)
    _write(lake, "quarantine", quarantine(), QUARANTINE, "One row is a refused <b>raw</b> row")
    _write(lake, "runs", [row for day in DAYS for row in runs(day)], RUNS, partitioned=False)
    _write(lake, "slicing_plans", [plan(), *earlier_plans()], SLICING_PLANS)
    rows = [*experiments(), *earlier_experiments(), *measured(), *nothing_dropped()]
    _write(lake, "experiments", rows, EXPERIMENTS)
    _write(lake, "slice_runs", slice_runs(), SLICE_RUNS)
    _write(lake, "heavy_hitters", heavy_hitters(), HEAVY_HITTERS)


def _write(
    lake: Path,
    name: str,
    rows: Sequence[Mapping[str, Any]],
    schema: pa.Schema,
    comment: str = "",
    partitioned: bool = True,
) -> None:
    table = pa.Table.from_pylist([dict(row) for row in rows], schema)
    write_deltalake(
        str(lake / "lines" / name),
        table,
        mode="overwrite",
        partition_by=["day"] if partitioned else None,
        description=comment or f"Table {name}",
    )
