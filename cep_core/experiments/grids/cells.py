"""One cell of a grid: the operator is trained, run without shedding, then run with every strategy at every load.

Rows have the columns of every experiment. `parameters` holds the cell's setting and the load. Strategies that draw no
random numbers are also measured once for each seed, because each seed makes another log, except where the log is the
workload's own days. The same grid, cell and events give the same bytes.

Cost: see `cep_core.shedding.replaying`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa

from cep_core.experiments.grids.grid import LOAD, PARTS, Cell, Grid
from cep_core.experiments.grids.logs import LogSource
from cep_core.experiments.grids.paper_queries import QUERIES, TYPE_OF
from cep_core.experiments.measurement import SCHEMA, measurement
from cep_core.experiments.shedding_measures import measures_of
from cep_core.experiments.shedding_rows import scenario_of
from cep_core.language.patterns.query import Query
from cep_core.shedding.arrays.offering import machine_of
from cep_core.shedding.replaying import Experiment, Measured, Scenario
from cep_core.shedding.shedders.pspice import PSpice
from cep_core.shedding.strategies import strategy_named


def measure_cell(grid: Grid, cell: Cell, stand_ins: Path) -> pa.Table:
    """All strategies at all loads. `stand_ins`: the folder with the files of logs. Raises FileNotFoundError."""
    return measure_scenario(grid, cell, scenario_of_cell(grid, cell, stand_ins))


def measure_scenario(grid: Grid, cell: Cell, scenario: Scenario) -> pa.Table:
    """All strategies at all loads over the scenario of a cell."""
    experiment = Experiment(scenario)
    rows: list[dict[str, object]] = []
    for load in grid.loads:
        least = experiment.least_lost(load)
        for name in grid.strategies:
            strategy = strategy_named(name)
            assert strategy is not None  # the grid has checked its names
            shedder = experiment.shedder_of(strategy)
            measured = experiment.measure(shedder, load, cell.seed)
            parameters = {**dict(cell.setting), LOAD: load}
            rows += [
                measurement(name, parameters, cell.seed, metric, value, unit)
                for metric, value, unit in chain(
                    _measures(experiment, measured, least),
                    _model(experiment, shedder) if isinstance(shedder, PSpice) else (),
                    _over_time(experiment, measured) if grid.over_time else (),
                )
            ]
    return pa.Table.from_pylist(rows, SCHEMA)


def scenario_of_cell(grid: Grid, cell: Cell, stand_ins: Path) -> Scenario:
    """The first part of the log trains, the rest is judged. Not for a grid over the workload's own days."""
    assert isinstance(grid.log, LogSource)
    log = grid.log.read(stand_ins, cell.seed)
    patterns = {query: QUERIES[query](log, **_whole(grid.parameters_of(query, cell))) for query in grid.queries}
    steps = {query: [pattern.machine.steps for pattern in query_patterns] for query, query_patterns in patterns.items()}
    ts = log["ts"].to_numpy().astype(np.int64)
    return Scenario(
        [pattern for query_patterns in patterns.values() for pattern in query_patterns],
        ts,
        int(ts[int(len(ts) * grid.train)]),
        int(ts[-1]) + 1,
        grid.costs(cell, steps),
        log[TYPE_OF[grid.log.shape]].to_numpy().astype(np.int64),
        grid.bound,
        grid.buffer,
    )


def scenario_of_days(
    grid: Grid, cell: Cell, queries: Mapping[str, Query], events: pa.Table, interval: tuple[int, int]
) -> Scenario:
    """The workload's `queries` over its own `events`, in (ts, seq) order. Events before `interval` train, the rest is
    judged.

    Raises NotSupportedYet for a query that no operator can replay.
    """
    steps = {name: [machine_of(queries[name]).steps] for name in grid.queries}
    return scenario_of(
        {name: queries[name] for name in grid.queries},
        events,
        interval,
        grid.costs(cell, steps),
        grid.bound,
        weights={name: own.get("weight", 1.0) for name, own in grid.queries.items()},
        buffer=grid.buffer,
    )


def _whole(parameters: dict[str, float]) -> dict[str, float]:
    """Makes whole numbers integers, also those that a YAML file has as 5.0."""
    return {name: int(value) if float(value).is_integer() else value for name, value in parameters.items()}


def _measures(experiment: Experiment, measured: Measured, least: float) -> Iterator[tuple[str, float, str]]:
    """The measures of the run. First come measures of the operator, which are the same for every strategy."""
    unshed = experiment.unshed
    started = int(unshed.account.started.sum())
    yield "match_probability", unshed.matches / started if started else 0.0, "matches / partial matches"
    yield "useless_work", experiment.useless_work, "share"
    yield "least_lost", least, "share"
    yield from measures_of(measured.quality, measured.retrained)


def _model(experiment: Experiment, shedder: PSpice) -> Iterator[tuple[str, float, str]]:
    """What building the tables costs, if one product costs as much as one comparison of utilities."""
    time = shedder.building(experiment.model) * experiment.scenario.costs.sort
    yield "model_time", time, "virtual ns"
    yield "model_share", time / experiment.cost if experiment.cost else 0.0, "share of the unshed cost"


def _over_time(experiment: Experiment, measured: Measured) -> Iterator[tuple[str, float, str]]:
    """The highest latency in each part of the judged events. Parts have equal numbers of events."""
    latency = measured.run.account.latency[experiment.scenario.first :]
    for number, part in enumerate(np.array_split(latency, PARTS)):
        yield f"latency_part_{number:02d}", int(part.max(initial=0)), "virtual ns"
