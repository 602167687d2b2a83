"""A lake in memory: days of events, and runs over them with nothing but dictionaries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta

from cep_core.language.evaluator import Reach
from jobs.runs.recorded_days import Ledger, LoadedDay, Recorded
from jobs.runs.scope import Bounds, Scope, ScopedQuery, evaluate_after_loading, warm_up
from tests.runs.lake.toy_calendar import ToyCalendar

HOURS = 4
"""Length of an operating day in the toy log's unit: short, so that reaches end within days as well as between them."""
START = date(2013, 1, 1)
DAYS = 9


CALENDAR = ToyCalendar(START, HOURS)
BOUNDS = Bounds(CALENDAR, START, max_reach=100 * HOURS)


def day(n: int) -> date:
    return START + timedelta(days=n)


def look_back(events: list[int], ts: int, reach: Reach) -> list[int]:
    """The events that an event at `ts` sees: all in the reach, counted in time, in time-points, or in positions."""
    edge = ts - (reach.time or 0)
    for _ in range(reach.points):
        edge = max((t for t in events if t < edge), default=edge) - (reach.time or 0)
    seen = {i for i, t in enumerate(events) if edge <= t <= ts}
    before = [i for i, t in enumerate(events) if t < ts]
    return [events[i] for i in sorted(seen | set(before[len(before) - reach.events :] if reach.events else []))]


@dataclass
class ToyLake:
    """Events by day, results by (query, day), and the runs of jobs/tasks/nightly.py with nothing but dictionaries."""

    queries: dict[str, Reach]
    sources: dict[date, list[int]]
    events: dict[date, list[int]] = field(default_factory=dict)
    refused: set[date] = field(default_factory=set)
    results: dict[tuple[str, date], list[tuple[int, int]]] = field(default_factory=dict)
    complete: dict[tuple[str, date], bool] = field(default_factory=dict)
    recorded: dict[tuple[str, date], Recorded] = field(default_factory=dict)
    version: str = "1"
    bounds: Bounds = BOUNDS

    @property
    def ledger(self) -> Ledger:
        days = {
            d: LoadedDay(
                str(self.events[d]) if d in self.events else None,
                d in self.refused,
                len(self.events.get(d, [])),
                len(set(self.events.get(d, []))),
            )
            for d in self.events.keys() | self.refused
        }
        return Ledger(days, self.recorded)

    @property
    def questions(self) -> dict[str, ScopedQuery]:
        return {name: ScopedQuery(reach, self.version) for name, reach in self.queries.items()}

    def run(self, first: date, last: date, passes: Callable[[date], bool] = lambda _: True) -> Scope:
        own = [first + timedelta(days=n) for n in range((last - first).days + 1)]
        loaded = []
        while missing := warm_up(self.questions, own, self.ledger, self.bounds, self.sources.__contains__):
            loaded += self.load(missing, passes)
        loaded += self.load(own, passes)
        while missing := warm_up(self.questions, own, self.ledger, self.bounds, self.sources.__contains__):
            loaded += self.load(missing, passes)
        scope = evaluate_after_loading(self.questions, first, last, loaded, self.ledger, self.bounds)
        self.evaluate(scope)
        return scope

    def load(self, days: list[date] | tuple[date, ...], passes: Callable[[date], bool]) -> list[date]:
        for d in days:
            if passes(d):
                self.events[d] = self.sources[d]
                self.refused.discard(d)
            else:
                self.refused.add(d)
        return list(days)

    def evaluate(self, scope: Scope) -> None:
        ledger = self.ledger
        for e in scope.evaluations:
            read = sorted(ts for d in e.inputs for ts in self.events.get(d, []))
            self.results[e.query, e.day] = [
                (ts, len(look_back(read, ts, self.queries[e.query]))) for ts in self.events[e.day]
            ]
            self.complete[e.query, e.day] = e.complete
            self.recorded[e.query, e.day] = Recorded(self.version, {d: ledger.version(d) for d in e.inputs})

    @property
    def tables(self) -> tuple[object, ...]:
        return self.events, self.results, self.complete, self.recorded, self.refused
