"""The load of a large run: Spark holds the rows, and computes what `sql/load` says.

Files that are read strictly are read three times: to count their rows, for events.sql, and for the texts of refused
rows. That costs less than keeping the rows. Events are computed once and then ordered once: partitions by ranges of the
order, so that no single task has a whole day. A local checkpoint, unlike a cache, also cuts the plan; with a cache, a
query over a workload's nested views takes tens of seconds to plan.
Cost: three passes of reading; a shuffle and a sort of the events, and another sort of them by row, for bitmaps.
"""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from jobs.lake.statements import statement
from jobs.raw.raw_frame import LEDGER
from jobs.raw.rows import raw_frame, raw_text, refusal, view_of
from jobs.raw.source_files import SourceFiles
from jobs.runs.run import Run
from jobs.stages.loading.candidates import candidate_events, no_row
from jobs.stages.loading.file_ledgers import ReadRows, check_ledgers, file_counts, ledgers_of
from jobs.workload.sections.sources import Source

IN_ORDER = ("day", "ts", "_row.rank", "_row.order", "_row.hash", "event_type")


class SparkLoad:
    """The rows and events of a run's days, as views. Raises as `HeldLoad` does."""

    def __init__(self, run: Run, files: dict[str, SourceFiles]) -> None:
        self._run = run
        spark = run.spark
        sources = list(run.workload.sources.values())
        self.rows: dict[str, ReadRows] = {}
        raw = []
        for rank, source in enumerate(sources):
            frame = _raw(run, source, files[source.name])
            rows = frame.where(sf.col(LEDGER).isNull())
            self.rows[source.name] = counted = _counted(frame)
            check_ledgers(source.name, counted, files[source.name])
            view_of(rows, source, rank).createOrReplaceTempView(source.name)
            raw.append(_raw_rows(run, rows, source, rank))
        _union(raw).createOrReplaceTempView("raw_rows")
        run_days(run).createOrReplaceTempView("run_days")
        strict = [(rank, of.name, bool(files[of.name].surveys)) for rank, of in enumerate(sources)]
        spark.createDataFrame(strict, "rank INT, source STRING, strict BOOLEAN").createOrReplaceTempView(
            "strict_sources"
        )
        spark.createDataFrame(file_counts(self.rows, files)).createOrReplaceTempView("file_counts")
        candidate_events(run).localCheckpoint().createOrReplaceTempView("candidate_events")
        self._compute("refused_rows")
        self._compute("refused_fates", start=run.workload.start)

    def equation(self) -> pa.Table:
        """The equation of rows, for each day and file. Raises WrongWorkload if an event has no row."""
        self._compute("row_days", start=self._run.workload.start)
        if not self._run.spark.table("row_days").where("rank IS NULL").isEmpty():
            raise no_row(self._run.workload)
        return self._run.spark.sql(statement("load", "source_files")).toArrow()

    def staged(self) -> DataFrame:
        """The rows of `_work/staged_events`."""
        spark, run_id = self._run.spark, self._run.run_id
        self._order()
        passed = spark.sql(statement("load", "staged_events"), args={"run_id": run_id})
        recorded = spark.sql(statement("load", "recorded_rows"), args={"run_id": run_id})
        return passed.unionByName(recorded, allowMissingColumns=True)

    def _compute(self, name: str, **args: object) -> None:
        """What a statement says, computed once, as a view of its name."""
        self._run.spark.sql(statement("load", name), args=args).localCheckpoint().createOrReplaceTempView(name)

    def _order(self) -> None:
        """The events that passed, in the log's order, and where each day begins in each partition."""
        spark = self._run.spark
        events = spark.table("candidate_events").where(sf.col("day").isin(*self._run.loads))
        refused = spark.table("refused_rows").select("rank", "id")
        if not refused.isEmpty():
            is_row = (sf.col("_row.rank") == refused["rank"]) & (sf.col("_row.id") == refused["id"])
            events = events.join(sf.broadcast(refused), is_row, "left_anti")
        ordered = events.repartitionByRange(*IN_ORDER).sortWithinPartitions(*IN_ORDER).localCheckpoint()
        partition = sf.spark_partition_id()
        place = sf.monotonically_increasing_id() - sf.shiftleft(partition.cast("bigint"), 33)
        ordered = ordered.withColumns({"partition": partition, "place": place})
        ordered.createOrReplaceTempView("ordered_events")
        counted = (
            ordered.groupBy("partition", "day")
            .count()
            .toArrow()
            .sort_by([("partition", "ascending"), ("day", "ascending")])
        )
        spark.createDataFrame(day_offsets(counted)).createOrReplaceTempView("day_offsets")


def day_offsets(counted: pa.Table) -> pa.Table:
    """What to take off an event's place in its partition to get its place in its day: `partition`, `day`, `before`.

    `counted`: partition, day, count, in order; events are ordered by day over all partitions.

    >>> counted = pa.table({"partition": [0, 0, 1, 1], "day": [1, 2, 2, 3], "count": [5, 2, 4, 1]})
    >>> day_offsets(counted)["before"].to_pylist()
    [0, 5, -2, 4]
    """
    before: list[int] = []
    in_partition: dict[int, int] = {}
    of_day: dict[object, int] = {}
    for row in counted.to_pylist():
        begun = in_partition.get(row["partition"], 0)
        before.append(begun - of_day.get(row["day"], 0))
        in_partition[row["partition"]] = begun + row["count"]
        of_day[row["day"]] = of_day.get(row["day"], 0) + row["count"]
    return counted.drop_columns(["count"]).append_column("before", pa.array(before, pa.int64()))


def run_days(run: Run) -> DataFrame:
    """The days to load, as a frame with the column `day`."""
    return run.spark.createDataFrame(pa.table({"day": pa.array(run.loads, pa.date32())}))


def _raw(run: Run, source: Source, files: SourceFiles) -> DataFrame:
    """The source's raw frame. What Spark's readers number is computed once, so that its numbers stay."""
    frame = raw_frame(run.spark, source, files)
    return frame if files.surveys else frame.localCheckpoint()


def _counted(frame: DataFrame) -> ReadRows:
    """The rows of each file and the ledgers, in one pass."""
    counted = frame.groupBy("_number", LEDGER).count().toArrow().to_pylist()
    rows = {row["_number"]: row["count"] for row in counted if row[LEDGER] is None}
    ledgers = [row[LEDGER] for row in counted if row[LEDGER] is not None for _ in range(row["count"])]
    return ReadRows(rows, ledgers_of(ledgers))  # ranges of a file may have equal ledgers


def _raw_rows(run: Run, rows: DataFrame, source: Source, rank: int) -> DataFrame:
    """Each row's name, file, text, and the rule that refuses it."""
    rule, reason = refusal(run.workload.expectations.of_source(source.name))
    return rows.select(
        sf.lit(rank).alias("rank"),
        sf.col("_id").alias("id"),
        sf.lit(source.name).alias("source"),
        sf.col("_number").alias("number"),
        sf.col("_file").alias("file"),
        sf.col("_day").alias("day"),
        raw_text(source).alias("raw"),
        sf.coalesce("_rule", rule).alias("rule"),
        sf.coalesce("_reason", reason).alias("reason"),
    )


def _union(frames: list[DataFrame]) -> DataFrame:
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionByName(frame)
    return whole
