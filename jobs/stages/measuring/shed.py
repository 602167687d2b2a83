"""Measures what a slower machine would have missed: replays a day under each shedding strategy (docs/semantics.md 7).

All queries of the workload that ask for `shedding` share one operator. The days before that the lake holds train it, as
many as `training_days` asks for and as `limits.slice_rows` allows; then it is measured on the day. Everything is
computed in this process, from the lake's files, on a virtual clock, so the same events give the same rows on every
machine. The number of training days is among the parameters of every row.

Cost: for each day one run of the operator over the days read, and one over the day for each strategy, setting (a load
over the day or over its busiest hours, a bound) and seed; seconds a day. A run of many days therefore compares the
last of them only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta

import pyarrow as pa

from cep_core.experiments.shedding_rows import compare_shedding, scenario_of
from cep_core.shedding.arrays.offering import relevant_types
from jobs.lake.reading import read_types
from jobs.runs.ledger import bounds_of
from jobs.runs.recorded_days import Ledger
from jobs.runs.run import Run
from jobs.runs.scope import first_read
from jobs.workload.sections.shedding import HOURS

EXPERIMENT = "shedding"
"""The experiment's name; one a day."""

MOST_DAYS = 31
"""The most days that one run compares: reports look back at most four weeks."""


@dataclass(frozen=True)
class Training:
    """The days before a measured day on which the operator's model is trained."""

    days: tuple[date, ...]
    asked: int
    """The number of days that were asked for; the lake may have fewer."""


def days_evaluated(run: Run) -> list[date]:
    """The days of the run's scope on which a query that asks for shedding is evaluated; their rows are replaced."""
    assert run.scope is not None
    return sorted({evaluation.day for name in run.workload.shed_queries for evaluation in run.scope.of(name)})


def shed_on(run: Run, ledger: Ledger, day: date) -> tuple[Training, pa.Table]:
    """The training days, and the rows of `experiments` for a day, without the columns day, run and experiment."""
    workload, shed_queries = run.workload, run.workload.shed_queries
    assert workload.shedding is not None
    training, queries = _training(run, ledger, day), {name: run.compiled[name].query for name in shed_queries}
    types = {kind for query in queries.values() for kind in relevant_types(query)}
    scenario = scenario_of(
        queries,
        read_types(run.lake, workload, types, (*training.days, day)),
        workload.operating_days.interval(day),
        workload.shedding.costs_of(shed_queries),
        workload.shedding.bound,
        weights={name: shedding.weight for name, shedding in shed_queries.items()},
        buffer=workload.shedding.buffer,
    )
    hours = workload.shedding.busiest_hours
    compared = compare_shedding(
        scenario,
        loads=workload.shedding.loads,
        busiest=hours * workload.operating_days.length // HOURS,
        bounds=workload.shedding.bounds,
        seeds=workload.shedding.seeds,
    )
    training_facts = {"training_days": len(training.days), "training_days_asked": training.asked}
    if hours:
        training_facts["busiest_hours"] = hours
    return training, _with_facts(compared, training_facts)


def _with_facts(compared: pa.Table, facts: dict[str, int]) -> pa.Table:
    """The rows with more parameters."""
    encoded = compared["parameters"].combine_chunks().dictionary_encode()
    texts = [json.dumps(json.loads(text) | facts, sort_keys=True) for text in encoded.dictionary.to_pylist()]
    parameters = pa.DictionaryArray.from_arrays(encoded.indices, pa.array(texts, pa.string())).dictionary_decode()
    return compared.set_column(compared.column_names.index("parameters"), "parameters", parameters)


def _training(run: Run, ledger: Ledger, day: date) -> Training:
    """The days that the queries reach, since a match of the day may have begun there, and those before that fit."""
    assert run.workload.shedding is not None
    bounds = bounds_of(run.workload)
    reached = min(
        first_read(run.compiled[name].evaluator.reach, day, ledger, bounds) for name in run.workload.shed_queries
    )
    most = max(run.workload.shedding.training_days, (day - reached).days)
    days: list[date] = []
    room = run.workload.limits.slice_rows - ledger.days[day].events
    for back in range(1, most + 1):
        earlier = day - timedelta(days=back)
        if ledger.holds(earlier):
            room -= ledger.days[earlier].events
            if room < 0 and earlier < reached:
                break
            days.append(earlier)
    return Training(tuple(reversed(days)), most)
