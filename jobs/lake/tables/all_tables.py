"""Every table that a workload's lake holds below `lake/<workload>/`, with and without those of its queries' results.

Tables below `_work/` may change at any time; nobody should depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jobs.lake.definition import Table
from jobs.lake.tables.erasure_tables import ERASURES
from jobs.lake.tables.event_tables import LOADED_DAYS, QUARANTINE, SOURCE_FILES, SOURCE_ROWS, events, staged_events
from jobs.lake.tables.journal_tables import EXPERIMENTS, RESULT_DAYS, RUNS, SLICE_RUNS
from jobs.lake.tables.match_events import WINDOW, match_events_table
from jobs.lake.tables.result_tables import result_table, table_beside
from jobs.lake.tables.slicing_tables import HEAVY_HITTERS, SLICING_PLANS, STREAM_STATISTICS, slices

if TYPE_CHECKING:
    from jobs.workload.compiled import WorkloadQuery
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


def run_tables(workload: Workload, compiled: Mapping[str, WorkloadQuery]) -> tuple[Table, ...]:
    """The tables that a run needs: the workload's, and those of its queries."""
    tables, unit = lake_tables(workload), workload.time.unit
    for query in compiled.values():
        result, *beside = query.tables
        tables += (result_table(query.name, query.question, result.schema, result.variables, unit=unit),)
        tables += tuple(table_beside(query.name, table, unit=unit) for table in beside if table.evaluate is None)
        if result.variables:
            tables += (match_events_table(query.name, workload.schema, windowed=WINDOW in result.schema.names),)
    return tables


def table_of(workload: Workload, name: str) -> Table:
    """The definition of one table by its name in Spark SQL; KeyError when there is none."""
    return {table.name: table for table in lake_tables(workload)}[name]
