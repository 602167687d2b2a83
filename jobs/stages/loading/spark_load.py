"""The load of a large run: Spark holds rows and events, and computes what `sql/load` says."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from jobs.lake.statements import statement
from jobs.raw.raw_frame import LEDGER
from jobs.raw.rows import judged, raw_frame, view_of
from jobs.raw.source_files import SourceFiles
from jobs.runs.run import Run
from jobs.stages.loading.candidates import candidate_events
from jobs.stages.loading.file_ledgers import ReadRows, check_ledgers, file_counts, ledgers_of
from jobs.workload.sections.sources import Source

OF_ROW = ("_id", "_number", "_file", "_day", "_raw")


class SparkLoad:
    """The rows and events of a run's days, as views: rows, events and fates are computed once.

    A local checkpoint, unlike a cache, also cuts the plan. With a cache, a query over a workload's nested views takes
    tens of seconds to plan. Raises as `HeldLoad` does.
    """

    def __init__(self, run: Run, files: dict[str, SourceFiles]) -> None:
        self._run = run
        spark = run.spark
        sources = list(run.workload.sources.values())
        self.rows: dict[str, ReadRows] = {}
        raw = []
        for rank, source in enumerate(sources):
            frame = raw_frame(spark, source, files[source.name]).localCheckpoint()
            rows = frame.where(sf.col(LEDGER).isNull())
            self.rows[source.name] = counted = _counted(frame)
            check_ledgers(source.name, counted, files[source.name])
            view_of(rows, source, rank).createOrReplaceTempView(source.name)
            raw.append(_raw_rows(run, rows, source, rank))
        _union(raw).createOrReplaceTempView("raw_rows")
        run_days(run).createOrReplaceTempView("run_days")
        spark.createDataFrame(file_counts(self.rows, files)).createOrReplaceTempView("file_counts")
        events = candidate_events(run).localCheckpoint()
        events.createOrReplaceTempView("candidate_events")
        events.where(sf.col("day").isin(*run.loads)).createOrReplaceTempView("events_of_run")
        fates = spark.sql(statement("load", "row_fates"), args={"start": run.workload.start})
        fates.localCheckpoint().createOrReplaceTempView("row_fates")

    def equation(self) -> pa.Table:
        """The equation of rows, for each day and file."""
        return self._run.spark.sql(
            statement("load", "source_files"), args={"start": self._run.workload.start}
        ).toArrow()

    def staged(self) -> DataFrame:
        """The rows of `_work/staged_events`."""
        spark, run_id = self._run.spark, self._run.run_id
        passed = spark.sql(statement("load", "staged_events"), args={"run_id": run_id})
        refused = spark.sql(statement("load", "refused_rows"), args={"run_id": run_id})
        return passed.unionByName(refused, allowMissingColumns=True)


def run_days(run: Run) -> DataFrame:
    """The days to load, as a frame with the column `day`."""
    return run.spark.createDataFrame(pa.table({"day": pa.array(run.loads, pa.date32())}))


def _counted(frame: DataFrame) -> ReadRows:
    texts = [row[0] for row in frame.where(sf.col(LEDGER).isNotNull()).select(LEDGER).collect()]
    counted = frame.where(sf.col(LEDGER).isNull()).groupBy("_number").count().collect()
    return ReadRows({row[0]: row[1] for row in counted}, ledgers_of(texts))


def _raw_rows(run: Run, rows: DataFrame, source: Source, rank: int) -> DataFrame:
    """Each row's name, file, text, and the rule that refuses it."""
    rules = [rule for rule in run.workload.expectations.rows if rule.source == source.name]
    columns = sf.struct(*[sf.col(f"`{name}`") for name in source.columns])
    with_rule = judged(rows, rules, [*OF_ROW, *source.columns])
    return with_rule.select(
        sf.lit(rank).alias("rank"),
        sf.col("_id").alias("id"),
        sf.lit(source.name).alias("source"),
        sf.col("_number").alias("number"),
        sf.col("_file").alias("file"),
        sf.col("_day").alias("day"),
        sf.coalesce("_raw", sf.to_json(columns)).alias("raw"),
        sf.col("_rule").alias("rule"),
        sf.col("_reason").alias("reason"),
    )


def _union(frames: list[DataFrame]) -> DataFrame:
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionByName(frame)
    return whole
