"""A small language about what is absent: `QUIET Depart FOR 3: a, b` asks when a, or b, had no Depart for 3 points.

Its evaluator uses what other languages do without: it says which attribute it reads, which its text does not name (the
event type's first); it reads time-points; it has results where no event is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from cep_core.engines import Engine
from cep_core.events.schema import LogSchema
from cep_core.language.day_results import together
from cep_core.language.errors import Position, QueryError
from cep_core.language.evaluator import CERTAIN, RESULT, Atom, Ownership, Reach, ResultTable
from cep_core.language.explanation import Explanation
from cep_core.language.language import Language
from cep_core.language.settings import Settings

KIND = "silence"
HEAD = Position(1, 1)
_ROWS = pa.schema(
    [pa.field("ts", pa.int64(), False), pa.field("offset", pa.int64(), False), pa.field("x", pa.string(), False)]
)
_PARTIAL = _ROWS.append(pa.field(CERTAIN, pa.int64()))


@dataclass(frozen=True)
class Silence:
    """A bound text."""

    text: str
    path: str
    schema: LogSchema
    event_type: str
    attribute: str
    points: int
    values: tuple[str, ...]
    head: Position = HEAD
    kind: str = KIND


def parse(text: str, path: str) -> tuple[str, int, tuple[str, ...]]:
    """The event type, the number of points, and the values."""
    written = re.fullmatch(r"QUIET (\w+) FOR (\d+): (.+)", text.strip())
    if written is None:
        raise QueryError("expected QUIET, an event type, FOR, a number and values", HEAD, text=text, path=path)
    return written[1], int(written[2]), tuple(written[3].split(", "))


def bind(
    written: tuple[str, int, tuple[str, ...]],
    schema: LogSchema,
    text: str = "",
    path: str = "<query>",
    *,
    whole_log: bool = True,
    aggregates: Any = None,
) -> Silence:
    event_type, points, values = written
    return Silence(text, path, schema, event_type, next(iter(schema.types[event_type])), points, values)


class Silences:
    reads_points = True
    speaks_of_silence = True
    schema = _ROWS

    def __init__(self, query: Silence, settings: Settings) -> None:
        self.query = query

    atoms = property(lambda self: (Atom(self.query.event_type, ((self.query.attribute, "x"),)),))
    reach = property(lambda self: Reach(points=self.query.points - 1))

    @property
    def reads(self) -> Mapping[str, tuple[str, ...]]:
        return {self.query.event_type: (self.query.attribute,)}

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        return (ResultTable(RESULT, _ROWS, self.merge, together, self.evaluate),)

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        assert points is not None
        every = [(row["ts"], offset) for row in points.to_pylist() for offset in range(row["points"])]
        heard = {
            (row["ts"], row["offset"], row[self.query.attribute])
            for row in events.to_pylist()
            if row["event_type"] == self.query.event_type
        }
        days = (-np.inf, np.inf) if owned is None or owned.days is None else owned.days
        rows = [
            {"ts": ts, "offset": offset, "x": value, CERTAIN: ts}
            for value in self.query.values
            if owned is None or owned.owns is None or owned.owns(pa.table({"x": [value]}))[0]
            for place, (ts, offset) in enumerate(every[self.query.points - 1 :])
            if days[0] <= ts < days[-1]
            if not any((*point, value) in heard for point in every[place : place + self.query.points])
        ]
        yield pa.RecordBatch.from_pylist(rows, _PARTIAL)

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        order = [(name, "ascending") for name in _ROWS.names]
        return pa.Table.from_batches(partials, _PARTIAL).sort_by(order)

    def describe(self) -> tuple[str, ...]:
        return ("a look at each point",)


LANGUAGE = Language(
    "silences",
    ".mtl",
    parse,
    lambda written: LogSchema({written[0]: {}}, open_world=True),
    bind,
    lambda query, algorithm: Explanation(()),
    lambda query: [],
    lambda query: "",
)
ENGINE = Engine(KIND, Silences)
