"""What shedding strategies would have missed: the stage `compare` replayed the day on slower operators (`experiments`).

All queries that ask for shedding share one operator; `docs/semantics.md` 7 says what is measured. Strategies that draw
random numbers were run with several seeds. Means and standard deviations are over the seeds, and n is their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cep_core.experiments.loads import Setting
from cep_core.experiments.spread import Spread
from cep_core.shedding.shedders.nothing import UNSHED
from cep_core.shedding.strategies import strategy_named

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
