"""Slicing strategies over the last 28 days: how often each would have been best, and by how much.

Only comparisons of the same queries count, one for each day: the comparison of the plan by which the day was evaluated.
A comparison of many days (from a backfill) counts once, on its last day. Days without a comparison are left out; n is
the number of days that remain.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from cep_core.experiments.slicing_strategies import IN_USE
from jobs.reports.answers.changes import TRAILING
from jobs.reports.comparisons.slicing_comparison import MeasuredSlicing, SlicingComparison, comparisons_ending
from jobs.reports.lake_reader import LakeReader
from jobs.reports.words.quantities import share
from jobs.reports.words.values import listed, shown

TOO_HIGH = 1.2
"""A largest slice above this many times its prediction is a warning: the log has drifted from the plan."""


@dataclass(frozen=True)
class PlanLoad:
    """The largest slice of a day's plan, predicted and counted, as shares of the relevant events."""

    day: date
    plan_id: str
    predicted: float
    measured: float

    @property
    def ratio(self) -> float | None:
        """How many times the prediction was measured; None if nothing was predicted."""
        return self.measured / self.predicted if self.predicted else None

    @property
    def is_too_high(self) -> bool:
        return self.ratio is not None and self.ratio > TOO_HIGH


@dataclass(frozen=True)
class Record:
    """One strategy over the compared days."""

    strategy: str
    wins: int
    days: int
    """The number of days on which it was measured."""
    load: float
    """The mean of its maximum load over those days."""
    margin: float
    """How far its largest slice is below the largest slice of the plan in use, as a share of the latter: the mean over
    the days with a plan in use. Negative if it is above."""


@dataclass(frozen=True)
class History:
    """Comparisons of the same queries by day; the last one is that of the described day."""

    days: Sequence[tuple[date, SlicingComparison]]

    @property
    def wins(self) -> Counter[str]:
        """For each strategy, the number of days on which it was best.

        Of equal strategies the plan in use counts as best.
        """
        return Counter(comparison.best.strategy for _, comparison in self.days if comparison.best is not None)

    @property
    def loads(self) -> list[PlanLoad]:
        """Predicted and measured load of each day on which both are known."""
        return [
            PlanLoad(day, plan["plan_id"], float(plan["predicted_load"]), comparison.in_use.load)
            for day, comparison in self.days
            if comparison.in_use is not None and (plan := comparison.plan)["predicted_load"] is not None
        ]

    @property
    def warning(self) -> str:
        """What to know where today's largest slice is far above its prediction; else empty."""
        day, comparison = self.days[-1]
        loads = self.loads
        if not loads or loads[-1].day != day or not loads[-1].is_too_high:
            return ""
        today, high = loads[-1], sum(load.is_too_high for load in loads)
        over = f"; more than {TOO_HIGH:g} times on {high} of the {len(loads)} measured days" if len(loads) > 1 else ""
        return (
            f"The largest slice of {listed(comparison.queries)} has {share(today.measured)} of the events, "
            f"{today.ratio:.1f} times what the plan predicted ({share(today.predicted)}){over}. Results are right all "
            "the same; the run took longer than it had to."
        )

    @property
    def records(self) -> list[Record]:
        """Every strategy, most wins first."""
        days_of: dict[str, list[tuple[MeasuredSlicing, MeasuredSlicing | None]]] = {}
        for _, comparison in self.days:
            for strategy in comparison.strategies:
                days_of.setdefault(strategy.strategy, []).append((strategy, comparison.in_use))
        wins = self.wins
        records = [_record(name, wins[name], days) for name, days in days_of.items()]
        return sorted(records, key=lambda record: (-record.wins, record.load, record.strategy))

    def clause(self, strategy: str) -> str:
        """How today's best strategy did over the days, as the rest of a sentence; empty if there is no other day."""
        if len(self.days) < 2:
            return ""
        record = next(record for record in self.records if record.strategy == strategy)
        rivals = [f"{shown(name)} on {n}" for name, n in self.wins.most_common() if name != strategy]
        rest = f" ({listed(rivals, 3)})" if rivals else ""
        clause = f"over the last {TRAILING} days it was best on {record.wins} of {len(self.days)} compared{rest}"
        if strategy == IN_USE.name:
            behind = statistics.fmean(_behind(comparison) for _, comparison in self.days)
            return clause + (f", on average {share(behind)} above the day's best" if behind else "")
        if not record.margin:
            return clause
        side = "below" if record.margin > 0 else "above"
        return f"{clause}, on average {share(abs(record.margin))} {side} the plan in use"


def _behind(comparison: SlicingComparison) -> float:
    """How far the largest slice of the plan in use is above the best, as a share of the best; 0 if unknown."""
    best, used = comparison.best, comparison.in_use
    return used.load / best.load - 1 if best is not None and used is not None and best.load else 0.0


def _record(name: str, wins: int, days: Sequence[tuple[MeasuredSlicing, MeasuredSlicing | None]]) -> Record:
    margins = [1 - measured.load / used.load for measured, used in days if used is not None and used.load]
    return Record(
        name,
        wins,
        len(days),
        statistics.fmean(measured.load for measured, _ in days),
        statistics.fmean(margins) if margins else 0.0,
    )


def earlier_comparisons(reader: LakeReader, day: date) -> list[tuple[date, SlicingComparison]]:
    """All comparisons of the trailing days before `day`; each table is read once."""
    return comparisons_ending(reader, day - timedelta(days=TRAILING - 1), day - timedelta(days=1))


def history(earlier: Sequence[tuple[date, SlicingComparison]], day: date, today: SlicingComparison) -> History:
    """The comparisons of today's queries, with today's as the last one."""
    before = {
        on: comparison
        for on, comparison in earlier
        if comparison.queries == today.queries and comparison.best is not None
    }
    return History([*sorted(before.items(), key=lambda item: item[0]), (day, today)])
