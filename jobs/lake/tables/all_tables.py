"""Every table that a workload's lake holds below `lake/<workload>/`, except its queries' results.

Tables below `_work/` may change at any time; nobody should depend on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.lake.definition import Table
from jobs.lake.tables.erasure_tables import ERASURES
from jobs.lake.tables.event_tables import LOADED_DAYS, QUARANTINE, SOURCE_FILES, SOURCE_ROWS, events, staged_events
from jobs.lake.tables.journal_tables import EXPERIMENTS, RESULT_DAYS, RUNS, SLICE_RUNS
from jobs.lake.tables.slicing_tables import HEAVY_HITTERS, SLICING_PLANS, STREAM_STATISTICS, slices

if TYPE_CHECKING:
    from jobs.workload.declaration import Workload


def lake_tables(workload: Workload) -> tuple[Table, ...]:
    """Every table of a workload except its queries' results."""
    return (
        staged_events(workload.schema),
        SOURCE_ROWS,
        SOURCE_FILES,
        LOADED_DAYS,
        events(workload.schema, workload.operating_days),
        QUARANTINE,
        STREAM_STATISTICS,
        HEAVY_HITTERS,
        SLICING_PLANS,
        slices(workload.schema),
        RESULT_DAYS,
        SLICE_RUNS,
        EXPERIMENTS,
        ERASURES,
        RUNS,
    )


def table_of(workload: Workload, name: str) -> Table:
    """The definition of one table by its name in Spark SQL; KeyError when there is none."""
    return {table.name: table for table in lake_tables(workload)}[name]
