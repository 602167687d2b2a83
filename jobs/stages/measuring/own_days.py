"""A grid of experiments over the workload's own days: the log of those days, and the measurement of a cell.

The lake's events of those days, in the log's order, are the log; its queries are compiled as for any run. Rows have a
fingerprint of the days' events, so that a corrected day is measured again. Cost: one read of the days' files for each
grid.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.experiments.grids.cells import measure_scenario, scenario_of_days
from cep_core.experiments.grids.declared import DeclaredGrid
from cep_core.experiments.grids.grid import TRAINED, Cell, Grid
from cep_core.experiments.grids.logs import OwnDays
from cep_core.shedding.arrays.offering import relevant_types
from jobs.lake.reading import read_types
from jobs.runs.source_days import has_day

if TYPE_CHECKING:
    from jobs.runs.recorded_days import Ledger
    from jobs.runs.run import Run


@dataclass(frozen=True)
class OwnLog:
    """What the cells of a grid read, small enough to be sent to every worker."""

    queries: Mapping[str, Any]
    """Bound queries by name: those that an operator can replay."""
    events: pa.Table
    begins: Mapping[date, int]
    """The first moment of each day that trains."""
    interval: tuple[int, int]
    """The log time that is measured, after the training."""

    def measure(self, grid: Grid, cell: Cell) -> pa.Table:
        """A cell's rows."""
        assert isinstance(grid.log, OwnDays)
        since = self.begins[grid.log.of_training(dict(cell.setting).get(TRAINED))[0]]
        events = self.events.filter(pc.greater_equal(self.events["ts"], since)).combine_chunks()
        return measure_scenario(grid, cell, scenario_of_days(grid, cell, self.queries, events, self.interval))


def own_log(run: Run, grid: Grid) -> OwnLog:
    """Reads the days of a grid."""
    assert isinstance(grid.log, OwnDays)
    queries = {name: run.compiled[name].query for name in grid.queries}
    types = {kind for query in queries.values() for kind in relevant_types(query)}
    calendar = run.workload.operating_days
    return OwnLog(
        queries,
        read_types(run.lake, run.workload, types, grid.log.days),
        {day: calendar.interval(day)[0] for day in grid.log.training},
        (calendar.interval(grid.log.judge_from)[0], calendar.interval(grid.log.judge_to)[1]),
    )


def days_to_load(run: Run, ledger: Ledger, grids: Iterable[DeclaredGrid]) -> tuple[date, ...]:
    """The days of grids that are not loaded yet but are in the workload's sources."""
    missing = {day for grid in grids for day in grid.log.days} - set(ledger.days)
    return tuple(day for day in sorted(missing) if has_day(run.session, run.workload, day))
