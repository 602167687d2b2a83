"""What shedding strategies would have missed: the stage `compare` replayed the day on slower operators (`experiments`).

All queries that ask for shedding share one operator; `docs/semantics.md` 7 says what is measured. Strategies that draw
random numbers were run with several seeds. Means and standard deviations are over the seeds, and n is their number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pyarrow.dataset as ds

from cep_core.experiments.loads import BUSIEST, DAY, Setting, described_load
from cep_core.experiments.spread import Spread
from cep_core.shedding.shedders.nothing import UNSHED
from cep_core.shedding.shedders.pspice import PSPICE
from cep_core.shedding.strategies import place_of, strategy_named
from jobs.reports.lake_reader import LakeReader, rows

EXPERIMENT = "shedding"
LITTLE = 0.5
"""If the share of drops with a choice is below this, strategies are not compared: most drops left nothing to choose."""


@dataclass(frozen=True)
class SheddingOutcome:
    """One strategy in one setting."""

    strategy: str
    setting: Setting
    measures: Mapping[str, Spread]
    by_query: Mapping[str, Mapping[str, Spread]]

    @property
    def attainable(self) -> bool:
        """Whether the strategy could be used in practice.

        A strategy that has no record any more is assumed to be usable.
        """
        record = strategy_named(self.strategy)
        return record is None or record.attainable

    @property
    def lost(self) -> float:
        return self.measures["lost"].mean

    @property
    def late(self) -> float:
        """The share of events that were later than the bound."""
        return self.measures["late_events"].mean

    @property
    def dropped(self) -> float:
        return self.measures["dropped"].mean

    def has_matches(self, query: str | None = None) -> bool:
        """Whether there was a match to be missed, of one query or of any."""
        counts = self.measures if query is None else self.by_query[query]
        of = counts.get("matches" if query is None else "query_matches")
        return of is None or of.mean > 0

    def lost_of(self, query: str | None) -> Spread:
        """The share of missed matches: of one query, or of all queries by weight."""
        if query is None:
            return self.measures["lost"]
        counts = self.by_query[query]
        whole, missed = counts["query_matches"].mean, counts["query_missed"]
        return Spread(missed.mean / whole, missed.deviation / whole, missed.n) if whole else Spread(0.0, 0.0, missed.n)


@dataclass(frozen=True)
class DayPart:
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
class SheddingComparison:
    """A day's comparison."""

    outcomes: Sequence[SheddingOutcome]
    """The outcomes in the order of the table of strategies, then by load."""
    parts: Mapping[str, Sequence[DayPart]]
    """For each strategy, its parts of the day in the described setting, for one seed."""
    states: Mapping[str, Mapping[str, Sequence[float]]]
    """As for `parts`: the drops in each state of each query, the initial state first."""
    setting: Setting
    """The setting that the page describes; its bound is the workload's own."""
    buffer_ns: int
    virtual_cost: float | None
    costs: Mapping[str, Any]
    weights: Mapping[str, float]
    trained_events: int | None
    training_days: tuple[int, int] | None
    """The number of earlier days on which the model was trained, and the number that was asked for."""
    asked: Sequence[str] = ()
    """The queries as the run named them; `queries` are those that were measured separately."""
    busiest: tuple[int, int] | None = None
    """The start and end of the busiest time of the day, in log time."""
    busiest_hours: int | None = None
    """The length of the busiest time, in hours."""
    loads_over_day: Mapping[float, float] = field(default_factory=dict)
    """For each load over the busiest hours, the same load over the whole day."""

    @property
    def strategies(self) -> list[str]:
        return list(dict.fromkeys(outcome.strategy for outcome in self.outcomes))

    @property
    def bound_ns(self) -> int:
        return self.setting.bound

    def along(self, over: str) -> list[Setting]:
        """The settings with the described bound, by their loads over the day or over its busiest hours."""
        settings = {outcome.setting for outcome in self.outcomes}
        return sorted(
            (candidate for candidate in settings if (candidate.over, candidate.bound) == (over, self.setting.bound)),
            key=lambda setting: setting.load,
        )

    @property
    def bounds(self) -> list[Setting]:
        """The settings with the described load, by their bounds."""
        settings = {outcome.setting for outcome in self.outcomes}
        load_and_time = (self.setting.load, self.setting.over)
        return sorted(
            (candidate for candidate in settings if (candidate.load, candidate.over) == load_and_time),
            key=lambda setting: setting.bound,
        )

    @property
    def queries(self) -> list[str]:
        return list(dict.fromkeys(name for outcome in self.outcomes for name in outcome.by_query))

    @property
    def at_setting(self) -> list[SheddingOutcome]:
        """Every strategy in the described setting, the fewest missed first.

        Strategies that cannot be used come last.
        """
        outcomes = [outcome for outcome in self.outcomes if outcome.setting == self.setting]
        return sorted(
            outcomes, key=lambda outcome: (not outcome.attainable, outcome.strategy == UNSHED.name, outcome.lost)
        )

    @property
    def attainable(self) -> list[SheddingOutcome]:
        """The strategies that could have been used, in the described setting, the fewest missed first."""
        return [outcome for outcome in self.at_setting if outcome.attainable]

    def outcome(self, strategy: str, setting: Setting | None = None) -> SheddingOutcome | None:
        """A strategy's outcome in a setting; by default the described one."""
        target_setting = self.setting if setting is None else setting
        return next(
            (outcome for outcome in self.outcomes if (outcome.strategy, outcome.setting) == (strategy, target_setting)),
            None,
        )

    def least_lost(self, setting: Setting) -> float | None:
        """What any strategy that drops partial matches and keeps the bound would have missed; None: not measured."""
        without = self.outcome(UNSHED.name, setting)
        least = None if without is None else without.measures.get("least_lost")
        return None if least is None else least.mean

    @property
    def choice(self) -> float | None:
        """The share of the attainable strategies' drops in which some partial matches could be kept; None: unknown."""
        measures = [outcome.measures for outcome in self.attainable if "choice" in outcome.measures]
        drops = sum(measure["drops"].mean for measure in measures)
        return sum(measure["drops"].mean * measure["choice"].mean for measure in measures) / drops if drops else None

    @property
    def little_choice(self) -> bool:
        """Whether strategies had so little to choose from that they are not compared."""
        return self.choice is not None and self.choice < LITTLE


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
