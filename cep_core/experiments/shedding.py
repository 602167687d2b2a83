"""Shedding strategies side by side on the same events: what each would have missed at each load, and how late it was.

One row for each strategy, load, seed and measure, in the columns of every experiment; `summarise` gives mean, standard
deviation and number over seeds. Strategies that draw no random number are run once, whatever the seeds.

Cost: one run over the events before for each experiment, then one over those judged for each strategy, load and seed.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.schema import Ties
from cep_core.experiments.slicing import SCHEMA
from cep_core.language.patterns.query import Query
from cep_core.shedding.costs import Costs
from cep_core.shedding.offering import offered, relevant_types
from cep_core.shedding.quality import QUANTILES, Quality
from cep_core.shedding.replaying import Experiment, Measured, Scenario
from cep_core.shedding.shedders.chance import ByChance
from cep_core.shedding.shedders.events import Events
from cep_core.shedding.shedders.nothing import Nothing
from cep_core.shedding.shedders.pspice import PSpice
from cep_core.shedding.shedders.shedder import Shedder
from cep_core.shedding.shedders.trends import Trends

LOADS = (1.2, 1.4, 1.6, 1.8, 2.0)
"""The paper's event rates, over what the operator can bear."""

STEADY: tuple[Shedder, ...] = (Nothing(), PSpice(), PSpice(timeless=True), Trends())
"""Strategies without chance."""

RANDOM: tuple[Shedder, ...] = (ByChance(), Events())

SUMMARY = pa.schema(
    [
        ("strategy", pa.string()),
        ("load", pa.float64()),
        ("metric", pa.string()),
        ("mean", pa.float64()),
        ("deviation", pa.float64()),
        ("n", pa.int64()),
        ("unit", pa.string()),
    ]
)


def scenario_of(
    queries: Mapping[str, Query],
    events: pa.Table,
    interval: tuple[int, int],
    costs: Costs,
    bound: int,
    *,
    weights: Mapping[str, float] | None = None,
    buffer: int = 0,
) -> Scenario:
    """One operator for all of the queries over a log in (ts, seq) order, judged in `interval` of log time.

    `costs.states`: in the order of the queries. The operator is offered the events of their types, up to the interval's
    end; `bound` and `buffer` in virtual nanoseconds; a query's weight is 1 unless given. Raises NotSupportedYet.
    """
    begin, end = interval
    types = sorted({kind for query in queries.values() for kind in relevant_types(query)})
    wanted = pc.and_(pc.is_in(events["event_type"], pa.array(types, pa.string())), pc.less(events["ts"], end))
    log = events.filter(wanted).combine_chunks()
    kind = pc.index_in(log["event_type"], pa.array(types, pa.string()))
    chosen = weights or {}
    return Scenario(
        [offered(query, log, name=name, weight=chosen.get(name, 1.0)) for name, query in queries.items()],
        log["ts"].to_numpy(),
        begin,
        end,
        costs,
        kind.to_numpy().astype(np.int64),
        bound,
        buffer,
        ordered=any(query.schema.ties is Ties.ORDERED for query in queries.values()),
    )


def compare_shedding(
    scenario: Scenario, *, loads: Sequence[float] = LOADS, seeds: Sequence[int] = (0, 1, 2), hindsight: bool = True
) -> pa.Table:
    """All strategies at all loads. `hindsight`: also the one out of reach, which needs a record of the unshed run."""
    experiment = Experiment(scenario)
    steady = (*STEADY, experiment.hindsight) if hindsight else STEADY
    rows: list[dict[str, object]] = []
    for load in loads:
        runs = [experiment.measure(shedder, load, seeds[0]) for shedder in steady]
        runs += [experiment.measure(shedder, load, seed) for shedder in RANDOM for seed in seeds]
        rows += [row for run in runs for row in _rows(run, scenario)]
    return pa.Table.from_pylist(rows, SCHEMA)


def summarise(compared: pa.Table) -> pa.Table:
    """Mean, standard deviation (0 for one run) and number of runs by strategy, load and metric."""
    groups: dict[tuple[str, float, str, str], list[float]] = {}
    for row in compared.to_pylist():
        load = json.loads(row["parameters"])["load"]
        groups.setdefault((row["strategy"], load, row["metric"], row["unit"]), []).append(row["value"])
    return pa.Table.from_pylist(
        [
            {
                "strategy": strategy,
                "load": load,
                "metric": metric,
                "mean": statistics.fmean(values),
                "deviation": statistics.stdev(values) if len(values) > 1 else 0.0,
                "n": len(values),
                "unit": unit,
            }
            for (strategy, load, metric, unit), values in groups.items()
        ],
        SUMMARY,
    )


def _rows(measured: Measured, scenario: Scenario) -> Iterable[dict[str, object]]:
    parameters = json.dumps({"bound_ns": scenario.bound, "buffer_ns": scenario.buffer, "load": measured.load})
    for metric, value, unit in _measures(measured.quality, measured.retrained):
        yield {
            "strategy": measured.strategy,
            "parameters": parameters,
            "seed": measured.seed,
            "metric": metric,
            "value": float(value),
            "unit": unit,
        }


def _measures(quality: Quality, retrained: int) -> Iterable[tuple[str, float, str]]:
    yield "matches", sum(quality.matches), "matches"
    yield "lost", quality.lost, "share"
    yield "false_negatives", quality.false_negatives, "weighted matches"
    yield "false_positives", quality.false_positives, "weighted matches"
    for share, latency in zip(QUANTILES, quality.latencies, strict=True):
        yield f"latency_p{round(100 * share)}", latency, "virtual ns"
    yield "late_events", quality.late, "share"
    yield "late_time", quality.late_time, "share"
    yield "overhead", quality.overhead, "share"
    yield "dropped", quality.dropped, "partial matches or events"
    yield "retrained", retrained, "times"
