"""A second round: tables in which the first rows of a result are explained from all events on which they depend.

Mostly the slices that own rows explain them (`explained_slices.py`). But the proof of `NOT EXISTS x. ...` refutes every
value of x. Slices that are cut by x share these values out, and none of them has all that a proof needs. So its table
of causes is filled in this process (`ResultTable.explain`), from the events as they were published. Nothing here
depends on how the log was sliced.

Cost: for each day the events from the first moment that its rows depend on to the last. Where these are more than
`MOST_EVENTS`, those of each row by itself; a row that alone depends on more is explained without events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

from cep_core.events.logs.time_points import BY_TIMESTAMP, OFFSET, offsets_of
from cep_core.language.evaluator import CERTAIN, ResultTable
from cep_core.language.totals import part_of
from jobs.lake.dataset import dataset_of
from jobs.lake.reading import log_order
from jobs.stages.evaluating.reading import Moments, Reading

if TYPE_CHECKING:
    from jobs.runs.run import Run

MOST_EVENTS = 5_000_000
"""The most events that are looked at together."""


class Published(Protocol):
    """The events that a query reads in [begin, end), in the log's order with `offset`; None if more than `most`."""

    def __call__(self, begin: int, end: int, most: int) -> pa.Table | None: ...


@dataclass(frozen=True)
class Round:
    """What the rows of a block of days are explained from. `since`: the first moment that the block reads.

    `reading`: of all points that these days read.
    """

    days: Moments
    since: int
    reading: Reading
    published: Published

    def explained(self, table: ResultTable, rows: pa.Table, most: int = MOST_EVENTS) -> Iterator[pa.RecordBatch]:
        """The partial results for a table. `rows`: the first ones of each day, in order, with `certain`."""
        assert table.explain is not None
        day = part_of(rows[CERTAIN].to_numpy(), self.days)
        for number in np.unique(day):
            of_day = rows.filter(pa.array(day == number))
            for own, events in self._with_events(of_day, most):
                points = self.reading.points_of(*self._span(own), (self.since, self.days[-1]))
                assert points is not None, "a query whose rows are explained reads time-points"
                yield from table.explain(own.drop_columns([CERTAIN]), events, points)

    def _with_events(self, rows: pa.Table, most: int) -> Iterator[tuple[pa.Table, pa.Table | None]]:
        """Rows with the events that they depend on: all rows together, or, where these are too many, each by itself."""
        events = self.published(*self._span(rows), most)
        if events is not None or rows.num_rows == 1:
            yield rows, events
            return
        for number in range(rows.num_rows):
            yield from self._with_events(rows.slice(number, 1), most)

    def _span(self, rows: pa.Table) -> tuple[int, int]:
        """The moments [begin, end) on which rows depend."""
        certain = rows[CERTAIN].to_numpy()
        return max(self.since, self.reading.start(int(certain.min()))), int(certain.max()) + 1


def published_events(run: Run, query: str) -> Published:
    """The events that a query reads, from the table of events."""
    reads = run.compiled[query].evaluator.reads
    time, calendar = run.workload.time, run.workload.operating_days
    of_types = ds.field("event_type").isin(sorted(reads))
    attributes = {name for own in reads.values() for name in own}
    folder = run.lake / run.workload.name / "events"
    stored = dataset_of(DeltaTable(folder), folder)

    def read(begin: int, end: int, most: int) -> pa.Table | None:
        days = ds.field("day") >= calendar.day_of(begin), ds.field("day") <= calendar.day_of(end - 1)
        inside = days[0] & days[1] & (ds.field("ts") >= begin) & (ds.field("ts") < end)
        if time.points == BY_TIMESTAMP:  # else events of all types number the points
            inside &= of_types
        if stored.count_rows(filter=inside) > most:
            return None
        names = dict.fromkeys(["event_type", "ts", "seq", time.point_column, *sorted(attributes)])
        events = log_order(stored.to_table(list(names), filter=inside))
        numbered = events.append_column(OFFSET, pa.array(offsets_of(events, time.points)))
        return numbered.filter(of_types)

    return read
