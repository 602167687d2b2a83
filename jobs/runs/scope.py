"""Which days a run loads, reads, evaluates and replaces: pure functions of the lake's ledger.

The law (docs/semantics.md, 2): any partition of a period into runs of whole operating days, in any order, repeated any
number of times, leaves the same tables as one run over the whole period. It holds because a run evaluates again every
(query, day) whose inputs are not those recorded with its result, wherever its new events can still change it. Cost:
linear in (queries x days of the ledger), no data is read.

A query's result of a day depends on the events of the days from `first_read` to the day itself: its reach in log time
is exact to the day; a reach in time-points or positions goes back over whole days that hold at least as many, so it
may read more than it needs, never less. Days before the workload's start hold nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

from cep_core.language.evaluator import Reach
from jobs.runs.recorded_days import Ledger

_DAY = timedelta(days=1)


class Calendar(Protocol):
    """Operating days in the log's time (jobs/workload/operating_days.py)."""

    def interval(self, day: date) -> tuple[int, int]:
        """The day's first moment and the first one after it."""

    def day_of(self, ts: int) -> date:
        """The operating day that a moment lies in."""


@dataclass(frozen=True)
class ScopedQuery:
    """A query as the scope sees it: how far back it looks, and the hash of its definition, without events.

    `work`: the budget of a day.
    """

    reach: Reach
    definition: str
    work: int = 0


@dataclass(frozen=True)
class Evaluation:
    """One (query, day) to evaluate: the days it reads, ascending and without gaps, and those of them that are holes."""

    query: str
    day: date
    inputs: Mapping[date, str]
    holes: tuple[date, ...]

    @property
    def complete(self) -> bool:
        return not self.holes

    @property
    def first_read(self) -> date:
        return min(self.inputs)


@dataclass(frozen=True)
class Scope:
    """What a run evaluates, and so replaces."""

    evaluations: tuple[Evaluation, ...] = ()

    @property
    def reads(self) -> tuple[date, ...]:
        """Every day that some evaluation reads, ascending."""
        return tuple(sorted({day for evaluation in self.evaluations for day in evaluation.inputs}))

    @property
    def days(self) -> tuple[date, ...]:
        """Every day that some query is evaluated for, ascending."""
        return tuple(sorted({evaluation.day for evaluation in self.evaluations}))

    def of(self, query: str) -> tuple[Evaluation, ...]:
        """A query's evaluations, by day."""
        return tuple(sorted((e for e in self.evaluations if e.query == query), key=lambda e: e.day))

    def days_of(self, query: str) -> tuple[date, ...]:
        """The days that a query is evaluated for, ascending."""
        return tuple(evaluation.day for evaluation in self.of(query))

    def blocks(self, query: str) -> tuple[tuple[Evaluation, ...], ...]:
        """A query's evaluations in groups of consecutive days: each can be evaluated in one go."""
        blocks: list[list[Evaluation]] = []
        for evaluation in self.of(query):
            if blocks and evaluation.day - blocks[-1][-1].day == _DAY:
                blocks[-1].append(evaluation)
            else:
                blocks.append([evaluation])
        return tuple(tuple(block) for block in blocks)


@dataclass(frozen=True)
class Bounds:
    """How far any query of the workload may look: not before `start`, not further back than `max_reach` of log time.

    Without `max_reach` it may look back to `start`. So do steps to an earlier time-point, in any case.
    """

    calendar: Calendar
    start: date
    max_reach: int | None


def first_read(reach: Reach, day: date, ledger: Ledger, bounds: Bounds) -> date:
    """The first of the consecutive days that a query with this reach reads for `day`.

    Going back one time-point from within a day means going to the last earlier day that holds any, however long ago: a
    time-point is no span of time, so `max_reach` does not limit it. A day that the lake lacks may hold any number, so
    the search for points and positions stops there: load the day, then ask again.
    """
    calendar = bounds.calendar
    begin = calendar.interval(day)[0]
    floor = bounds.start if bounds.max_reach is None else max(bounds.start, calendar.day_of(begin - bounds.max_reach))
    if reach.time is None:
        return min(floor, day)
    back = max(floor, calendar.day_of(begin - reach.time)) if reach.time else day
    for _ in range(reach.points):
        back = _last_day_with_a_point(back, ledger, bounds.start)
        back = calendar.day_of(calendar.interval(back)[0] - reach.time) if reach.time else back
    return min(day, max(bounds.start, min(back, _day_that_completes(reach.events, day, ledger, floor))))


def _last_day_with_a_point(day: date, ledger: Ledger, floor: date) -> date:
    day -= _DAY
    while day > floor and ledger.holds(day) and not ledger.days[day].points:
        day -= _DAY
    return day


def _day_that_completes(events: int, day: date, ledger: Ledger, floor: date) -> date:
    """The latest day such that it and those between it and `day` hold that many events."""
    while events > 0 and day > floor:
        day -= _DAY
        if not ledger.holds(day):
            break
        events -= ledger.days[day].events
    return day


def warm_up(
    questions: Mapping[str, ScopedQuery],
    days: Iterable[date],
    ledger: Ledger,
    bounds: Bounds,
    source_has: Callable[[date], bool],
) -> tuple[date, ...]:
    """The days that must be loaded before `days`: within reach, never loaded, and in a source; ascending.

    A day that failed its gate stays as it is until somebody asks for it. With reaches in points or positions, ask again
    after loading: only then is it known how much the loaded days hold.
    """
    own = set(days)
    reached = {
        day
        for question in questions.values()
        for last in own
        for day in _span(first_read(question.reach, last, ledger, bounds), last)
    }
    return tuple(sorted(day for day in reached - own if day not in ledger.days and source_has(day)))


def evaluate_after_loading(
    questions: Mapping[str, ScopedQuery],
    first: date,
    last: date,
    loaded: Iterable[date],
    ledger: Ledger,
    bounds: Bounds,
) -> Scope:
    """What a run for `first`..`last` that has loaded the days `loaded` must evaluate.

    Every (query, day) from `first` on that can still depend on the run's days and whose recorded inputs or definition
    differ. Days before `first` that warm-up reached are evaluated again only if a run was once asked for them.
    """
    begin = min([first, *loaded])
    wanted = []
    for name, question in questions.items():
        for day in ledger.days:
            if day < begin or (day < first and (name, day) not in ledger.results):
                continue
            if day <= last or first_read(question.reach, day, ledger, bounds) <= last:
                wanted.append((name, day))
    return _scope(questions, wanted, ledger, bounds)


def evaluate_stale(questions: Mapping[str, ScopedQuery], ledger: Ledger, bounds: Bounds) -> Scope:
    """Every (query, day) whose result is not the one that the present lake and workload give.

    A day counts if a run was once asked for it: any query has a result there. Others were loaded as warm-up only.
    """
    asked = {day for _, day in ledger.results}
    return _scope(questions, ((name, day) for name in questions for day in asked), ledger, bounds)


def evaluate_anew(query: str, questions: Mapping[str, ScopedQuery], ledger: Ledger, bounds: Bounds) -> Scope:
    """Every day for which a query has a result, whatever its inputs were."""
    others = {key: recorded for key, recorded in ledger.results.items() if key[0] != query}
    had = [(name, day) for name, day in ledger.results if name == query]
    return _scope(questions, had, Ledger(ledger.days, others), bounds)


def evaluate_day(questions: Mapping[str, ScopedQuery], day: date, ledger: Ledger, bounds: Bounds) -> Scope:
    """Every query's evaluation of one day, whether or not it has a result."""
    return _scope(questions, ((name, day) for name in questions), Ledger(ledger.days), bounds)


def holes(first: date, last: date, ledger: Ledger, bounds: Bounds) -> tuple[date, ...]:
    """The days from `first` to `last` that the lake lacks or whose last load failed its gate."""
    return tuple(
        day for day in _span(max(first, bounds.start), last) if not ledger.holds(day) or ledger.days[day].refused
    )


def _scope(
    questions: Mapping[str, ScopedQuery], wanted: Iterable[tuple[str, date]], ledger: Ledger, bounds: Bounds
) -> Scope:
    evaluations = []
    for name, day in wanted:
        if not ledger.holds(day) or ledger.days[day].refused:
            continue
        question = questions[name]
        begin = first_read(question.reach, day, ledger, bounds)
        inputs = {read: ledger.version(read) for read in _span(begin, day)}
        recorded = ledger.results.get((name, day))
        if recorded is None or not recorded.is_current(question.definition, question.work, inputs):
            evaluations.append(Evaluation(name, day, inputs, holes(begin, day, ledger, bounds)))
    return Scope(tuple(sorted(evaluations, key=lambda e: (e.query, e.day))))


def _span(first: date, last: date) -> Iterable[date]:
    return (first + timedelta(days=n) for n in range((last - first).days + 1))
