"""The rows of a plain source, judged by the workers that read them: a good row's events are written to runs at once.

A row is good if its reader and no rule refuses it, and none of its events lacks what its type must have. All other rows
are kept for Spark, which judges them as it judges the rows of any source, and tells why they are refused. So good rows
are neither stored nor read a second time, and no event of theirs passes through the JVM.

Cost: a few vector operations for each column, and what `event_runs.py` costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags
from cep_core.events.arrow_types import ARROW_TYPES
from jobs.stages.loading.event_runs import RunsOfTask, RunWriter, chosen
from jobs.stages.loading.log_order import ORDER
from jobs.stages.loading.plain_events.expressions import Expression, in_rows
from jobs.stages.loading.row_fates import NO_DAY
from jobs.workload.declaration import Workload
from jobs.workload.operating_days import OperatingDays

OWN_SEQ = "_own_seq"
"""The `seq` that events.sql gives, if it gives one."""


@dataclass(frozen=True)
class PlainPart:
    """A SELECT of events.sql. `values`: by the event's column; `conditions`: rows that meet all have an event."""

    values: Mapping[str, Expression]
    conditions: tuple[Expression, ...]


@dataclass(frozen=True)
class PlainSource:
    """A source's parts of events.sql, and the predicates of its row rules, which good rows do not make false."""

    parts: tuple[PlainPart, ...]
    rules: tuple[Expression, ...]


@dataclass(frozen=True)
class EventFacts:
    """What every event must have. `types`: of each its attributes, and whether they may be null; `attributes`: of all
    events, with their Arrow types."""

    types: Mapping[str, Mapping[str, bool]]
    attributes: Mapping[str, pa.DataType]
    days: OperatingDays

    @classmethod
    def of(cls, workload: Workload) -> EventFacts:
        types = {
            kind: {name: attribute.nullable for name, attribute in attributes.items()}
            for kind, attributes in workload.schema.types.items()
        }
        kinds = {name: ARROW_TYPES[kind] for name, kind in workload.attributes.items()}
        return cls(types, kinds, workload.operating_days)

    def carriers(self, name: str) -> list[str]:
        """The types that have an attribute."""
        return [kind for kind, attributes in self.types.items() if name in attributes]


@dataclass(frozen=True)
class PlainRows:
    """What workers do with the rows of a source. `rank`: the source's; `order`: its order columns; `orders`: the most
    that a source has; `slack`: how far from its row's day an event may lie, None: any distance."""

    source: PlainSource
    facts: EventFacts
    writer: RunWriter
    rank: int
    order: tuple[str, ...]
    orders: int
    slack: int | None

    def begin(self, name: str) -> PlainTask:
        """The work of one task, whose files are named so."""
        return PlainTask(self, self.writer.begin(name))

    def judged(self, rows: pa.RecordBatch) -> tuple[Flags, list[pa.RecordBatch]]:
        """Which rows of a raw frame are good, and their events as a run writer takes them."""
        good = np.asarray(rows["_rule"].is_null())
        for rule in self.source.rules:
            good = good & _flags(rule, rows, unknown=True)
        given = []
        for part in self.source.parts:
            has_event = np.ones(rows.num_rows, np.bool_)
            for condition in part.conditions:
                has_event &= _flags(condition, rows, unknown=False)
            events = self._events(part, rows)
            good &= ~has_event | self._is_whole(events)
            given.append((has_event, events))
        return good, [chosen(events, good & has_event) for has_event, events in given]

    def _events(self, part: PlainPart, rows: pa.RecordBatch) -> pa.RecordBatch:
        """An event of each row."""
        count, facts = rows.num_rows, self.facts
        kinds = {"event_type": pa.string(), "ts": pa.int64(), OWN_SEQ: pa.int64(), **facts.attributes}
        columns: dict[str, pa.Array] = {}
        for name, kind in kinds.items():
            value = part.values.get(name)
            columns[name] = pa.nulls(count, kind) if value is None else in_rows(value.of(rows).cast(kind), count)
            carriers = facts.carriers(name) if name in facts.attributes else list(facts.types)
            if len(carriers) < len(facts.types):
                has_it = pc.is_in(columns["event_type"], pa.array(carriers, pa.string()))
                columns[name] = pc.if_else(has_it, columns[name], pa.scalar(None, kind))
        columns |= {"_rank": pa.repeat(pa.scalar(self.rank, pa.int32()), count)}
        columns |= {"_id": rows["_id"], "_hash": rows["_hash"], "_day": rows["_day"]}
        columns |= self._order_values(rows)
        columns["_flaw"] = pa.nulls(count, pa.string())
        return pa.RecordBatch.from_arrays(list(columns.values()), list(columns))

    def _order_values(self, rows: pa.RecordBatch) -> dict[str, pa.Array]:
        """The values of order columns, as `rows.order_value` has them."""
        kinds = {"number": pa.int64(), "real": pa.float64(), "text": pa.string()}
        values = {}
        for place in range(self.orders):
            column = rows[self.order[place]] if place < len(self.order) else pa.nulls(rows.num_rows, pa.int64())
            own = (
                "real" if pa.types.is_floating(column.type) else "text" if pa.types.is_string(column.type) else "number"
            )
            if pa.types.is_date32(column.type):
                column = column.cast(pa.int32())
            for kind, of_kind in kinds.items():
                values[f"{ORDER}{place}_{kind}"] = (
                    column.cast(of_kind) if kind == own else pa.nulls(rows.num_rows, of_kind)
                )
        return values

    def _is_whole(self, events: pa.RecordBatch) -> Flags:
        """Whether an event lacks nothing that its type must have."""
        facts, types = self.facts, events["event_type"]
        stamped = events["ts"].is_valid()
        ts = pc.fill_null(events["ts"], 0).to_numpy()
        first, last = facts.days.calendar
        whole = np.asarray(stamped) & (ts >= first) & (ts <= last)
        whole &= np.asarray(pc.is_in(types, pa.array(list(facts.types), pa.string())))
        for name in facts.attributes:
            column = events[name]
            strict = [kind for kind in facts.carriers(name) if not facts.types[kind][name]]
            if strict and column.null_count:
                must = np.asarray(pc.is_in(types, pa.array(strict, pa.string())))
                whole &= np.asarray(column.is_valid()) | ~must
        if self.slack is not None and events["_day"].null_count < events.num_rows:
            own = pc.fill_null(events["_day"].cast(pa.int32()), NO_DAY).to_numpy().astype(np.int64)
            distance = np.abs(own - (np.where(whole, ts, 0) - facts.days.offset) // facts.days.length)
            whole &= (own == NO_DAY) | (distance <= self.slack)
        return whole


class PlainTask:
    """The rows that one task reads."""

    def __init__(self, rows: PlainRows, runs: RunsOfTask) -> None:
        self._rows, self._runs = rows, runs
        self._answers: list[pa.RecordBatch] = []

    def keep(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that Spark must judge; the events of all others are written."""
        good, given = self._rows.judged(rows)
        for events in given:
            self._answers += self._runs.add(events)
        return chosen(rows, ~good)

    def end(self) -> bytes:
        """What a run writer tells, as an IPC stream."""
        self._answers += self._runs.end()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self._answers[0].schema) as stream:
            for batch in self._answers:
                stream.write_batch(batch)
        return sink.getvalue().to_pybytes()


def plain_rows(workload: Workload, sources: Sequence[PlainSource], writer: RunWriter) -> Iterator[PlainRows]:
    """What workers do with the rows of each source of a workload."""
    facts = EventFacts.of(workload)
    declared = list(workload.sources.values())
    orders = max(len(source.order) for source in declared)
    for rank, (source, plain) in enumerate(zip(declared, sources, strict=True)):
        slack = source.slack if source.daily or source.time else None
        yield PlainRows(plain, facts, writer, rank, source.order, orders, slack)


def _flags(expression: Expression, rows: pa.RecordBatch, *, unknown: bool) -> Flags:
    """A truth for each row."""
    flags: Flags = np.asarray(in_rows(pc.fill_null(expression.of(rows).cast(pa.bool_()), unknown), rows.num_rows))
    return flags
