"""The rows of a source: typed columns, and `_row` with the raw row's name and text, and the reason if it is refused.

Files on this machine are read strictly (`strict_frame.py`), all else by Spark's readers (`spark_readers.py`). What
follows is the same: row rules are judged on the typed columns, and a row gets what orders it.

`_row` is a struct: source, rank (the source's place in the workload), id (unique in the source), number (of the file;
-1: Spark read it), file, day (of the file, if its path names one), raw (null: the row as JSON), rule, reason, order
(sortable texts: the order columns, then the row's hash).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from jobs.raw.raw_frame import LEDGER, ddl_of
from jobs.raw.source_files import SourceFiles
from jobs.raw.spark_readers import spark_rows
from jobs.workload.sections.expectations import RowRule
from jobs.workload.sections.sources import Source


def rows_of(spark: SparkSession, source: Source, rank: int, files: SourceFiles, rules: Sequence[RowRule]) -> DataFrame:
    """The source's rows. Raises WrongHeader if a format with a schema lacks declared columns."""
    return judged_rows(spark, source, rank, files, rules).where(sf.col(LEDGER).isNull()).drop(LEDGER)


def judged_rows(
    spark: SparkSession, source: Source, rank: int, files: SourceFiles, rules: Sequence[RowRule]
) -> DataFrame:
    """The source's rows, and with `_ledger` the ledgers of the ranges of its files (`strict_frame.ledgers_in`)."""
    broken = [sf.expr(f"({rule.holds}) IS FALSE") for rule in rules]
    rule = sf.coalesce("_rule", *[sf.when(fails, rule.name) for fails, rule in zip(broken, rules, strict=True)])
    reason = sf.coalesce("_reason", *[sf.when(fails, rule.reason) for fails, rule in zip(broken, rules, strict=True)])
    order = [sortable(name, source.columns[name]) for name in source.order]
    row = sf.struct(
        sf.lit(source.name).alias("source"),
        sf.lit(rank).alias("rank"),
        sf.col("_id").alias("id"),
        sf.col("_number").alias("number"),
        sf.col("_file").alias("file"),
        sf.col("_day").alias("day"),
        sf.col("_raw").alias("raw"),
        rule.alias("rule"),
        reason.alias("reason"),
        sf.array(*order, _sortable_number(sf.col("_hash"))).alias("order"),
    )
    columns = [sf.col(f"`{name}`") for name in source.columns]
    return _read(spark, source, files).select(*columns, row.alias("_row"), LEDGER)


def _read(spark: SparkSession, source: Source, files: SourceFiles) -> DataFrame:
    """The source's raw frame (raw_frame.py)."""
    if files.surveys:
        from jobs.raw.strict_frame import strict_rows  # compiled kernels: only if there is something to read

        return strict_rows(spark, source, files)
    if source.path and not files.paths:
        return spark.createDataFrame([], ddl_of(source.columns))
    return spark_rows(spark, source, files)


def sortable(name: str, kind: str) -> Column:
    """A column as text that sorts as the column does; null first."""
    column = sf.col(f"`{name}`")
    numbers = {"BIGINT": column, "DATE": sf.unix_date(column), "TIMESTAMP": sf.unix_micros(column)}
    text = _sortable_number(numbers[kind].cast("bigint")) if kind in numbers else column.cast("string")
    return sf.coalesce(text, sf.lit(""))


def _sortable_number(number: Column) -> Column:
    """16 hex digits: with the sign bit flipped, two's complement sorts as unsigned."""
    return sf.lpad(sf.hex(number.bitwiseXOR(sf.lit(-(1 << 63)).cast("bigint"))), 16, "0")
