"""Slicing strategies side by side, as `compare` measured them on the day's events (`experiments`).

There is one comparison for each group of queries that share a plan. Loads are shares of the events that the plan's
atoms match: without slicing the load is 1, and no plan with the same number of slices can be below the lower bound.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import pyarrow.dataset as ds

from cep_core.experiments.slicing_strategies import IN_USE
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.words.clock import spoken
from jobs.reports.words.values import spanned

PREFIX = "slicing:"
LOAD = "maximum_load"
PLANNED = "planned"


@dataclass(frozen=True)
class MeasuredSlicing:
    """A strategy's measurements."""

    strategy: str
    parameters: Mapping[str, Any]
    load: float
    replication: float | None
    imbalance: float | None


@dataclass(frozen=True)
class Planned:
    """The planner's prediction for a number of slices."""

    slices: int
    load: float
    replication: float
    lower_bound: float


@dataclass(frozen=True)
class SlicingComparison:
    """The strategies of one plan's queries, lowest maximum load first."""

    plan: Mapping[str, Any]
    """The plan's row of `slicing_plans`."""
    strategies: Sequence[MeasuredSlicing]
    slowest_seconds: float | None = None
    all_seconds: float | None = None
    """The seconds of all slices together, measured for the plan in use over all of its queries."""
    planned: Sequence[Planned] = ()
    """Predictions for other numbers of slices, fewest first."""

    @property
    def queries(self) -> list[str]:
        return sorted(self.plan["queries"])

    @property
    def period(self) -> str:
        """The days that were evaluated by the plan; the strategies were counted on their events."""
        first, last = spoken(self.plan["first_day"]), spoken(self.plan["last_day"])
        return spanned(first, last)

    @property
    def lower_bound(self) -> float | None:
        return None if self.plan["lower_bound"] is None else float(self.plan["lower_bound"])

    @property
    def best(self) -> MeasuredSlicing | None:
        return self.strategies[0] if self.strategies else None

    @property
    def in_use(self) -> MeasuredSlicing | None:
        return next((strategy for strategy in self.strategies if strategy.strategy == IN_USE.name), None)


def comparisons(reader: LakeReader, day: date) -> list[SlicingComparison]:
    """A comparison for each plan by which the day was evaluated, by its first query."""
    plans = plans_in_use(reader, day)
    if not plans:
        return []
    names = [PREFIX + plan["plan_id"] for plan in plans]
    measured = rows(reader.read("experiments", where=ds.field("experiment").isin(names)), "day", "strategy", "metric")
    return [_comparison(plan, measured) for plan in plans]


def comparisons_ending(reader: LakeReader, first: date, last: date) -> list[tuple[date, SlicingComparison]]:
    """For each day from `first` to `last`, in order: the comparisons of the plans in use that end with this day.

    Reads each table once for any number of days.
    """
    ending = (ds.field("last_day") >= first) & (ds.field("last_day") <= last)
    plans = rows(reader.read("slicing_plans", where=ending), "day", "plan_id")
    results = rows(reader.read("result_days", first, last, ["day", "query", "run_id"]))
    names = sorted({PREFIX + plan["plan_id"] for plan in plans})
    # a plan for a period is measured on the last day of its run
    stored = reader.read("experiments", first, where=ds.field("experiment").isin(names)) if names else None
    by_plan: dict[str, list[dict[str, Any]]] = {}
    for row in rows(stored, "day", "strategy", "metric"):
        by_plan.setdefault(row["experiment"].removeprefix(PREFIX), []).append(row)
    comparisons = []
    for on in sorted({plan["last_day"] for plan in plans}):
        evaluated = {(row["query"], row["run_id"]) for row in results if row["day"] == on}
        for plan in _in_use([plan for plan in plans if plan["last_day"] == on], evaluated):
            comparisons.append((on, _comparison(plan, by_plan.get(plan["plan_id"], []))))
    return comparisons


def plans_in_use(reader: LakeReader, day: date) -> list[dict[str, Any]]:
    """The plan of each query by which the day's result was evaluated; if there is none, one of the day's plans."""
    covering = (ds.field("first_day") <= day) & (ds.field("last_day") >= day)
    plans = rows(reader.read("slicing_plans", where=covering), "day", "plan_id")
    results = rows(reader.read("result_days", day, day, ["query", "run_id"]))
    return _in_use(plans, {(row["query"], row["run_id"]) for row in results})


def _in_use(plans: Sequence[dict[str, Any]], evaluated: set[tuple[str, str]]) -> list[dict[str, Any]]:
    by_query: dict[str, dict[str, Any]] = {}
    for plan in plans:
        for query in plan["queries"]:
            earlier = by_query.get(query)
            if earlier is None or (query, plan["run_id"]) in evaluated or (query, earlier["run_id"]) not in evaluated:
                by_query[query] = plan
    chosen = {plan["plan_id"]: plan for plan in by_query.values()}
    return sorted(chosen.values(), key=lambda plan: sorted(plan["queries"]))


def _comparison(plan: Mapping[str, Any], recorded: list[dict[str, Any]]) -> SlicingComparison:
    measured_plan = (PREFIX + plan["plan_id"], plan["run_id"])
    of_plan = [
        row for row in recorded if (row["experiment"], row["run_id"]) == measured_plan and row["value"] is not None
    ]
    measured = [row for row in of_plan if row["strategy"] != PLANNED]
    values: dict[str, dict[str, float]] = {}
    parameters: dict[str, Mapping[str, Any]] = {}
    for row in measured:
        values.setdefault(row["strategy"], {})[row["metric"]] = row["value"]
        if row["metric"] == LOAD:
            parameters[row["strategy"]] = json.loads(row["parameters"])
    strategies = [
        MeasuredSlicing(name, parameters[name], metrics[LOAD], metrics.get("replication"), metrics.get("imbalance"))
        for name, metrics in values.items()
        if LOAD in metrics
    ]
    # of equal strategies the plan in use comes first: readers want to know whether it is among the best
    strategies.sort(
        key=lambda strategy: (
            strategy.load,
            strategy.strategy != IN_USE.name,
            strategy.replication or 0.0,
            strategy.strategy,
        )
    )
    seconds = values.get(IN_USE.name, {})
    planned = _planned([row for row in of_plan if row["strategy"] == PLANNED])
    return SlicingComparison(plan, strategies, seconds.get("slowest_slice"), seconds.get("all_slices"), planned)


def _planned(predicted: list[dict[str, Any]]) -> list[Planned]:
    by_count: dict[int, dict[str, float]] = {}
    for row in predicted:
        by_count.setdefault(int(json.loads(row["parameters"])["slices"]), {})[row["metric"]] = row["value"]
    return [
        Planned(slices, costs["predicted_load"], costs["predicted_replication"], costs["lower_bound"])
        for slices, costs in sorted(by_count.items())
    ]
