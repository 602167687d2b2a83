"""The work of one Python worker: run every query of a plan on the events of a slice, or of small slices together.

Nothing here knows Spark: events are an Arrow table in (ts, seq) order, a result is Arrow IPC bytes, or in a file
(`left_batches.py`). A slice with more events than the row limit is evaluated range by range. Each range also reads the
query's reach before it, so the limit bounds memory if the reach allows it.

A query that reads time-points gets every point of what it reads, whichever slice the point's events are in. One that
speaks of silence is evaluated on slices and ranges without events, too.

A budget of work is counted for each last event, whatever the slices. Queries whose work is counted for a slice as a
whole are evaluated slice by slice: whether a budget is enough does not depend on which are evaluated together. So are
tables that explain rows of a result, each in the slices that own it.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from cep_core.language.evaluator import Evaluator, ResultTable, charges_slices
from cep_core.language.open_form import opened_by
from cep_core.slicing import Plan, joint_ownership
from cep_core.slicing.ranges import BEGINNING
from jobs.stages.evaluating.assignment import Assignment, QueryText, compiled
from jobs.stages.evaluating.explained_slices import OwnedRows
from jobs.stages.evaluating.gathering import in_buckets
from jobs.stages.evaluating.large_slices import Rows
from jobs.stages.evaluating.left_batches import Keep, to_bytes
from jobs.stages.evaluating.reading import Moments, Reading, Stamps, between, pieces
from jobs.stages.evaluating.slices.found_batches import FoundBatches
from jobs.stages.evaluating.slices.slice_groups import SliceEvents, SliceGroup, shared_out
from jobs.stages.evaluating.slices.slice_partial import SlicePartial, peak_memory


def evaluate_slice(
    assignment: Assignment,
    plan_id: str,
    number: int,
    events: Rows,
    points: pa.Table | None = None,
    keep: Keep = to_bytes,
) -> Iterator[SlicePartial]:
    """The partial results of one slice; `events` in (ts, seq) order. All else as in `evaluate_group`."""
    return evaluate_group(assignment, SliceGroup.alone(plan_id, SliceEvents(number, events)), points, keep)


def evaluate_group(
    assignment: Assignment, group: SliceGroup, points: pa.Table | None = None, keep: Keep = to_bytes
) -> Iterator[SlicePartial]:
    """The partial results of some slices; those of one query and block after the other.

    `points`: all time-points of the days read, as in `Evaluator.evaluate`. A slice without events has partial results
    of queries that speak of silence, and of no others. `keep` takes each batch as it comes; only those that are made
    less together, or that other slices may find, wait for the last.
    """
    plan = assignment.plan(group.plan_id)
    for query in assignment.queries:
        if query.name not in plan.queries:
            continue
        evaluator = compiled(query, assignment.schema)
        table = next(table for table in evaluator.tables if table.suffix == query.table)
        apart = charges_slices(evaluator) or table.explain is not None
        blocks = assignment.blocks[query.into]
        starts = assignment.since.get(query.into, (BEGINNING,) * len(blocks))
        for block, (days, since) in enumerate(zip(blocks, starts, strict=True)):
            if plan.covers(days):
                asked = assignment.asked.get(query.into, {}).get(block)
                question = _Question(plan, query, evaluator, table, block, days, since, assignment.row_limit, asked)
                for part in group.apart if apart else (group,):
                    if part.events.num_rows or evaluator.speaks_of_silence:
                        yield from question.answers(part, points, keep)


@dataclass(frozen=True)
class _Question:
    """A query's table for one block of days, which reads nothing before `since`. `limit`: of rows.

    `asked`: the rows of the result that the table explains.
    """

    plan: Plan
    query: QueryText
    evaluator: Evaluator
    table: ResultTable
    block: int
    days: Moments
    since: int
    limit: int
    asked: bytes | None

    def answers(self, group: SliceGroup, points: pa.Table | None, keep: Keep) -> Iterator[SlicePartial]:
        """The partial results of a group's slices."""
        begin = time.perf_counter()
        reading = Reading.of(self.evaluator, group.stamps, points)
        owned = self._owned(group.numbers, reading)
        collected = FoundBatches(self.evaluator, keep, several=len(owned) > 1)
        if self.table.explain is not None and self.asked:
            [number] = group.numbers
            rows = OwnedRows.of(self.asked, self.plan, number, self.query.name)
            inputs = (self.since, self.days[-1])
            collected.add(rows.explained(self.table.explain, group.events, reading, owned, inputs))
        read = 0
        for moments in owned if self.table.evaluate is not None else ():
            first = max(self.since, reading.start(moments[0]))
            span = between(reading.stamps, first, moments[-1])
            read += span.stop - span.start
            seen = reading.points_of(first, moments[-1], (self.since, self.days[-1]))
            cut = (moments[0] not in self.days, moments[-1] not in self.days)
            own = replace(joint_ownership(self.plan, group.numbers, moments, self.query.name), cut=cut)
            assert self.table.evaluate is not None
            collected.add(self.table.evaluate(group.part(span), own, seen))
        pieces = collected.end(owned, self.days)
        wholes = self._partials(group, collected, read, time.perf_counter() - begin, points)
        yield from wholes
        opened = opened_by(self.evaluator, self.plan.names_of(self.query.name))
        if opened is not None and pieces:
            yield from in_buckets(wholes[0], pieces, opened, self.plan.slices)

    def _partials(
        self, group: SliceGroup, collected: FoundBatches, read: int, seconds: float, points: pa.Table | None
    ) -> list[SlicePartial]:
        """What the group's slices have found and taken: the batches are with the first of them. `read`: how many events
        were, each once."""
        counts = [
            (of_slice.number, self._read(of_slice.number, stamps, points))
            for of_slice, stamps in zip(group.slices, group.stamps_of_slices, strict=True)
            if of_slice.rows or self.evaluator.speaks_of_silence
        ]
        events = [sum(of_days) for _, of_days in counts]
        rows = shared_out(collected.rows, events)
        copies = sum(events) / read if read else 1.0
        peak, batches = peak_memory(), tuple(collected.kept)
        return [
            SlicePartial(
                self.query.name,
                self.query.into,
                group.plan_id,
                number,
                self.block,
                () if place else batches,
                of_days,
                rows[place],
                seconds * (events[place] / sum(events) if read else 1 / len(counts)),
                peak,
                len(counts),
                copies,
            )
            for place, (number, of_days) in enumerate(counts)
        ]

    def _read(self, number: int, stamps: Stamps, points: pa.Table | None) -> tuple[int, ...]:
        """How many events of a slice are read for each day, as if it were evaluated by itself."""
        read = [0] * (len(self.days) - 1)
        reading = Reading.of(self.evaluator, stamps, points)
        for moments in self._owned((number,), reading) if self.table.evaluate is not None else ():
            span = between(stamps, max(self.since, reading.start(moments[0])), moments[-1])
            for day, events in _by_day(moments, self.days, span, stamps):
                read[day] += events
        return tuple(read)

    def _owned(self, numbers: Collection[int], reading: Reading) -> Sequence[Moments]:
        """The moments of certainty that slices own of the days, in parts that respect the row limit."""
        days, plan = self.days, self.plan
        if plan.ranges:
            first, last = (plan.ranges[number // plan.cells] for number in (min(numbers), max(numbers)))
            start, end = max(first.start, days[0]), min(last.end, days[-1])
            if start >= end:
                return []
            days = (start, *(moment for moment in days if start < moment < end), end)
        return pieces(days, reading, self.limit)


def _by_day(moments: Moments, days: Moments, own: slice, stamps: Stamps) -> Iterator[tuple[int, int]]:
    """How the events `own` of a piece of a block belong to its days: (number of the day in `days`, events).

    >>> list(_by_day((10, 20, 30), (0, 20, 30, 40), slice(8, 30), np.arange(40)))
    [(0, 12), (1, 10)]
    """
    places = [own.start, *np.searchsorted(stamps, moments[1:-1]).tolist(), own.stop]
    for begin, place, after in zip(moments[:-1], places[:-1], places[1:], strict=True):
        yield bisect_right(days, begin) - 1, after - place
