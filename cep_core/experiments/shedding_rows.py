"""Shedding strategies side by side on the same events: what each would have missed in each setting, and how late.

There is one row for each strategy, setting, seed and measure, in the columns of every experiment (`docs/semantics.md` 7
names the measures). The `parameters` of a row say what it is about: the load, the time that the load refers to, and the
bound. There may be a `query` and one of its states (`state`), or a part of log time (`from` and `to`). `summarise`
gives the mean, the standard deviation and the number of runs over seeds. Strategies that draw no random numbers run
only once. Rows about states and parts of the day exist for one setting, marked as `told`, and the first seed.

Cost: one run over the events before for each experiment, then one over those judged for each strategy, setting, seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.schema import Ties
from cep_core.experiments.loads import BUSIEST, LOADS, settings_of
from cep_core.experiments.measurement import SCHEMA, measurement
from cep_core.experiments.periods import periods_of, weighted
from cep_core.experiments.shedding_measures import measures_of
from cep_core.experiments.spread import Spread
from cep_core.language.patterns.query import Query
from cep_core.shedding import strategies
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.offering import offered, relevant_types
from cep_core.shedding.replaying import Experiment, Measured, Scenario
from cep_core.shedding.shedders.nothing import UNSHED
from cep_core.shedding.shedders.strategy import SheddingStrategy

PERIODS = 24
"""How many equal parts the judged interval has."""

About = Mapping[str, object]
"""The parameters that all rows of a setting share."""

SUMMARY = pa.schema(
    [
        ("strategy", pa.string()),
        ("load", pa.float64()),
        ("load_over", pa.string()),
        ("bound_ns", pa.int64()),
        ("query", pa.string()),
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

    `costs.states`: in the order of the queries. The operator is offered the events of their types, up to the end of the
    interval. `bound` and `buffer` are in virtual nanoseconds. The weight of a query is 1 unless given. Raises
    NotSupportedYet.
    """
    begin, end = interval
    types = sorted({kind for query in queries.values() for kind in relevant_types(query)})
    relevant = pc.and_(pc.is_in(events["event_type"], pa.array(types, pa.string())), pc.less(events["ts"], end))
    log = events.filter(relevant).combine_chunks()
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
    scenario: Scenario,
    *,
    loads: Sequence[float] = LOADS,
    busiest: int = 0,
    bounds: Sequence[int] = (),
    seeds: Sequence[int] = (0, 1, 2),
    look_ahead: bool = True,
) -> pa.Table:
    """All strategies at all loads, over the judged interval and over its busiest span (`busiest`: its length, or 0).

    `bounds`: more latency bounds, tried at one load. `look_ahead`: also the strategies that know the future, which need
    a record of the unshed run.
    """
    experiment = Experiment(scenario)
    since, until, busy = experiment.busiest(busiest or scenario.end - scenario.begin)
    rows: list[dict[str, object]] = []
    for number, setting in enumerate(settings_of(loads, scenario.bound, bounds, busiest=busiest > 0)):
        load = setting.load / busy if setting.over == BUSIEST else setting.load
        about: dict[str, object] = {
            "load": setting.load,
            "load_over": setting.over,
            "bound_ns": setting.bound,
            "buffer_ns": scenario.buffer_of(setting.bound),
        }
        if setting.over == BUSIEST:
            about |= {"busiest_from": since, "busiest_to": until, "load_over_day": load}
        if number == 0:
            about["told"] = True
        for strategy, seed in _runs(seeds, look_ahead=look_ahead):
            run = experiment.measure(experiment.shedder_of(strategy), load, seed, bound=setting.bound)
            rows += _rows(run, scenario, about)
            if strategy is UNSHED:
                rows.append(_price(run, scenario, experiment.cost, about))
                rows.append(_row(run, about, "useless_work", experiment.useless_work, "share"))
                if look_ahead:
                    least = experiment.least_lost(load, bound=setting.bound)
                    rows.append(_row(run, about, "least_lost", least, "share"))
            if number == 0 and seed == seeds[0]:
                rows += _detail_rows(run, experiment, about)
    return pa.Table.from_pylist(rows, SCHEMA)


def _runs(seeds: Sequence[int], *, look_ahead: bool) -> list[tuple[SheddingStrategy, int]]:
    """Strategies with their seeds: those without random draws once, then the others with every seed."""
    usable = [strategy for strategy in strategies.STRATEGIES if look_ahead or not strategy.out_of_reach]
    steady = [(strategy, seeds[0]) for strategy in usable if not strategy.random]
    return steady + [(strategy, seed) for strategy in usable if strategy.random for seed in seeds]


def summarise(compared: pa.Table) -> pa.Table:
    """Mean, standard deviation (0 for one run) and number of runs by strategy, setting, query and metric.

    `query` is null in rows about all queries. Rows about parts of the day and about single states are left out.
    """
    groups: dict[tuple[str, float, str, int, str | None, str, str], list[float]] = {}
    for row in compared.to_pylist():
        about = json.loads(row["parameters"])
        if "from" not in about and "state" not in about:
            setting = about["load"], about["load_over"], about["bound_ns"]
            key = (row["strategy"], *setting, about.get("query"), row["metric"], row["unit"])
            groups.setdefault(key, []).append(row["value"])
    return pa.Table.from_pylist(
        [
            {
                "strategy": strategy,
                "load": load,
                "load_over": over,
                "bound_ns": bound,
                "query": query,
                "metric": metric,
                **asdict(Spread.of(values)),
                "unit": unit,
            }
            for (strategy, load, over, bound, query, metric, unit), values in groups.items()
        ],
        SUMMARY,
    )


def _rows(measured: Measured, scenario: Scenario, about: About) -> Iterator[dict[str, object]]:
    """Rows about the whole operator, then about each query."""
    quality = measured.quality
    for metric, value, unit in measures_of(quality, measured.retrained):
        yield _row(measured, about, metric, value, unit)
    counts = zip(scenario.patterns, quality.matches, quality.missed, quality.invented, strict=True)
    for pattern, matches, missed, invented in counts:
        for metric, value in (("query_matches", matches), ("query_missed", missed), ("query_invented", invented)):
            yield _row(measured, about, metric, value, "matches", query=pattern.name)


def _price(measured: Measured, scenario: Scenario, cost: int, about: About) -> dict[str, object]:
    """What the judged events cost unshed, with all costs and weights, so that a reader can repeat the computation."""
    names = [pattern.name for pattern in scenario.patterns]
    costs: dict[str, object] = dict(asdict(scenario.costs))
    costs["states"] = {name: list(own) for name, own in zip(names, scenario.costs.states, strict=True)}
    weights = {pattern.name: pattern.weight for pattern in scenario.patterns}
    prices: dict[str, object] = {"costs": costs, "weights": weights, "trained_events": scenario.first}
    return _row(measured, about, "virtual_cost", cost, "virtual ns", **prices)


def _detail_rows(measured: Measured, experiment: Experiment, about: About) -> Iterator[dict[str, object]]:
    """What was dropped in each state of each query, then six measures of each part of the day."""
    scenario = experiment.scenario
    gone = np.split(measured.run.account.gone, measured.run.stream.at[1:-1])
    for pattern, by_state in zip(scenario.patterns, gone, strict=True):
        for state, dropped in enumerate(by_state.tolist()):
            place: dict[str, object] = {"query": pattern.name, "state": state}
            yield _row(measured, about, "state_dropped", dropped, "partial matches or events", **place)
    interval, weights = (scenario.begin, scenario.end), measured.quality.weights
    for part in periods_of(measured.run, experiment.unshed, scenario.ts, interval, measured.bound, PERIODS):
        for metric, value, unit in (
            ("period_events", part.events, "events"),
            ("period_dropped", part.dropped, "partial matches or events"),
            ("period_late_events", part.late, "events"),
            ("period_latency_mean", part.mean_latency, "virtual ns"),
            ("period_latency_max", part.worst_latency, "virtual ns"),
            ("period_missed", weighted(part.missed, weights), "weighted matches"),
        ):
            yield _row(measured, about, metric, value, unit, **{"from": part.begin, "to": part.end})


def _row(measured: Measured, about: About, metric: str, value: float, unit: str, **more: object) -> dict[str, object]:
    return measurement(measured.strategy, {**about, **more}, measured.seed, metric, value, unit)
