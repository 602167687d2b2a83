"""The work of one Python worker on one slice: run every query of the plan on the events that the slice owns.

Nothing here knows Spark: a slice's events are an Arrow table in (ts, seq) order, a result is Arrow IPC bytes, or in
a file (`left_batches.py`). A slice with more events than the row limit is evaluated range by range. Each range also
reads the query's reach before it, so the limit bounds memory if the reach allows it.

A query that reads time-points gets every point of what it reads, whichever slice the point's events are in. One that
speaks of silence is evaluated on slices and ranges without events, too.
"""

from __future__ import annotations

import functools
import resource
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from cep_core.candidates.slice_reader import read_together
from cep_core.compile import bind_text
from cep_core.events.schema import Attribute, AttributeType, LogSchema, NamedCondition, Ties
from cep_core.language.evaluator import (
    RESULT,
    Evaluator,
    Gather,
    OpenForm,
    opened_by,
)
from cep_core.language.settings import Settings
from cep_core.slicing import Plan, ownership
from cep_core.slicing.hashing import common_type, coordinates, keys_of, seed_of
from cep_core.slicing.ranges import BEGINNING
from jobs.stages.evaluating.explained_slices import Asked, OwnedRows
from jobs.stages.evaluating.found_batches import FoundBatches
from jobs.stages.evaluating.large_slices import Rows, stamps_of
from jobs.stages.evaluating.left_batches import Batch, Keep, from_bytes, to_bytes
from jobs.stages.evaluating.reading import Moments, Reading, Stamps, between, pieces

SchemaValues = tuple[
    str,
    str,
    tuple[tuple[str, tuple[tuple[str, str, bool], ...]], ...],
    tuple[tuple[str, int, int], ...],
    tuple[tuple[str, str, str], ...],
]
"""Unit, ties, event types with their attributes' names, types and nullability, how imprecise their times are, and named
conditions."""


@dataclass(frozen=True)
class QueryText:
    """A query as it travels to a worker, which compiles it once, as the driver did.

    `path`: the file's name in errors; its suffix tells the language. The budget of `settings` holds for each slice and
    day.
    """

    name: str
    path: str
    text: str
    settings: Settings
    table: str = RESULT
    """The suffix of the table for which it is evaluated."""

    @property
    def into(self) -> str:
        """The name of that table."""
        return self.name + self.table


@dataclass(frozen=True)
class Assignment:
    """What the workers of a run need in addition to the events, as plain values.

    `blocks`: for each query's table the boundaries of the operating days to evaluate, one tuple for each block of
    consecutive days. `schema`: attribute types of each event type, with unit and ties. `since`: the first moment that
    each of the blocks reads; without it, a block reads all that its query's reach asks for. `asked`: for each table
    that explains rows of a result, these rows.
    """

    plans: tuple[dict[str, object], ...]
    queries: tuple[QueryText, ...]
    blocks: Mapping[str, tuple[Moments, ...]]
    schema: SchemaValues
    row_limit: int
    since: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    asked: Mapping[str, Asked] = field(default_factory=dict)

    def plan(self, plan_id: str) -> Plan:
        """The plan with this id, with what follows from it, for all slices."""
        if plan_id not in self._plans:
            content = next(content for content in self.plans if content["plan_id"] == plan_id)
            self._plans[plan_id] = Plan.from_dict(content)
        return self._plans[plan_id]

    @functools.cached_property
    def _plans(self) -> dict[str, Plan]:
        """Those that were asked for."""
        return {}


TOGETHER = 1 << 20
"""The events of a slice up to which what one query reads of them is kept for the others: some twenty bytes for each."""

FINISHED = -1
"""The bucket of partial results that are ready for the merge."""


@dataclass(frozen=True)
class SlicePartial:
    """The partial result of one slice for one block of days of one query: record batches, here or in a file.

    `into`: the table that it was evaluated for; some batches may be for further tables of the query. `events`: read for
    each day of the block. Events that a piece reads before its first day count to that day.
    """

    query: str
    into: str
    plan_id: str
    slice: int
    block: int
    batches: tuple[Batch, ...]
    events: tuple[int, ...]
    rows: int
    seconds: float
    peak_memory: int
    bucket: int = FINISHED
    """Pieces of projected results with equal values are in the same bucket, from whatever slice."""


def evaluate_slice(
    assignment: Assignment,
    plan_id: str,
    number: int,
    events: Rows,
    points: pa.Table | None = None,
    keep: Keep = to_bytes,
) -> Iterator[SlicePartial]:
    """The partial results of one slice; `events` in (ts, seq) order with `pos`.

    `points`: all time-points of the days read, as in `Evaluator.evaluate`. A slice without events has partial results
    of queries that speak of silence, and of no others. `keep` takes each batch as it comes; only those that are made
    less together, or that other slices may find, wait for the last.
    """
    plan, stamps = assignment.plan(plan_id), stamps_of(events)
    parts: dict[tuple[int, int], pa.Table] = {}
    for query in assignment.queries:
        if query.name not in plan.queries:
            continue
        evaluator = compiled(query, assignment.schema)
        if not (events.num_rows or evaluator.speaks_of_silence):
            continue
        opened = opened_by(evaluator, plan.names_of(query.name))
        table = next(table for table in evaluator.tables if table.suffix == query.table)
        blocks = assignment.blocks[query.into]
        reading = Reading.of(evaluator, stamps, points)
        starts = assignment.since.get(query.into, (BEGINNING,) * len(blocks))
        for block, (days, since) in enumerate(zip(blocks, starts, strict=True)):
            if not plan.covers(days):
                continue
            begin = time.perf_counter()
            read = [0] * (len(days) - 1)
            owned = _owned(plan, number, days, reading, assignment.row_limit)
            found = FoundBatches(evaluator, keep, several=len(owned) > 1)
            if table.explain is not None and (asked := assignment.asked[query.into].get(block)):
                rows = OwnedRows.of(asked, plan, number, query.name)
                found.add(rows.explained(table.explain, events, reading, owned, (since, days[-1])))
            for moments in owned if table.evaluate is not None else ():
                first = max(since, reading.start(moments[0]))
                span = between(reading.stamps, first, moments[-1])
                for day, events_read in _by_day(moments, days, span, reading.stamps):
                    read[day] += events_read
                seen = reading.points_of(first, moments[-1], (since, days[-1]))
                cut = (moments[0] not in days, moments[-1] not in days)
                own = replace(ownership(plan, number, moments, query.name), cut=cut)
                assert table.evaluate is not None
                found.add(table.evaluate(_part(events, span, parts), own, seen))
            pieces = found.end(owned, days)
            whole = SlicePartial(
                query.name,
                query.into,
                plan_id,
                number,
                block,
                tuple(found.kept),
                tuple(read),
                found.rows,
                time.perf_counter() - begin,
                peak_memory(),
            )
            yield whole
            if opened is not None and pieces:
                yield from in_buckets(whole, pieces, opened, plan.slices)


def _part(events: Rows, span: slice, parts: dict[tuple[int, int], pa.Table]) -> pa.Table:
    """Some events of a slice. Of a small one, `parts` keeps them: what one query reads of them serves others.

    Of another slice nobody names them, so they are gone before those of the next part are read.
    """
    if not isinstance(events, pa.Table) or events.num_rows > TOGETHER:
        return events.slice(span.start, span.stop - span.start)
    place = span.start, span.stop
    if place not in parts:
        parts[place] = read_together(events.slice(span.start, span.stop - span.start))
    return parts[place]


def in_buckets(
    whole: SlicePartial, pieces: Sequence[pa.RecordBatch], opened: OpenForm, count: int
) -> Iterator[SlicePartial]:
    """The pieces of a slice by the hash of their visible values; without such values all are in the first bucket."""
    table = pa.Table.from_batches([piece.replace_schema_metadata(None) for piece in pieces])
    bucket = np.zeros(table.num_rows, np.int64)
    for name in opened.visible:
        keys, _ = keys_of(table[name], common_type([table.schema.field(name).type]))
        bucket = coordinates(keys ^ bucket.astype(np.uint64), seed_of(name), count)
    for number in np.unique(bucket).tolist() if opened.visible else [0]:
        rows = table.filter(pa.array(bucket == number)).combine_chunks()
        batches = rows.to_batches() or [pa.RecordBatch.from_pylist([], rows.schema)]
        nothing = tuple(0 for _ in whole.events)
        yield replace(whole, batches=encoded(batches), events=nothing, rows=0, seconds=0.0, bucket=number)


def gather(assignment: Assignment, partials: Iterable[SlicePartial], points: pa.Table | None) -> Iterator[SlicePartial]:
    """The partials, those of one bucket made one partial that is ready for the merge."""
    buckets: dict[tuple[str, int, int], list[SlicePartial]] = {}
    for partial in partials:
        if partial.bucket == FINISHED:
            yield partial
        else:
            buckets.setdefault((partial.into, partial.block, partial.bucket), []).append(partial)
    for (into, block, number), own in buckets.items():
        begin = time.perf_counter()
        query = next(query for query in assignment.queries if query.into == into)
        days = assignment.blocks[into][block]
        since = assignment.since.get(into, (BEGINNING,) * (block + 1))[block]
        assert points is not None, "a query that projects reads time-points"
        seen = points.slice(*_span(between(points["ts"].to_numpy(), since, days[-1])))
        gathering: Gather = compiled(query, assignment.schema).gather  # type: ignore[attr-defined]
        batches = list(gathering([from_bytes(content) for part in own for content in part.batches], days, seen))
        yield replace(
            own[0],
            slice=number,
            batches=encoded(batches),
            seconds=time.perf_counter() - begin,
            peak_memory=peak_memory(),
            bucket=FINISHED,
        )


def _span(places: slice) -> tuple[int, int]:
    """The offset and the length of a slice."""
    return places.start, places.stop - places.start


def encoded(batches: Iterable[pa.RecordBatch]) -> tuple[bytes, ...]:
    """Each batch as an IPC stream."""
    return tuple(map(to_bytes, batches))


def peak_memory() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def schema_to_values(
    schema: LogSchema,
) -> SchemaValues:
    """A schema as plain tuples, to be sent to workers."""
    types = tuple(
        (name, tuple((a.name, a.type.value, a.nullable) for a in attributes.values()))
        for name, attributes in schema.types.items()
    )
    imprecision = tuple((name, before, after) for name, (before, after) in schema.imprecision.items())
    conditions = tuple((name, of.event_type, of.condition) for name, of in schema.conditions.items())
    return schema.unit, schema.ties.value, types, imprecision, conditions


@functools.lru_cache(maxsize=256)
def compiled(query: QueryText, schema: SchemaValues) -> Evaluator:
    """The query's evaluator, compiled once in this process."""
    unit, ties, types, imprecision, conditions = schema
    declared = {
        name: {
            attribute: Attribute(attribute, AttributeType(kind), nullable) for attribute, kind, nullable in attributes
        }
        for name, attributes in types
    }
    log = LogSchema(
        declared,
        unit=unit,
        ties=Ties(ties),
        imprecision={name: (before, after) for name, before, after in imprecision},
        conditions={name: NamedCondition(event_type, text) for name, event_type, text in conditions},
    )
    return bind_text(query.text, log, query.path, whole_log=False).evaluator(query.settings)


def _owned(plan: Plan, number: int, days: Moments, reading: Reading, limit: int) -> Sequence[Moments]:
    """The moments of certainty that the slice owns of these days, in parts that respect the row limit."""
    if plan.ranges:
        owned_range = plan.ranges[number // plan.cells]
        inside = [moment for moment in days if owned_range.start < moment < owned_range.end]
        start, end = max(owned_range.start, days[0]), min(owned_range.end, days[-1])
        if start >= end:
            return []
        days = (start, *(moment for moment in inside if start < moment < end), end)
    return pieces(days, reading, limit)


def _by_day(moments: Moments, days: Moments, own: slice, stamps: Stamps) -> Iterator[tuple[int, int]]:
    """How the events `own` of a piece of a block belong to its days: (number of the day in `days`, events).

    >>> list(_by_day((10, 20, 30), (0, 20, 30, 40), slice(8, 30), np.arange(40)))
    [(0, 12), (1, 10)]
    """
    places = [own.start, *np.searchsorted(stamps, moments[1:-1]).tolist(), own.stop]
    for begin, place, after in zip(moments[:-1], places[:-1], places[1:], strict=True):
        yield bisect_right(days, begin) - 1, after - place
