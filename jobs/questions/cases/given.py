"""The events that a case gives, typed by the workload's schema: `seq` is the row, from 1, as it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from cep_core.events.schema import Attribute, AttributeType
from cep_core.events.table import order
from jobs.questions.cases.written_rows import WrittenRow, WrittenValue, read_rows
from jobs.questions.cases.written_values import CaseClock, Value, typed_value
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload
from jobs.workload.files.problems import Problems, brief, nearest

STORED = {
    AttributeType.INT: pa.int64(),
    AttributeType.FLOAT: pa.float64(),
    AttributeType.STRING: pa.string(),
    AttributeType.BOOL: pa.bool_(),
}
TYPE, TS = "type", "ts"


class GivenEvents:
    """Reads the events of one case of a query. Every problem goes to `problems`, with its place."""

    def __init__(self, problems: Problems, workload: Workload, query: WorkloadQuery, clock: CaseClock) -> None:
        self.problems = problems
        self.workload = workload
        self.reads = query.evaluator.reads
        self.clock = clock
        self.type_columns = ("event_type",) if TYPE in workload.attributes else (TYPE, "event_type")

    def read(self, where: str, value: Any, same: Mapping[str, WrittenValue]) -> pa.Table:
        """The events in the log's order, with `pos`. `same`: values of all events that do not have their own."""
        file = where.partition(": ")[0]
        known = [*self.type_columns, TS, *self.workload.attributes]
        rows = read_rows(self.problems, where, value)
        for name, place in {name: value.of_name for row in rows for name, value in row.values.items()}.items():
            if name not in known:
                self.problems.point(file, place(), f"unknown attribute {brief(name)}; {nearest(name, known)}")
        if value is not None and not rows and not self.problems.noted:
            self.problems.add(where, "expected at least one event")
        events = [self._event(file, number, row, same) for number, row in enumerate(rows, 1)]
        return order(pa.Table.from_pylist(events, self._schema))

    @property
    def _schema(self) -> pa.Schema:
        own = [pa.field(name, STORED[kind]) for name, kind in self.workload.attributes.items()]
        return pa.schema([("event_type", pa.string()), ("ts", pa.int64()), ("seq", pa.int64()), *own])

    def _event(self, file: str, number: int, row: WrittenRow, same: Mapping[str, WrittenValue]) -> dict[str, Any]:
        event: dict[str, Any] = {"event_type": "", "ts": 0, "seq": number}
        kind = next((row.values[name] for name in self.type_columns if name in row.values), None)
        types = self.workload.schema.types
        if kind is None or kind.text is None:
            self.problems.point(file, row.place(), "an event has no type", f"known: {', '.join(types)}")
            return event
        if kind.text not in types:
            hint = nearest(kind.text, types)
            self.problems.point(file, kind.place(), f"unknown event type {brief(kind.text)}; {hint}")
            return event
        event["event_type"] = kind.text
        stamp = row.values.get(TS)
        if stamp is None or stamp.text is None:
            hint = "a time such as 10:00, or a number of the log"
            self.problems.point(file, row.place(), "an event has no 'ts'", hint)
        else:
            event["ts"] = self._moment(file, stamp)
        attributes = types[kind.text]
        for name in self.workload.attributes:
            written = row.values.get(name) or (same.get(name) if name in attributes else None)
            if name not in attributes and written is not None and written.text is not None:
                hint = nearest(name, attributes)
                self.problems.point(file, written.place(), f"{kind.text} has no attribute '{name}'; {hint}")
            elif name in attributes:
                event[name] = self._value(file, row, kind.text, attributes[name], written)
        return event

    def _moment(self, file: str, stamp: WrittenValue) -> int:
        try:
            return self.clock.moment(stamp.text or "")
        except ValueError as expected:
            self.problems.point(file, stamp.place(), f"expected {expected}, found {brief(stamp.text)}")
            return 0

    def _value(
        self, file: str, row: WrittenRow, event_type: str, attribute: Attribute, written: WrittenValue | None
    ) -> Value | None:
        if written is None or written.text is None:
            if attribute.name in self.reads.get(event_type, ()) and not attribute.nullable:
                message = f"{event_type} has no '{attribute.name}', which the query reads"
                self.problems.point(file, row.place(), message, f"give its value, or declare it as {attribute.type}?")
            return None
        try:
            return typed_value(attribute.type, written.text)
        except ValueError as expected:
            refusal = f"expected {expected} in '{attribute.name}', found {brief(written.text)}"
            self.problems.point(file, written.place(), refusal)
            return None
