"""Slicing strategies side by side on the same events: how much the largest slice holds and how much is copied.

Everything is counted on the events themselves. Only the metrics "predicted maximum load" and "bound" and the strategy
"lower bound" are computed from statistics. Loads are shares of the events that the plan's atoms match in the range that
is read.

Cost: one split of the events for each strategy, in batches, so that memory does not grow with their number. The best
single variable is found by trying all.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cep_core.experiments import slicing_strategies
from cep_core.experiments.measurement import SCHEMA, measurement
from cep_core.experiments.slice_loads import loads_of
from cep_core.experiments.slicing_strategies import IN_USE, LogToSlice, parameters_of
from cep_core.language.evaluator import Reach
from cep_core.slicing import Plan
from cep_core.slicing.atom_rows import relevant_rows
from cep_core.slicing.ranges import read_from

NO_REACH = Reach()


def compare_strategies(
    plan: Plan,
    events: pa.Table,
    slices: int,
    seed_text: str,
    reach: Reach = NO_REACH,
    interval: tuple[int, int] | None = None,
    yesterday: Plan | None = None,
) -> pa.Table:
    """One row for each (strategy, metric): the plan in use and its rivals, at most `slices` slices each, on `events`.

    `events`: those that the plan slices, in time order. `reach`, `interval`: as given to `make_plan`. Without
    an interval there are no time ranges. `yesterday`: the plan of the day before for the same queries. Its time ranges
    are moved to `interval`.
    """
    if interval is not None:
        stamps = events["ts"].to_numpy()
        first, after = np.searchsorted(stamps, [read_from(interval[0], reach, stamps), interval[1]])
        events = events.slice(int(first), int(after - first))
    relevant = len(relevant_rows(plan.atoms, events))
    log = LogToSlice(plan, events, slices, seed_text, reach, interval, yesterday)
    rows: list[dict[str, object]] = []
    for strategy in slicing_strategies.STRATEGIES:
        cut = strategy.cut(log)
        if cut is None:
            continue
        loads = loads_of(cut.splitter, cut.slices, events, relevant)
        for metric, value, unit in (
            ("maximum load", loads.maximum, "share of events"),
            ("replication", loads.replication, "copies per event"),
            ("imbalance", loads.imbalance, "maximum / mean"),
            ("slices", float(cut.slices), "slices"),
        ):
            rows.append(measurement(strategy.name, cut.parameters, None, metric, value, unit))
    if plan.predicted is not None:
        costs = plan.predicted
        for metric, value in (("predicted maximum load", costs.maximum_load), ("bound", costs.bound)):
            rows.append(measurement(IN_USE.name, parameters_of(plan), None, metric, value, "share of events"))
        rows.append(measurement("lower bound", {}, None, "maximum load", costs.lower_bound, "share of events"))
    return pa.Table.from_pylist(rows, SCHEMA)
