"""The rows of a source: typed columns, and `_row`, which names the raw row.

Files on this machine are read strictly (`strict_frame.py`), all else by Spark's readers (`spark_readers.py`). Both give
a raw frame (`raw_frame.py`). What follows is the same: row rules are judged on the typed columns, and the view that
events.sql reads has the declared columns and `_row`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from jobs.raw.attempts import attempted, in_attempts
from jobs.raw.raw_frame import LEDGER, MOMENT, ddl_of
from jobs.raw.row_days import RowDays, SeenRows
from jobs.raw.source_files import SourceFiles
from jobs.raw.spark_readers import spark_rows
from jobs.workload.sections.expectations import RowRule
from jobs.workload.sections.sources import Source

ROW = "_row"
ORDER_VALUE = "STRUCT<number: BIGINT, real: DOUBLE, text: STRING>"
ROW_TYPE = f"STRUCT<rank: INT, id: BIGINT, order: ARRAY<{ORDER_VALUE}>, hash: BIGINT, day: DATE>"
"""What `_row` is: `rank`, the source's place in the workload; `id`, unique in the source; `order`, the values of the
source's order columns, and `hash`, both null if this process orders the events (`jobs/stages/loading/log_order.py`);
`day`, the day that its time or its file tells."""


def rows_of(spark: SparkSession, source: Source, rank: int, files: SourceFiles) -> DataFrame:
    """The view of a source. Raises WrongHeader if a format with a schema lacks declared columns."""
    rows = raw_frame(spark, source, files).where(sf.col(LEDGER).isNull())
    return view_of(seen(rows, files), source, rank)


def seen(rows: DataFrame, files: SourceFiles) -> DataFrame:
    """The rows of a raw frame that the run sees."""
    if files.row_days is None:
        return rows
    return rows.where(sf.col("_day").isNull() | sf.unix_date("_day").isin(list(files.row_days.wanted)))


def seen_by_days(rows: DataFrame, time: RowDays) -> SeenRows:
    """Rows counted by their days; of those that the run does not see, as if each day had one moment, its last."""
    counted = rows.groupBy("_day").agg(sf.count("*").alias("rows"), sf.max(MOMENT).alias("last"))
    whole = SeenRows(time.slack)
    for row in counted.toArrow().to_pylist():
        day, last = pa.array([row["_day"]], pa.date32()), pa.array([row["last"]], pa.int64())
        of_day = time.counted(pa.record_batch({"_day": day, MOMENT: last}))
        near = dict.fromkeys(of_day.near, row["rows"])
        far = replace(of_day.far, rows=of_day.far.rows * row["rows"], missed=of_day.far.missed * row["rows"])
        whole += SeenRows(time.slack, near, far)
    return whole


def raw_frame(spark: SparkSession, source: Source, files: SourceFiles) -> DataFrame:
    """The source's raw frame, with the ledgers of its files."""
    if files.surveys:
        from jobs.raw.strict_frame import strict_rows  # compiled kernels: only if there is something to read

        return strict_rows(spark, source, files)
    if source.path and not files.paths:
        return spark.createDataFrame([], ddl_of(source.columns))
    return spark_rows(spark, source, files)


def raw_table(spark: SparkSession, source: Source, files: SourceFiles) -> pa.Table:
    """The same in this process. Of files that are read strictly Spark is not asked."""
    if files.surveys:
        from jobs.raw.strict_frame import strict_table

        return strict_table(source, files)
    return raw_frame(spark, source, files).toArrow()


def refusal(rules: Sequence[RowRule]) -> tuple[Column, Column]:
    """`_rule` and `_reason` of the first rule that refuses a row, or fails on its values; null: none does.

    To be computed `in_attempts`.
    """
    names, reasons = [sf.lit(None).cast("string")], [sf.lit(None).cast("string")]
    for rule in reversed(rules):
        broken = attempted(sf.expr(f"({rule.holds}) IS FALSE"))
        fails = f"{rule.reason} (the rule fails on the row's values)"
        names.insert(0, sf.when(broken.isNull() | broken["value"], rule.name))
        reasons.insert(0, sf.when(broken.isNull(), fails).when(broken["value"], rule.reason))
    return sf.coalesce(*names).alias("_rule"), sf.coalesce(*reasons).alias("_reason")


def broken_rules(view: DataFrame, rules: Sequence[RowRule]) -> pa.Table:
    """`id`, `_rule` and `_reason` of the rows of a source's view that a rule refuses."""
    with in_attempts(view.sparkSession):
        return view.select(f"{ROW}.id", *refusal(rules)).where("_rule IS NOT NULL").toArrow()


def raw_text(source: Source) -> Column:
    """The text of a row of a raw frame; of a row that has none, the row as JSON."""
    columns = [sf.col(f"`{name}`") for name in source.columns]
    return sf.coalesce("_raw", sf.to_json(sf.struct(*columns))).alias("_raw")


def view_of(raw: DataFrame, source: Source, rank: int) -> DataFrame:
    """What events.sql reads of a raw frame: the declared columns, and `_row` with all that orders the events."""
    values = [order_value(name, source.columns[name]) for name in source.order]
    order = sf.array(*values) if values else sf.lit(None).cast(f"ARRAY<{ORDER_VALUE}>")
    row = sf.struct(
        sf.lit(rank).alias("rank"),
        sf.col("_id").alias("id"),
        order.alias("order"),
        sf.col("_hash").alias("hash"),
        sf.col("_day").alias("day"),
    )
    return raw.select(*[sf.col(f"`{name}`") for name in source.columns], row.alias(ROW))


def order_value(name: str, kind: str) -> Column:
    """A column's value as a struct that sorts as the column does, whatever its type; null first."""
    column = sf.col(f"`{name}`")
    numbers: Mapping[str, Column] = {
        "BIGINT": column,
        "BOOLEAN": column.cast("bigint"),
        "DATE": sf.unix_date(column).cast("bigint"),
        "TIMESTAMP": sf.unix_micros(column),
    }
    number = numbers.get(kind, sf.lit(None).cast("bigint"))
    real = column if kind == "DOUBLE" else sf.lit(None).cast("double")
    text = column if kind == "STRING" else sf.lit(None).cast("string")
    return sf.struct(number.alias("number"), real.alias("real"), text.alias("text"))


def held_view(raw: pa.Table, source: Source, rank: int) -> pa.Table:
    """`view_of` of rows that this process holds and orders itself."""
    rows = raw.num_rows
    value = pa.struct([("number", pa.int64()), ("real", pa.float64()), ("text", pa.string())])
    parts = {
        "rank": pa.repeat(pa.scalar(rank, pa.int32()), rows),
        "id": raw["_id"].combine_chunks(),
        "order": pa.nulls(rows, pa.list_(value)),
        "hash": pa.nulls(rows, pa.int64()),
        "day": raw["_day"].combine_chunks(),
    }
    row = pa.StructArray.from_arrays(list(parts.values()), names=list(parts))
    return raw.select(list(source.columns)).append_column(ROW, row)
