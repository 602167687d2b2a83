"""The load of a small run: this process holds rows and events as columns, and Spark computes what a workload says in
SQL: row rules and events.sql.

`spark_load.py` does the same for large runs. Cost: linear in the rows, and sorts of rows and of events.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from cep_core.arrays import Flags, Ints, value_ranks
from jobs.erasure.rules import Suppression
from jobs.lake.table_files import TableFile
from jobs.raw.raw_frame import LEDGER, MOMENT
from jobs.raw.row_days import RowDays, SeenRows
from jobs.raw.rows import ROW, broken_rules, held_view, raw_table, raw_text
from jobs.raw.source_files import SourceFiles
from jobs.runs.run import Run
from jobs.stages.held_rows import of_spark
from jobs.stages.loading.candidate_events.candidates import no_row
from jobs.stages.loading.candidate_events.failing_rows import with_candidates
from jobs.stages.loading.equation import LeftOut, RowsOfFiles, equation
from jobs.stages.loading.file_ledgers import ReadRows, check_ledgers, file_counts, ledgers_of, seen_rows
from jobs.stages.loading.log_order import row_places, seq_of
from jobs.stages.loading.row_fates import NO_DAY, GivenEvents, OwnDays, RowFates, row_fates
from jobs.workload.operating_days import day_number
from jobs.workload.sections.sources import Source


@dataclass(frozen=True)
class SourceRows:
    """The rows of one source, ascending by `_id`, with the rules that refused them."""

    source: Source
    rank: int
    begin: int
    """How many rows the sources before it have."""
    rows: pa.Table
    counted: ReadRows

    @cached_property
    def ids(self) -> Ints:
        return self.rows["_id"].combine_chunks().to_numpy()

    def places_in_order(self) -> Ints:
        """[rows] The place of each row in the order of all sources."""
        return row_places([self.rows[name] for name in (*self.source.order, "_hash")]) + self.begin


class HeldLoad:
    """The rows and events of a run's days. Raises RowsLost, UnreadableSource, WrongHeader, WrongWorkload."""

    def __init__(self, run: Run, files: dict[str, SourceFiles], suppression: Suppression | None = None) -> None:
        self._run, self._files_of, self._suppression = run, files, suppression
        self._sources: list[SourceRows] = []
        begin = 0
        for rank, source in enumerate(run.workload.sources.values()):
            rows, counted = _read(run, source, rank, files[source.name])
            self._sources.append(SourceRows(source, rank, begin, rows, counted))
            begin += rows.num_rows
        self.rows = {of.source.name: of.counted for of in self._sources}
        self._files = file_counts(self.rows, files)
        self._events = with_candidates(run, DataFrame.toArrow)
        self._given = self._given_events()
        self._fates = self._judge()
        self._out = self._left_out()

    def equation(self) -> pa.Table:
        """The equation of rows, for each day and file."""
        days, start = self._run.loads, self._run.workload.start
        timed = [np.full(len(of.ids), self._files_of[of.source.name].row_days is not None) for of in self._sources]
        own = np.where(np.concatenate(timed), self._own_days(), NO_DAY)
        seen, names = seen_rows(self.rows, self._files_of), self._files.select(["source", "number"]).to_pylist()
        of_files = [seen.get((file["source"], file["number"])) for file in names]
        rows = RowsOfFiles(self._files_of_rows(), own, of_files)
        return equation(self._files, rows, self._fates, self._given, self._out, days, start)

    def staged(self, _: Path) -> pa.Table:
        """The rows of `_work/staged_events`: the events of the run's days, and the rows that these days record."""
        return pa.concat_tables([self._passed(), self._refused()], promote_options="default")

    def event_files(self, table: Path) -> list[TableFile]:
        """Files of events beside the staged rows: none."""
        return []

    def _rows_of_events(self) -> Ints:
        """[events] The place of each event's row among those of all sources. Raises WrongWorkload."""
        row = self._events[ROW].combine_chunks()
        rank = pc.fill_null(pc.struct_field(row, "rank"), -1).to_numpy()
        ids = pc.fill_null(pc.struct_field(row, "id"), -1).to_numpy()
        places = np.full(len(row), -1)
        for of in self._sources:
            own = np.flatnonzero(rank == of.rank)
            place = np.searchsorted(of.ids, ids[own])
            known = place < len(of.ids)
            known[known] = of.ids[place[known]] == ids[own][known]
            places[own[known]] = place[known] + of.begin
        if len(row) and places.min() < 0:
            raise no_row(self._run.workload)
        return places

    def _column(self, name: str) -> pa.Array:
        """A column of the raw frame, of the rows of all sources."""
        kind = self._sources[0].rows.schema.field(name).type
        chunks = [chunk for of in self._sources for chunk in of.rows[name].chunks]
        return pa.chunked_array(chunks, kind).combine_chunks()

    def _given_events(self) -> GivenEvents:
        return GivenEvents(
            self._rows_of_events(),
            _day_numbers(self._events["day"].combine_chunks()),
            self._events["ts"].fill_null(0).combine_chunks().to_numpy(),
            self._events["ts"].is_valid().combine_chunks().to_numpy(zero_copy_only=False),
            value_ranks(self._events["event_type"].combine_chunks()),
            self._events["_flaw"].combine_chunks(),
        )

    def _judge(self) -> RowFates:
        start = day_number(self._run.workload.start)
        keeps = [np.full(len(of.ids), 0 if of.source.time else of.source.slack) for of in self._sources]
        own = OwnDays(self._own_days(), np.concatenate(keeps))
        return row_fates(self._column("_rule"), self._column("_reason"), own, self._given, start)

    def _left_out(self) -> LeftOut:
        """What was erased: events, and refused rows that this run would record."""
        rows = np.zeros(len(self._fates.refused), np.bool_)
        if self._suppression is None:
            return LeftOut(np.zeros(len(self._given.row), np.bool_), rows)
        recorded = self._rows_recorded()
        rows[recorded] = self._suppression.texts(self._texts(recorded))
        return LeftOut(self._suppression.events(self._events), rows)

    def _rows_recorded(self) -> Ints:
        """The rows refused on the run's days, and undated ones, ascending."""
        fates = self._fates
        return np.flatnonzero(fates.refused & (fates.undated | self._days_of_run(fates.recorded)))

    def _own_days(self) -> Ints:
        """[rows] The day that the row's time or its file tells, or NO_DAY."""
        return _day_numbers(self._column("_day"))

    def _files_of_rows(self) -> Ints:
        """[rows] The place of each row's file among those of the run."""
        names, numbers = self._files["source"].to_pylist(), self._files["number"].to_pylist()
        places = {file: place for place, file in enumerate(zip(names, numbers, strict=True))}
        of_rows = []
        for of in self._sources:
            number = of.rows["_number"].combine_chunks().dictionary_encode()
            known = [places[of.source.name, value] for value in number.dictionary.to_pylist()]
            of_rows.append(np.array(known, np.int64)[number.indices.to_numpy()])
        return np.concatenate(of_rows)

    def _sources_of_rows(self, rows: Ints) -> pa.Array:
        names = pa.array([of.source.name for of in self._sources])
        begins = [of.begin for of in self._sources]
        return names.take(pa.array(np.searchsorted(begins, rows, side="right") - 1))

    def _days_of_run(self, days: Ints) -> Flags:
        return np.isin(days, [day_number(day) for day in self._run.loads])

    def _passed(self) -> pa.Table:
        """Events of the run's days whose rows nothing refused."""
        given = self._given
        passed = np.flatnonzero(self._days_of_run(given.day) & ~self._fates.refused[given.row])
        row = given.row[passed]
        places = np.concatenate([of.places_in_order() for of in self._sources])
        seq = seq_of(given.day[passed], given.ts[passed], places[row], given.type[passed])
        kept = ~self._out.events[passed]  # an erased event leaves a gap: all others keep their names
        events, row, seq = self._events.take(passed[kept]), row[kept], pa.array(seq[kept])
        own = {
            "run_id": pa.repeat(self._run.run_id, len(row)),
            "seq": pc.coalesce(events["_own_seq"], seq),
            **dict.fromkeys(("_source", "_file", "_raw"), pa.repeat("", len(row))),
            "_rule": pa.nulls(len(row), pa.string()),
            "_reason": pa.nulls(len(row), pa.string()),
            "_undated": pa.repeat(False, len(row)),
        }
        columns = events.drop_columns([ROW, "_flaw", "_own_seq"])
        return pa.table({**dict(zip(columns.column_names, columns.columns, strict=True)), **own})

    def _refused(self) -> pa.Table:
        """Rows refused on the run's days, once each, with type and time of their first event; and undated ones."""
        fates = self._fates
        row = self._rows_recorded()
        row = row[~self._out.rows[row]]
        first = fates.first[row]
        event = pa.array(np.maximum(first, 0), mask=first < 0)
        return pa.table(
            {
                "day": pa.array(fates.recorded[row].astype(np.int32)).cast(pa.date32()),
                "run_id": pa.repeat(self._run.run_id, len(row)),
                "event_type": self._events["event_type"].take(event),
                "ts": self._events["ts"].take(event),
                "seq": pa.nulls(len(row), pa.int64()),
                "_source": self._sources_of_rows(row),
                "_file": self._column("_file").take(row),
                "_raw": self._texts(row),
                "_rule": fates.rule.take(row),
                "_reason": fates.reason.take(row),
                "_undated": fates.undated[row],
            }
        )

    def _texts(self, rows: Ints) -> pa.Array:
        """The raw text of rows; of those that have none, the row as JSON."""
        texts: list[pa.Array] = []
        for of in self._sources:
            own = of.rows.take(rows[(rows >= of.begin) & (rows < of.begin + len(of.ids))] - of.begin)
            raw = own["_raw"]
            if raw.null_count:
                values = of_spark(self._run.spark, own.select(["_id", "_raw", *of.source.columns]))
                raw = _by_id(values.select("_id", raw_text(of.source)).toArrow())["_raw"]
            texts += raw.chunks
        return pa.chunked_array(texts, pa.string()).combine_chunks()


def _read(run: Run, source: Source, rank: int, files: SourceFiles) -> tuple[pa.Table, ReadRows]:
    """The rows of a source, ascending by `_id`, judged; Spark has them as the view of the source."""
    raw = raw_table(run.spark, source, files)
    is_row = raw[LEDGER].is_null()
    rows = _by_id(raw.filter(is_row).drop_columns([LEDGER])).combine_chunks()
    counts = pc.value_counts(rows["_number"].combine_chunks()).to_pylist() if rows.num_rows else []
    texts = raw.filter(pc.invert(is_row))[LEDGER].to_pylist()
    read = {count["values"]: count["counts"] for count in counts}
    seen: dict[int, SeenRows] = {}
    if files.row_days:
        seen, rows = _seen(rows, read, files.row_days)
    rows = rows.drop_columns([MOMENT])
    counted = ReadRows(read, ledgers_of(texts), seen)
    check_ledgers(source.name, counted, files)
    view = of_spark(run.spark, held_view(rows, source, rank))
    view.createOrReplaceTempView(source.name)
    if rules := run.workload.expectations.of_source(source.name):
        rows = _with_refusals(rows, broken_rules(view, rules))
    return rows, counted


def _seen(rows: pa.Table, numbers: Iterable[int], time: RowDays) -> tuple[dict[int, SeenRows], pa.Table]:
    """The rows of each file by their days, and those that the run sees."""
    seen = {}
    for number in numbers:
        of_file = rows.filter(pc.equal(rows["_number"], number))
        [times] = of_file.select(["_day", MOMENT]).combine_chunks().to_batches()
        seen[number] = time.counted(times)
    return seen, rows.filter(time.sees(rows["_day"].combine_chunks())).combine_chunks()


def _with_refusals(rows: pa.Table, refused: pa.Table) -> pa.Table:
    """Rows with the rules that refuse them. What their reader refused keeps its reason."""
    ids = rows["_id"].combine_chunks().to_numpy()
    places = np.full(len(ids), -1)
    places[np.searchsorted(ids, refused["id"].combine_chunks().to_numpy())] = np.arange(refused.num_rows)
    chosen = pa.array(places, mask=places < 0)
    kept = rows["_rule"].is_valid()
    for name in ("_rule", "_reason"):
        judged_here = refused[name].combine_chunks().take(chosen)
        rows = rows.set_column(rows.column_names.index(name), name, pc.if_else(kept, rows[name], judged_here))
    return rows


def _by_id(rows: pa.Table) -> pa.Table:
    """Rows ascending by `_id`. Only files with refused rows give them in another order."""
    ids = rows["_id"].combine_chunks().to_numpy()
    return rows if (ids[1:] > ids[:-1]).all() else rows.sort_by("_id")


def _day_numbers(days: pa.Array) -> Ints:
    """Days since 1970-01-01; NO_DAY: none."""
    return pc.fill_null(days.cast(pa.int32()), NO_DAY).to_numpy().astype(np.int64)
