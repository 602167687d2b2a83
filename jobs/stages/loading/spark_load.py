"""The load of a large run: workers read, order and write; Spark computes what a workload says in SQL, and `sql/load`.

1. Workers parse the sources' files once and keep the rows as columns (`jobs/raw/spilled_rows.py`). If events.sql and
   the rules are plain (`plain_events/plain_sql.py`) they write the events of good rows at once, and keep the others.
2. Spark gives what was kept to events.sql. Workers write what it gives as runs that ascend by `ts`, and bitmaps of the
   rows that gave events (`event_runs.py`).
3. Refused rows are found. If there are any, their texts are read from the sources, their events are computed once more,
   to tell the days that record them, and their events are taken out of the runs.
4. Workers merge ranges of all runs into files in the log's order (`event_files.py`).

Cost: linear in the bytes read, and a sort of runs and of ranges; no row is joined, grouped or shuffled unless something
refuses it. Memory: of a task, a run or a range; of the driver, the list of runs. Folders must be shared with the
workers, as those of slices are.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import BooleanType, StructField, StructType

from jobs.bundles import bundles
from jobs.erasure.rules import Suppression
from jobs.lake.arrow_write import schema_of
from jobs.lake.computed_rows import computed
from jobs.lake.statements import statement
from jobs.lake.table_files import TableFile
from jobs.raw.attempts import in_attempts
from jobs.raw.rows import raw_frame, raw_text, view_of
from jobs.raw.source_files import SourceFiles
from jobs.runs.run import Run
from jobs.stages.held_rows import of_spark
from jobs.stages.loading.bitmap_equation import bitmap_equation, names_unknown_rows, rows_of_files
from jobs.stages.loading.candidate_events.candidates import no_row
from jobs.stages.loading.candidate_events.failing_rows import with_candidates
from jobs.stages.loading.event_files import ANSWER as ANSWER_OF_FILES
from jobs.stages.loading.event_files import FileWriter, files_in
from jobs.stages.loading.event_ranges import EVENTS_IN_RANGE, event_ranges
from jobs.stages.loading.event_runs import ANSWER as ANSWER_OF_RUNS
from jobs.stages.loading.event_runs import RowsTakenOut, RunWriter, batches_by_rows, open_run, to_write
from jobs.stages.loading.file_ledgers import ReadRows, check_ledgers, file_counts, seen_rows
from jobs.stages.loading.plain_events.kept_rows import kept_rows, raw_rows
from jobs.stages.loading.plain_events.plain_rows import plain_rows
from jobs.stages.loading.plain_events.plain_sql import plain_sources
from jobs.stages.loading.row_bitmaps import ROWS


class SparkLoad:
    """The rows and events of a run's days, as views and files. `folder`: for what is kept while the load lasts.
    `suppression`: what was erased; workers get its key with their tasks.

    Raises as `HeldLoad` does.
    """

    def __init__(
        self, run: Run, files: dict[str, SourceFiles], folder: Path, suppression: Suppression | None = None
    ) -> None:
        self._run, self._files, self._folder, self._suppression = run, files, folder, suppression
        sources = list(run.workload.sources.values())
        self.rows: dict[str, ReadRows] = {}
        self._kept: dict[str, DataFrame] = {}
        self._judged: list[pa.Table] = []
        self._has_kept = False
        is_judged = any(files[source.name].surveys for source in sources)  # rows that Spark reads, Spark judges
        plain = plain_sources(run) if is_judged else None
        judges = list(plain_rows(run.workload, plain, self._run_writer())) if plain else [None] * len(sources)
        raw = []
        for rank, (source, judge) in enumerate(zip(sources, judges, strict=True)):
            kept = kept_rows(run, source, files[source.name], folder / f"rows-{rank}", judge)
            rows, counted = kept.rows, kept.counted
            check_ledgers(source.name, counted, files[source.name])
            self.rows[source.name], self._kept[source.name] = counted, rows
            self._judged += [pa.ipc.open_stream(answer).read_all() for answer in kept.judged]
            self._has_kept |= kept.has_rows
            view_of(rows, source, rank).createOrReplaceTempView(source.name)
            raw.append(raw_rows(run, rows, source, rank))
        _union(raw).createOrReplaceTempView("raw_rows")
        run_days(run).createOrReplaceTempView("run_days")
        self._has_refused = False
        if self._has_kept or not self._judged:
            self._runs = with_candidates(run, self._write_runs)
            self._refuse()
        else:
            self._runs = self._written_runs(None)

    def equation(self) -> pa.Table:
        """The equation of rows, for each day and file. Raises WrongWorkload if an event has no row."""
        spark, run = self._run.spark, self._run
        bitmaps = spark.table("written").where("kind IS NOT NULL").toArrow()
        ranks = set(bitmaps["rank"].to_pylist())
        if not ranks <= set(range(len(run.workload.sources))):
            raise no_row(run.workload)
        sources = [(source.name, bool(self._files[source.name].surveys)) for source in run.workload.sources.values()]
        refused = spark.sql(statement("load", "refused_counts")).toArrow().to_pylist() if self._has_refused else []
        files = file_counts(self.rows, self._files)
        of_files = rows_of_files(bitmaps.to_pylist(), sources, self._bitmap_of_refused)
        if names_unknown_rows(files, of_files):
            raise no_row(run.workload)
        return bitmap_equation(files, of_files, seen_rows(self.rows, self._files), refused, run.loads)

    def _bitmap_of_refused(self, rank: int, bucket: int) -> int:
        """The refused rows of a source, of those in a bitmap of its rows."""
        if not self._has_refused:
            return 0
        refused = open_run(self._refused_rows)
        first = (bucket - 1) * ROWS
        inside = (pc.field("rank") == rank) & (pc.field("id") >= first) & (pc.field("id") < first + ROWS)
        return sum(1 << (row - first) for row in refused.filter(inside)["id"].to_pylist())

    def staged(self, table: Path) -> pa.Table | DataFrame:
        """The rows of `_work/staged_events`, the table in this folder, that were refused."""
        if not self._has_refused:
            return schema_of(table).empty_table()
        return self._run.spark.sql(statement("load", "recorded_rows"), args={"run_id": self._run.run_id})

    def event_files(self, table: Path) -> list[TableFile]:
        """Write the events that passed as files of `_work/staged_events`, the table in this folder."""
        run = self._run
        columns = schema_of(table)
        columns = columns.remove(columns.get_field_index("day"))
        constants: dict[str, str | bool] = {"run_id": run.run_id, **dict.fromkeys(("_source", "_file", "_raw"), "")}
        constants |= {"_undated": False}
        writer = FileWriter(table, columns, constants, run.workload.time.point_column, self._suppression)
        ranges = event_ranges(self._runs, run.loads, run.workload.operating_days)
        tasks = list(bundles(ranges, lambda each: each.events, EVENTS_IN_RANGE))

        def work(task: int) -> Iterator[pa.RecordBatch]:
            return writer(tasks[task], f"{task}-{uuid4().hex}")

        return files_in(_by_workers(run, len(tasks), work, ANSWER_OF_FILES).toArrow().to_pylist()) if tasks else []

    def _run_writer(self) -> RunWriter:
        run, folder = self._run, self._folder / "runs" / uuid4().hex
        folder.mkdir(parents=True)
        timed = frozenset(rank for rank, source in enumerate(run.workload.sources.values()) if source.time)
        days = run.workload.operating_days
        return RunWriter(folder, run.loads, run.workload.start, days, timed, self._suppression)

    def _write_runs(self, candidates: DataFrame) -> list[Path]:
        """Let workers write what events.sql gives of the rows that were kept."""
        order = max(len(source.order) for source in self._run.workload.sources.values())
        candidates.createOrReplaceTempView("candidate_events")
        rows = to_write(candidates, order)
        with batches_by_rows(rows):
            answers = computed(rows.mapInArrow(self._run_writer(), ANSWER_OF_RUNS), self._folder)
        return self._written_runs(answers)

    def _written_runs(self, of_kept: DataFrame | None) -> list[Path]:
        """All runs; what workers answered is the view `written`."""
        answers = [] if of_kept is None else [of_kept]
        if self._judged:
            answers.append(of_spark(self._run.spark, pa.concat_tables(self._judged)))
        view = _union(answers)
        view.createOrReplaceTempView("written")
        runs = view.where("run IS NOT NULL").select("run").toArrow()["run"].to_pylist()
        return sorted(map(Path, runs))

    def _refuse(self) -> None:
        """Find the refused rows, with their texts and the days that record them; take their events out of the runs."""
        self._compute("refused_rows")
        refused = self._run.spark.table("refused_rows")
        self._has_refused = not refused.isEmpty()
        if self._has_refused:
            # A row whose text is not found again would be refused by the table: none is dropped.
            with_texts = refused.join(_union(self._texts(refused)), ["rank", "id"], "left")
            refused = computed(_marked(with_texts, self._suppression), self._folder)
            self._take_out(refused)
            refused.createOrReplaceTempView("refused_rows")
            self._compute("refused_fates", start=self._run.workload.start)

    def _texts(self, refused: DataFrame) -> list[DataFrame]:
        """The texts of refused rows, for each source."""
        texts = []
        for rank, source in enumerate(self._run.workload.sources.values()):
            of_source = refused.where(sf.col("rank") == rank).select(sf.col("id").alias("_id"))
            rows = self._kept[source.name]
            if self._files[source.name].surveys and source.text:
                rows = raw_frame(self._run.spark, source, self._files[source.name])
            named = rows.join(of_source, "_id", "left_semi")
            texts.append(
                named.select(sf.lit(rank).alias("rank"), sf.col("_id").alias("id"), raw_text(source).alias("raw"))
            )
        return texts

    @property
    def _refused_rows(self) -> Path:
        """The file of the refused rows' (rank, id), ascending."""
        return self._folder / "refused.arrow"

    def _take_out(self, refused: DataFrame) -> None:
        path = self._refused_rows
        rows = refused.select("rank", "id").toArrow().sort_by([("rank", "ascending"), ("id", "ascending")])
        with pa.ipc.new_file(path, rows.schema) as file:
            file.write_table(rows)
        runs, take_out = self._runs, RowsTakenOut(path)

        def work(task: int) -> Iterator[pa.RecordBatch]:
            take_out(runs[task])
            yield pa.record_batch({"run": [str(runs[task])]})

        if runs:
            _by_workers(self._run, len(runs), work, "run STRING").toArrow()

    def _compute(self, name: str, **args: object) -> None:
        """What a statement says, computed once, as a view of its name."""
        with in_attempts(self._run.spark):  # rules are attempted, perhaps events too
            rows = self._run.spark.sql(statement("load", name), args=args)
            computed(rows, self._folder).createOrReplaceTempView(name)


def _marked(refused: DataFrame, suppression: Suppression | None) -> DataFrame:
    """Refused rows with `suppressed`: whether their texts hold what was erased."""
    if suppression is None:
        return refused.withColumn("suppressed", sf.lit(False))
    schema = StructType([*refused.schema.fields, StructField("suppressed", BooleanType())])

    def mark(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            out = pa.array(suppression.texts(batch["raw"]))
            yield pa.RecordBatch.from_arrays([*batch.columns, out], [*batch.schema.names, "suppressed"])

    return refused.mapInArrow(mark, schema)


def _by_workers(run: Run, tasks: int, work: Callable[[int], Iterator[pa.RecordBatch]], columns: str) -> DataFrame:
    """What workers tell of tasks, each named by its number."""

    def apply(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                yield from work(task)

    return run.spark.range(0, tasks, 1, tasks).mapInArrow(apply, columns)


def clear(folder: Path) -> None:
    """Remove what a load has kept, this one or one that died."""
    shutil.rmtree(folder, ignore_errors=True)


def run_days(run: Run) -> DataFrame:
    """The days to load, as a frame with the column `day`."""
    return run.spark.createDataFrame(pa.table({"day": pa.array(run.loads, pa.date32())}))


def _union(frames: list[DataFrame]) -> DataFrame:
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionByName(frame)
    return whole
