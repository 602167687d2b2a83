"""The rows of `<query>_events`: each event of each listed match, with the event's columns as they were published.

They are made of a listing and the table of events, whenever a listing is written. Days whose listing an older program
wrote, or whose events of matches went with the tables of events, get them at the next run.

Cost: a row for each event that a match binds, and for each piece of a listing the columns of the events from its first
to its last. Memory: a piece binds about `ROWS_AT_ONCE` events.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from deltalake import DeltaTable

from cep_core.arrays import Ints
from cep_core.compile import EVENTS_OF_MATCHES
from cep_core.matches.bound_events import bound_by
from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import one_of
from jobs.lake.dataset import dataset_of, read_pieces
from jobs.lake.moments.columns import moments_in
from jobs.lake.table_files import TableFiles
from jobs.lake.tables.match_events import OWN, WINDOW
from jobs.lake.write import Replacement
from jobs.runs.ledger import read_ledger
from jobs.runs.run import Run
from jobs.stages.evaluating import merging
from jobs.stages.evaluating.result_rows import ResultRows
from jobs.stages.evaluating.results import Result
from jobs.stages.loading.log_order import DAY_BITS
from jobs.stored_path import opened_by_arrow

READ_AT_ONCE = 50_000
"""Rows of a listing's file that are read together."""


def events_of_results(run: Run, results: Iterable[Result]) -> list[Replacement]:
    """The events of the listings that the run has evaluated."""
    replaced = []
    for result in results:
        if run.compiled[result.query].variables:
            days = [evaluation.day for evaluation in result.evaluations]
            replaced.append(_replaced(run, result.query, days, _listed(run, result)))
    return replaced


def lacking_events(run: Run) -> list[Replacement]:
    """The events of listings that the lake has without them, of days that the run does not evaluate."""
    assert run.scope is not None
    home, expired = run.lake / run.workload.name, read_ledger(run.lake, run.workload.name).expired
    replaced = []
    for name in (name for name, query in run.compiled.items() if query.variables):
        known = {*run.scope.days_of(name), *expired}
        if days := sorted(_days_of(home / name) - _days_of(home / (name + EVENTS_OF_MATCHES)) - known):
            pieces = read_pieces(home / name, _columns(run, name, schema_of(home / name)), days)
            replaced.append(_replaced(run, name, days, pieces))
    return replaced


def _days_of(folder: Path) -> set[date]:
    """The days of which a table has rows, from its log."""
    actions = pa.table(DeltaTable(folder).get_add_actions(flatten=False))
    return {row["day"] for row in actions["partition"].to_pylist()}


def _listed(run: Run, result: Result) -> Iterator[pa.Table]:
    """A listing in pieces, at least one."""
    if isinstance(result.content, pa.Table):
        yield result.content
        return
    folder = run.lake / run.workload.name / result.into
    for file in result.content:
        with pq.ParquetFile(opened_by_arrow(folder / file.path)) as stored:
            day = pa.scalar(date.fromisoformat(file.partition["day"]), pa.date32())
            for batch in stored.iter_batches(READ_AT_ONCE, columns=_columns(run, result.query, stored.schema_arrow)):
                rows = pa.Table.from_batches([batch])
                yield (
                    rows.append_column("day", pa.repeat(day, rows.num_rows)) if "day" not in rows.column_names else rows
                )


def _columns(run: Run, query: str, schema: pa.Schema) -> list[str]:
    """The columns of a listing that say where a match binds an event."""
    wanted = ("day", "match_id", WINDOW, *run.compiled[query].variables)
    return [name for name in wanted if name in schema.names]


def _replaced(run: Run, query: str, days: Collection[date], pieces: Iterable[pa.Table]) -> Replacement:
    home, into = run.lake / run.workload.name, query + EVENTS_OF_MATCHES
    published = Published.of(home / "events", schema_of(home / into))
    with ResultRows(home / into) as rows:
        for piece in pieces:
            for part in in_parts(piece, run.compiled[query].variables, merging.ROWS_AT_ONCE):
                bound = published.bound_in(part, run.compiled[query].variables)
                rows.add(bound.append_column("run_id", pa.repeat(run.run_id, bound.num_rows)))
        content = rows.end()
    of_table = content if isinstance(content, pa.Table) else TableFiles(content, days)
    return Replacement(of_table, run.table(into), one_of("day", days))


def in_parts(listing: pa.Table, variables: Sequence[str], most: int) -> Iterator[pa.Table]:
    """A listing cut into parts, at least one, that bind about `most` events each.

    >>> rows = pa.table({"a": [1, 2, 3], "b": [[4], [5, 6, 7], None]})
    >>> [part["a"].to_pylist() for part in in_parts(rows, ["a", "b"], 5)]
    [[1], [2, 3]]
    """
    events = np.zeros(listing.num_rows, np.int64)
    for place, name in enumerate(variables):
        match = bound_by(listing[name], place)[0]
        events += np.bincount(match, minlength=listing.num_rows)
    before = np.cumsum(events) - events
    part = (before + events - 1) // most
    cuts = [0, *(np.flatnonzero(part[1:] > part[:-1]) + 1).tolist(), listing.num_rows]
    for begin, end in pairwise(cuts):
        yield listing.slice(begin, end - begin)


@dataclass(frozen=True)
class Published:
    """The table of events, read by `seq`. `schema`: `seq`, and the other columns that events of matches have."""

    stored: ds.Dataset
    schema: pa.Schema

    @staticmethod
    def of(folder: Path, of_matches: pa.Schema) -> Published:
        """The table in a folder, with those of its columns that a table of the events of matches has, too."""
        stored = dataset_of(DeltaTable(folder), folder)
        others = {"day", "run_id", *OWN, *(moment.name for moment in moments_in(of_matches))}
        names = [name for name in of_matches.names if name in stored.schema.names and name not in others]
        return Published(stored, pa.schema([stored.schema.field(name) for name in names]))

    def bound_in(self, listing: pa.Table, variables: Sequence[str]) -> pa.Table:
        """A row for each event that the matches bind, in the order of matches, variables and positions.

        Events that are no more in the table have none.
        """
        bound = [bound_by(listing[name], place) for place, name in enumerate(variables)]
        match, place, position, seqs = (np.concatenate(column) for column in zip(*bound, strict=True))
        order = np.lexsort((position, place, match))
        events = self._named(np.unique(seqs))
        own = events["seq"].to_numpy()
        row = np.searchsorted(own, seqs[order])
        present = np.zeros(len(order), np.bool_)
        inside = row < len(own)
        present[inside] = own[row[inside]] == seqs[order][inside]
        order, row = order[present], row[present]
        names = [name for name in ("day", *OWN[:2]) if name in listing.column_names]
        rows = listing.select(names).take(pa.array(match[order]))
        of_place = pa.DictionaryArray.from_arrays(pa.array(place[order]), pa.array(list(variables), pa.string()))
        rows = rows.append_column("variable", of_place.cast(pa.string()))
        rows = rows.append_column("position", pa.array(position[order].astype(np.int32)))
        for name, column in zip(self.schema.names, events.take(pa.array(row)).columns, strict=True):
            rows = rows.append_column(name, column)
        return rows

    def _named(self, seqs: Ints) -> pa.Table:
        """The events with these `seq`, ascending, in their order."""
        if not len(seqs):
            return self.schema.empty_table()
        first, last = int(seqs[0]), int(seqs[-1])
        day, seq = ds.field("day"), ds.field("seq")
        days = (pa.scalar(at >> DAY_BITS, pa.int32()).cast(pa.date32()) for at in (first, last))
        chosen = (day >= next(days)) & (day <= next(days)) & (seq >= first) & (seq <= last)
        kept = []
        for batch in self.stored.to_batches(columns=self.schema.names, filter=chosen, batch_readahead=2):
            values = batch["seq"].to_numpy()
            kept.append(batch.filter(pa.array(seqs[np.searchsorted(seqs, values)] == values)))
        events = pa.Table.from_batches(kept, self.schema)
        return events.take(pa.array(np.argsort(events["seq"].to_numpy()))).combine_chunks()
