"""What shedding strategies would have missed, as `compare` replayed the day through slower operators (`experiments`).

One operator for all queries that ask for it; `docs/semantics.md` 7 says what is measured. Strategies that draw random
numbers were run with several seeds: means and standard deviations are over those, n is their number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import pyarrow.dataset as ds

from cep_core.experiments.loads import load_told
from cep_core.experiments.spread import Spread
from jobs.reports.lake_reader import LakeReader, rows

EXPERIMENT = "shedding"
NONE, PSPICE, AT_RANDOM, EVENTS, LOOK_AHEAD = "none", "pSPICE", "PM-BL", "E-BL", "greedy look-ahead"
DROPS = {
    NONE: "nothing",
    PSPICE: "partial matches of lowest utility: chance to complete over remaining time",
    "pSPICE--": "the same without the remaining time",
    AT_RANDOM: "partial matches at random",
    EVENTS: "events from windows, by type",
    "trend counts": "partial matches of which the fewest matches are expected for their cost",
    LOOK_AHEAD: "partial matches by what became of them: out of reach, a yardstick",
}
"""What each strategy drops, in reading order; strategies that are not here are called by their name alone."""


@dataclass(frozen=True)
class Outcome:
    """One strategy at one load."""

    strategy: str
    load: float
    measures: Mapping[str, Spread]
    by_query: Mapping[str, Mapping[str, Spread]]

    @property
    def lost(self) -> float:
        return self.measures["lost"].mean

    @property
    def late(self) -> float:
        """Share of the events beyond the bound."""
        return self.measures["late_events"].mean

    @property
    def dropped(self) -> float:
        return self.measures["dropped"].mean

    def lost_of(self, query: str | None) -> Spread:
        """The share of the matches of one query, or by weight of all, that is missing."""
        if query is None:
            return self.measures["lost"]
        found = self.by_query[query]
        whole, missed = found["query_matches"].mean, found["query_missed"]
        return Spread(missed.mean / whole, missed.deviation / whole, missed.n) if whole else Spread(0.0, 0.0, missed.n)


@dataclass(frozen=True)
class Part:
    """A strategy in one part of the day, in log time; latencies in virtual nanoseconds."""

    begin: int
    end: int
    events: float
    dropped: float
    late_events: float
    latency_mean: float
    latency_max: float
    missed: float


@dataclass(frozen=True)
class Shedding:
    """A day's comparison."""

    outcomes: Sequence[Outcome]
    """In the order of the strategies of `DROPS`, then of loads."""
    parts: Mapping[str, Sequence[Part]]
    """For each strategy, at the load told and of one seed."""
    states: Mapping[str, Mapping[str, Sequence[float]]]
    """Likewise: what was dropped in each state of each query, the initial one first."""
    load: float
    """The load of which is told."""
    bound_ns: int
    buffer_ns: int
    virtual_cost: float | None
    costs: Mapping[str, Any]
    weights: Mapping[str, float]
    trained_events: int | None
    training_days: tuple[int, int] | None
    """On how many days before the model was trained, and on how many it should have been."""
    asked: Sequence[str] = ()
    """The queries as the run named them; `queries` are those that were measured apart."""

    @property
    def strategies(self) -> list[str]:
        return list(dict.fromkeys(one.strategy for one in self.outcomes))

    @property
    def loads(self) -> list[float]:
        return sorted({one.load for one in self.outcomes})

    @property
    def queries(self) -> list[str]:
        return list(dict.fromkeys(name for one in self.outcomes for name in one.by_query))

    @property
    def at_load(self) -> list[Outcome]:
        """Every strategy at the load told, the fewest missed first; those that are no strategy at the end."""
        told = [one for one in self.outcomes if one.load == self.load]
        return sorted(told, key=lambda one: (one.strategy in (NONE, LOOK_AHEAD), one.strategy == NONE, one.lost))

    @property
    def attainable(self) -> list[Outcome]:
        """Strategies that somebody could have used, at the load told, the fewest missed first."""
        return [one for one in self.at_load if one.strategy not in (NONE, LOOK_AHEAD)]

    def outcome(self, strategy: str, load: float | None = None) -> Outcome | None:
        """A strategy at a load, the one told by default."""
        wanted = self.load if load is None else load
        return next((one for one in self.outcomes if (one.strategy, one.load) == (strategy, wanted)), None)


def read_shedding(reader: LakeReader, day: date) -> Shedding | None:
    """The day's comparison; None where there is none."""
    found = rows(reader.read("experiments", day, day, where=ds.field("experiment") == EXPERIMENT), *_ORDER)
    last = max((row["run_id"] for row in found), default=None)
    return shedding_of([row for row in found if row["run_id"] == last])


def missed_by_day(reader: LakeReader, first: date, last: date) -> dict[date, float]:
    """For each day compared the share of the matches that pSPICE would have missed at the load told.

    Reads those days' files alone, and of them four columns: grids of experiments bear a day, too, and are many rows.
    """
    wanted = (ds.field("experiment") == EXPERIMENT) & (ds.field("strategy") == PSPICE) & (ds.field("metric") == "lost")
    found = reader.read("experiments", first, last, columns=["day", "run_id", "parameters", "value"], where=wanted)
    by_day: dict[date, dict[float, float]] = {}
    for row in rows(found, "day", "run_id"):
        by_day.setdefault(row["day"], {})[float(json.loads(row["parameters"])["load"])] = row["value"]
    return {day: missed[load_told(missed)] for day, missed in by_day.items()}


_ORDER = ("run_id", "strategy", "metric", "parameters", "seed")


def shedding_of(measured: Sequence[Mapping[str, Any]]) -> Shedding | None:
    """A comparison from its rows of `experiments`, in any order."""
    about = [(row, json.loads(row["parameters"])) for row in measured if row["value"] is not None]
    whole: dict[tuple[str, float], dict[str, list[float]]] = {}
    of_query: dict[tuple[str, float], dict[str, dict[str, list[float]]]] = {}
    parts: dict[str, dict[tuple[int, int], dict[str, float]]] = {}
    states: dict[str, dict[str, dict[int, float]]] = {}
    price: Mapping[str, Any] = {}
    cost, told = None, None
    for row, it in about:
        key, metric, value = (row["strategy"], float(it["load"])), row["metric"], float(row["value"])
        if "state" in it:
            states.setdefault(row["strategy"], {}).setdefault(it["query"], {})[it["state"]] = value
        elif "from" in it:
            parts.setdefault(row["strategy"], {}).setdefault((it["from"], it["to"]), {})[metric] = value
            told = key[1]
        elif "query" in it:
            by_query = of_query.setdefault(key, {}).setdefault(it["query"], {})
            by_query.setdefault(metric, []).append(value)
        elif metric == "virtual_cost":
            price, cost = it, value
        else:
            whole.setdefault(key, {}).setdefault(metric, []).append(value)
    outcomes = [
        Outcome(
            strategy,
            load,
            _spreads(found),
            {query: _spreads(its) for query, its in sorted(of_query.get((strategy, load), {}).items())},
        )
        for (strategy, load), found in sorted(whole.items(), key=lambda item: (_place(item[0][0]), item[0]))
        if {"lost", "late_events", "dropped"} <= found.keys()
    ]
    if not outcomes:
        return None
    if told is None:
        told = load_told({one.load for one in outcomes})
    return Shedding(
        outcomes,
        {name: [_part(key, its) for key, its in sorted(found.items())] for name, found in _ordered(parts)},
        {
            name: {query: [its[state] for state in sorted(its)] for query, its in sorted(found.items())}
            for name, found in _ordered(states)
        },
        told,
        max((int(it.get("bound_ns", 0)) for _, it in about), default=0),
        max((int(it.get("buffer_ns", 0)) for _, it in about), default=0),
        cost,
        price.get("costs", {}),
        price.get("weights", {}),
        price.get("trained_events"),
        (price["training_days"], price["training_days_asked"]) if "training_days_asked" in price else None,
        next((it["queries"] for _, it in about if "queries" in it), ()),
    )


def _spreads(found: Mapping[str, Sequence[float]]) -> dict[str, Spread]:
    return {metric: Spread.of(values) for metric, values in sorted(found.items())}


def _part(key: tuple[int, int], found: Mapping[str, float]) -> Part:
    names = ("events", "dropped", "late_events", "latency_mean", "latency_max", "missed")
    return Part(*key, *(found.get(f"period_{name}", 0.0) for name in names))


def _ordered(by_strategy: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(by_strategy.items(), key=lambda item: (_place(item[0]), item[0]))


def _place(strategy: str) -> int:
    known = list(DROPS)
    return known.index(strategy) if strategy in known else len(known)
