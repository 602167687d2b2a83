"""A question and the events that it is asked of, in this process: the whole answer, or that of one operating day."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.compile import BoundText
from cep_core.events.logs.time_points import with_points
from cep_core.language.bound_query import MATCHING
from cep_core.language.evaluator import CERTAIN, TOTALS, Evaluator, Ownership, of_table
from jobs.log_files.log import Log
from jobs.log_files.times.log_clock import LogClock
from jobs.reports.answers.matches.blocked import MOST_EVENTS, blocked
from jobs.reports.words.clock import Clock
from jobs.workload.declaration import Workload


@dataclass(frozen=True)
class Answer:
    """The rows of an answer, and when each became certain. `totals`: the exact numbers of each part of time, such as
    `matches_total`, by its first moment."""

    rows: pa.Table
    certain: Ints
    totals: Mapping[str, Mapping[str, Any]]

    def numbers(self, begin: int | None = None) -> Mapping[str, Any]:
        """The exact numbers of the part that begins at a moment; None: of the only one."""
        return self.totals.get(str(begin), {}) if begin is not None else next(iter(self.totals.values()), {})

    def total(self, begin: int | None = None) -> int | None:
        """The exact number of matches or violations; None for an aggregation, and where only a bound is known."""
        digits = self.numbers(begin).get("matches_total")
        return None if digits is None else int(digits)


@dataclass(frozen=True)
class AskedLog:
    """A bound question and its events in (ts, seq) order, with `pos`. `days`: the moments between which results become
    certain; None: at any time."""

    workload: Workload
    bound: BoundText
    evaluator: Evaluator
    events: pa.Table
    days: tuple[int, ...] | None = None

    @cached_property
    def pointed(self) -> tuple[pa.Table, pa.Table]:
        """The events with their time-points, and the points."""
        return with_points(self.events, self.workload.time.points)

    def answer(self) -> Answer:
        """Evaluate. Raises WorkExhausted."""
        events, points = self.pointed
        partials = self.evaluator.evaluate(events, Ownership(days=self.days), points)
        merged = self.evaluator.merge(of_table(partials), self.days)
        totals = json.loads((merged.schema.metadata or {}).get(TOTALS, b"{}"))
        return Answer(merged.drop_columns([CERTAIN]), merged[CERTAIN].to_numpy(), totals)

    def without_matches(self) -> str:
        """What stood in the way where there is no match; empty if nothing is known, or not of matches of one day."""
        if self.bound.kind != MATCHING or self.days is None or self.events.num_rows > MOST_EVENTS:
            return ""
        return blocked(self.bound.query, self.events, (self.days[0], self.days[-1]))

    @property
    def clock(self) -> LogClock:
        """How its times are shown."""
        time = self.workload.time
        return LogClock(Clock(time.unit, time.zone), time.unit)

    @property
    def log(self) -> Log:
        """The events as explanations of matches read them."""
        return Log(self.events, self.workload.schema, self.clock, ())
