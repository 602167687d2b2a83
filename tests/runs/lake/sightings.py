"""A small language of its own: `LIST Depart` asks for every event of a type.

It brings what any language brings, and no more: how its texts are read, an evaluator with a table that comes with the
result and one that waits for it, and how its results are reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.engines import Engine
from cep_core.events.schema import LogSchema
from cep_core.language.day_results import DayResult, together
from cep_core.language.errors import Position, QueryError
from cep_core.language.evaluator import CERTAIN, RESULT, TOTALS, Atom, Ownership, Reach, ResultTable, tagged
from cep_core.language.explanation import Explanation, Section
from cep_core.language.language import Language
from cep_core.language.settings import Settings
from jobs.reports.answers.answer import Answer
from jobs.reports.answers.changes import compare
from jobs.reports.answers.listing import Heading, Listing
from jobs.reports.kinds.presentation import Presentation
from jobs.reports.lake_reader import LakeReader
from jobs.reports.query_report import EvaluatedDay, QueryReport, notices_of
from jobs.reports.questions import Question
from jobs.reports.words.quantities import Magnitude

KIND = "sighting"
_MOMENT = pa.schema([pa.field("ts", pa.int64(), False), pa.field("seq", pa.int64(), False)])
_PARTIAL = _MOMENT.append(pa.field(CERTAIN, pa.int64()))


@dataclass(frozen=True)
class Sighting:
    """A bound text."""

    text: str
    path: str
    schema: LogSchema
    event_type: str
    head: Position
    kind: str = KIND


def parse(text: str, path: str) -> tuple[str, Position]:
    """The event type and its place."""
    for number, line in enumerate(text.splitlines(), 1):
        if (written := re.fullmatch(r"LIST (\w+)", line)) is not None:
            return written[1], Position(number, 6, len(written[1]))
        if not line.startswith("--"):
            raise QueryError("expected LIST and an event type", Position(number, 1), text=text, path=path)
    raise QueryError("expected LIST and an event type", Position(1, 1), text=text, path=path)


def bind(
    written: tuple[str, Position],
    schema: LogSchema,
    text: str = "",
    path: str = "<query>",
    *,
    whole_log: bool = True,
    aggregates: Any = None,
) -> Sighting:
    event_type, at = written
    if not schema.has_type(event_type):
        raise QueryError(f"unknown event type '{event_type}'", at, text=text, path=path)
    return Sighting(text, path, schema, event_type, at)


class Sightings:
    """Lists the first `max_matches` events of a type of each day.

    Beside the result: `_firsts`, the first event of each day, which comes with it, and `_rest`, the events that a cut
    listing leaves out, which waits for it.
    """

    def __init__(self, query: Sighting, settings: Settings) -> None:
        self.query = query
        self.max_matches = settings.max_matches

    atoms = property(lambda self: (Atom(self.query.event_type, (("line", "line"),)),))
    reach = Reach()
    reads = property(lambda self: {self.query.event_type: ("line",)})
    reads_points = False
    speaks_of_silence = False
    schema = _MOMENT

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        return (
            ResultTable(RESULT, _MOMENT, self.merge, together, self.evaluate),
            ResultTable("_firsts", _MOMENT, self._first, together, comment="One row is the first event of {query}"),
            ResultTable("_rest", _MOMENT, self._left_out, _cut, self._everything, "One row is an event left out"),
        )

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        seen = self._seen(events, owned)
        yield seen
        days = None if owned is None else owned.days
        firsts = np.unique(_part(seen, days), return_index=True)[1]
        yield from tagged([seen.take(pa.array(firsts))], "_firsts")

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        seen = _ordered(partials)
        part, rank = _part(seen, days), _rank(seen, days)
        totals = {str(days[k]): {"matches_total": str(n)} for k, n in enumerate(np.bincount(part))} if days else {}
        kept = seen if self.max_matches is None else seen.filter(pa.array(rank < self.max_matches))
        return kept.replace_schema_metadata({TOTALS: json.dumps(totals)})

    def describe(self) -> tuple[str, ...]:
        return ("one look at each event",)

    def _everything(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        return tagged([self._seen(events, owned)], "_rest")

    def _first(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        seen = _ordered(partials)
        return seen.filter(pa.array(_rank(seen, days) == 0))

    def _left_out(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        seen = _ordered(partials)
        return seen.filter(pa.array(_rank(seen, days) >= self.max_matches))

    def _seen(self, events: pa.Table, owned: Ownership | None) -> pa.RecordBatch:
        seen = events.filter(pc.equal(events["event_type"], self.query.event_type))
        if owned is not None and owned.owns is not None:
            seen = seen.filter(pa.array(owned.owns(seen.select(["line"]))))
        if owned is not None and owned.days is not None:
            ts = seen["ts"].to_numpy()
            seen = seen.filter(pa.array((ts >= owned.days[0]) & (ts < owned.days[-1])))
        rows = pa.table({"ts": seen["ts"], "seq": seen["seq"], CERTAIN: seen["ts"]}, schema=_PARTIAL)
        return rows.combine_chunks().to_batches()[0] if rows.num_rows else pa.RecordBatch.from_pylist([], _PARTIAL)


def _ordered(partials: Iterable[pa.RecordBatch]) -> pa.Table:
    return pa.Table.from_batches([batch.replace_schema_metadata(None) for batch in partials], _PARTIAL).sort_by(
        [("ts", "ascending"), ("seq", "ascending")]
    )


def _part(seen: pa.Table | pa.RecordBatch, days: tuple[int, ...] | None) -> Any:
    """The number of each row's day."""
    return np.searchsorted(days or (0,), seen.column(CERTAIN).to_numpy(), side="right") - 1


def _rank(seen: pa.Table, days: tuple[int, ...] | None) -> Any:
    """The number of each row within its day; rows are in order."""
    part = _part(seen, days)
    return np.arange(len(part)) - np.searchsorted(part, part)


def _cut(days: Sequence[DayResult]) -> Sequence[Sequence[DayResult]]:
    return [[day] for day in days if day.is_cut]


def _report(day: EvaluatedDay, results: pa.Table) -> QueryReport:
    total = int(day.records[day.day]["matches_total"])
    answer = Answer(f"{total} events of {day.query.event_type} were seen.", Magnitude.of(total), "events")
    cells = [[day.clock.time(ts)] for ts in results["ts"].to_pylist()]
    rows = [[row["ts"], row["seq"]] for row in results.to_pylist()]
    listing = Listing([Heading("time")], cells, ["ts", "seq"], rows, len(rows), "first ones first")
    change = compare(day.day, answer.headline, set(day.records), _counts(day.records))
    return QueryReport(day.question, notices_of(day, answer), answer, change, listing)


def _counts(records: Mapping[date, Mapping[str, Any]]) -> dict[date, Magnitude]:
    return {day: Magnitude.of(int(record["matches_total"])) for day, record in records.items()}


def _headlines(
    question: Question, records: Mapping[date, Mapping[str, Any]], reader: LakeReader
) -> dict[date, Magnitude]:
    return _counts(records)


def _explain(query: Sighting, algorithm: Sequence[str]) -> Explanation:
    asked = Section("query", (f"every {query.event_type}",), {"type": query.event_type})
    return Explanation((asked, Section("algorithm", tuple(algorithm), list(algorithm))))


LANGUAGE = Language(
    "sightings",
    ".mtl",
    parse,
    lambda written: LogSchema({written[0]: {}}, open_world=True),
    bind,
    _explain,
    lambda query: [f"{query.event_type} may be frequent"],
    lambda query: "",
    beside=("_firsts", "_rest"),
)
ENGINE = Engine(KIND, Sightings)
PRESENTATION = Presentation(_report, _headlines, lambda question: "events")
