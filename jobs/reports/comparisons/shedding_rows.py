"""Read what shedding strategies would have missed from the rows of `experiments`.

Rows tell a measure by strategy, setting and seed, some also by query, part of the day or state. A day's comparison is
that of its last run. Rows of former versions lack some parameters: their loads are over the day, and none is marked as
the described setting. Cost: linear in the rows, beside sorting them; over many days only five columns are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import pyarrow.dataset as ds

from cep_core.experiments.loads import BUSIEST, DAY, Setting, described_load
from cep_core.experiments.spread import Spread
from cep_core.shedding.shedders.pspice import PSPICE
from cep_core.shedding.strategies import place_of
from jobs.reports.comparisons.shedding_comparison import DayPart, SheddingComparison, SheddingOutcome
from jobs.reports.lake_reader import LakeReader, rows

EXPERIMENT = "shedding"


def read_shedding(reader: LakeReader, day: date) -> SheddingComparison | None:
    """The day's comparison; None if there is none."""
    measured = rows(reader.read("experiments", day, day, where=ds.field("experiment") == EXPERIMENT), *_ORDER)
    last = max((row["run_id"] for row in measured), default=None)
    return shedding_of([row for row in measured if row["run_id"] == last])


def missed_by_day(reader: LakeReader, first: date, last: date) -> dict[date, float]:
    """For each compared day with matches, the share of them that pSPICE would have missed in the described setting.

    Reads only the files of those days, and five of their columns, since grids of experiments store many rows for a day.
    """
    of_pspice = (ds.field("experiment") == EXPERIMENT) & (ds.field("strategy") == PSPICE.name)
    wanted = of_pspice & ds.field("metric").isin(["lost", "matches"])
    stored = reader.read(
        "experiments", first, last, columns=["day", "run_id", "metric", "parameters", "value"], where=wanted
    )
    by_day: dict[date, dict[Setting, float]] = {}
    marked: dict[date, Setting] = {}
    matched: dict[date, bool] = {}
    for row in rows(stored, "day", "run_id"):
        if row["metric"] == "matches":
            matched[row["day"]] = bool(row["value"])
            continue
        about = json.loads(row["parameters"])
        setting = _setting(about)
        by_day.setdefault(row["day"], {})[setting] = row["value"]
        if about.get("told"):
            marked[row["day"]] = setting
    return {
        day: missed[marked.get(day) or _described(missed)] for day, missed in by_day.items() if matched.get(day, True)
    }


_ORDER = ("run_id", "strategy", "metric", "parameters", "seed")


def shedding_of(measured: Sequence[Mapping[str, Any]]) -> SheddingComparison | None:
    """A comparison from its rows of `experiments`, in any order."""
    about = [(row, json.loads(row["parameters"])) for row in measured if row["value"] is not None]
    whole: dict[tuple[str, Setting], dict[str, list[float]]] = {}
    of_query: dict[tuple[str, Setting], dict[str, dict[str, list[float]]]] = {}
    parts: dict[str, dict[tuple[int, int], dict[str, float]]] = {}
    states: dict[str, dict[str, dict[int, float]]] = {}
    price: Mapping[str, Any] = {}
    cost, described = None, None
    for row, parameters in about:
        key, metric, value = (row["strategy"], _setting(parameters)), row["metric"], float(row["value"])
        if parameters.get("told") or "from" in parameters:
            described = key[1]
        if "state" in parameters:
            states.setdefault(row["strategy"], {}).setdefault(parameters["query"], {})[parameters["state"]] = value
        elif "from" in parameters:
            parts.setdefault(row["strategy"], {}).setdefault((parameters["from"], parameters["to"]), {})[metric] = value
        elif "query" in parameters:
            by_query = of_query.setdefault(key, {}).setdefault(parameters["query"], {})
            by_query.setdefault(metric, []).append(value)
        elif metric == "virtual_cost":
            price, cost = parameters, value
        else:
            whole.setdefault(key, {}).setdefault(metric, []).append(value)
    outcomes = [
        SheddingOutcome(
            strategy,
            setting,
            _spreads(metrics),
            {query: _spreads(values) for query, values in sorted(of_query.get((strategy, setting), {}).items())},
        )
        for (strategy, setting), metrics in sorted(whole.items(), key=_reading_order)
        if {"lost", "late_events", "dropped"} <= metrics.keys()
    ]
    if not outcomes:
        return None
    if described is None:
        described = _described({outcome.setting for outcome in outcomes})
    busy = [parameters for _, parameters in about if "busiest_from" in parameters]
    return SheddingComparison(
        outcomes,
        {name: [_part(key, values) for key, values in sorted(metrics.items())] for name, metrics in _ordered(parts)},
        {
            name: {query: [values[state] for state in sorted(values)] for query, values in sorted(metrics.items())}
            for name, metrics in _ordered(states)
        },
        described,
        next((int(parameters.get("buffer_ns", 0)) for _, parameters in about if _setting(parameters) == described), 0),
        cost,
        price.get("costs", {}),
        price.get("weights", {}),
        price.get("trained_events"),
        (price["training_days"], price["training_days_asked"]) if "training_days_asked" in price else None,
        next((parameters["queries"] for _, parameters in about if "queries" in parameters), ()),
        (busy[0]["busiest_from"], busy[0]["busiest_to"]) if busy else None,
        busy[0].get("busiest_hours") if busy else None,
        {float(parameters["load"]): float(parameters["load_over_day"]) for parameters in busy},
    )


def _setting(about: Mapping[str, Any]) -> Setting:
    """The setting of a row. Loads in rows of former versions are over the day."""
    return Setting(float(about["load"]), about.get("load_over", DAY), int(about.get("bound_ns", 0)))


def _described(settings: Iterable[Setting]) -> Setting:
    """The described setting of rows that mark none: rows of former versions, or a part of a comparison."""
    over = [candidate for candidate in settings if candidate.over == BUSIEST] or list(settings)
    load = described_load({candidate.load for candidate in over})
    return max((candidate for candidate in over if candidate.load == load), key=lambda setting: setting.bound)


def _reading_order(item: tuple[tuple[str, Setting], object]) -> tuple[int, str, str, float, int]:
    """The sort key of an outcome: the strategy's place on the page, the kind of load, the load, the bound."""
    (strategy, setting), _ = item
    return place_of(strategy), strategy, setting.over, setting.load, setting.bound


def _spreads(values_of: Mapping[str, Sequence[float]]) -> dict[str, Spread]:
    return {metric: Spread.of(values) for metric, values in sorted(values_of.items())}


def _part(key: tuple[int, int], measures: Mapping[str, float]) -> DayPart:
    names = ("events", "dropped", "late_events", "latency_mean", "latency_max", "missed")
    return DayPart(*key, *(measures.get(f"period_{name}", 0.0) for name in names))


def _ordered(by_strategy: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(by_strategy.items(), key=lambda item: (place_of(item[0]), item[0]))
