"""A question asked of operating days of the lake in this process: the days' events and those that they look back to.

Nothing starts a JVM, nothing is written. The events of the days that are read must fit into memory: beyond `LARGEST` of
them the question is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from cep_core.compile import BoundText
from cep_core.language.evaluator import Evaluator
from jobs.exits import WrongWorkload
from jobs.lake.reading import read_events
from jobs.questions.asked_log import AskedLog
from jobs.runs.ledger import bounds_of, read_ledger
from jobs.runs.recorded_days import EXPIRED, Ledger
from jobs.runs.run import days_between
from jobs.runs.scope import first_read, holes
from jobs.workload.declaration import Workload

LARGEST = 100_000_000
"""The most events that a question may read."""


@dataclass(frozen=True)
class LakeDays:
    """The days of a workload's lake."""

    workload: Workload
    lake: Path

    @cached_property
    def ledger(self) -> Ledger:
        """What the lake holds."""
        return read_ledger(self.lake, self.workload.name)

    def read_for(self, evaluator: Evaluator, day: date) -> tuple[date, ...]:
        """The days that an evaluator reads for a day, ascending. Raises WrongWorkload if the lake lacks the day."""
        if not self.ledger.holds(day):
            load = f"load it with `trendmill run {self.workload.name} --from {day}`"
            raise WrongWorkload(f"the lake does not hold {day}; {load}")
        return days_between(first_read(evaluator.reach, day, self.ledger, bounds_of(self.workload)), day)

    def missing(self, evaluator: Evaluator, day: date) -> tuple[date, ...]:
        """Days within reach that the lake lacks, or that the gate refused: the day's answer is incomplete."""
        return holes(self.read_for(evaluator, day)[0], day, self.ledger, bounds_of(self.workload))

    def changed_since(self, query: str, days: Sequence[date]) -> list[date]:
        """Days whose results in the lake were found on other events than it holds now."""
        results = ((day, self.ledger.results.get((query, day))) for day in days)
        return [
            day
            for day, recorded in results
            if recorded
            and any(self.ledger.version(of) not in (version, EXPIRED) for of, version in recorded.inputs.items())
        ]

    def events_of(self, days: tuple[date, ...]) -> int:
        """How many events the lake holds of some days."""
        return sum(self.ledger.days[day].events for day in days if day in self.ledger.days)

    def asked(self, bound: BoundText, evaluator: Evaluator, first: date, last: date) -> AskedLog:
        """The question of consecutive days. Raises WrongWorkload for a day that the lake lacks, or too many events."""
        own = days_between(first, last)
        days = days_between(min(self.read_for(evaluator, day)[0] for day in own), last)
        if (many := self.events_of(days)) > LARGEST:
            reach = f"{days[0]}..{last} hold {many:,} events"
            raise WrongWorkload(f"{reach}, too many for one process ({LARGEST:,}); `trendmill run` evaluates such days")
        calendar = self.workload.operating_days
        moments = (*(calendar.interval(day)[0] for day in own), calendar.interval(last)[1])
        return AskedLog(self.workload, bound, evaluator, read_events(self.lake, self.workload, days), moments)
