"""Rows as Spark's readers give them: of places that are not on this machine, of other formats, and with options that
only Spark knows (`jobs/raw/source_files.py` says which sources are read strictly).

Spark splits text into lines. A line is parsed only if its bytes are UTF-8: a row that cannot be read is refused with
its raw text. A quoted line break is not supported; both halves are refused. Of other formats the raw text is the row as
JSON. Ids are those of Spark's partitions: a frame must be computed once, so that they stay.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from jobs.exits import WrongHeader
from jobs.raw.raw_frame import LEDGER, MOMENT, OWN_COLUMNS
from jobs.raw.reading.refused_rows import SHAPE, TYPE, UTF8
from jobs.raw.source_files import SourceFiles
from jobs.workload.sections.sources import Source

_MALFORMED = "_malformed"


def spark_rows(spark: SparkSession, source: Source, files: SourceFiles) -> DataFrame:
    """The source's raw frame (raw_frame.py). Raises WrongHeader if a format with a schema lacks declared columns."""
    read = _text_rows(spark, source, files) if source.text else _typed_rows(spark, source, files)
    typed = {
        name: sf.expr(f"try_cast(`{name}` AS {kind})") for name, kind in source.columns.items() if kind != "STRING"
    }
    wrong = [
        sf.when(sf.col(f"`{name}`").isNotNull() & value.isNull(), f"{name} is no {source.columns[name]}")
        for name, value in typed.items()
    ]
    type_reason = sf.coalesce(*wrong, sf.lit(None).cast("string"))
    by_name = {Path(path).name: day for path, day in files.days.items()}
    days = [item for file, day in by_name.items() for item in (sf.lit(file), sf.lit(day))]
    file_day = sf.create_map(*days)[sf.col("_file")] if days else sf.lit(None).cast("date")
    own = {
        "_id": sf.monotonically_increasing_id(),
        "_number": sf.lit(-1),
        "_day": file_day,
        "_rule": sf.coalesce("_rule", sf.when(type_reason.isNotNull(), TYPE)),
        "_reason": sf.coalesce("_reason", type_reason),
        "_hash": sf.xxhash64("_raw"),
        MOMENT: sf.lit(None).cast("bigint"),
        LEDGER: sf.lit(None).cast("string"),
    }
    rows = read.select(
        *[typed.get(name, sf.col(f"`{name}`")).alias(name) for name in source.columns],
        *[own.get(name, sf.col(name)).alias(name) for name in OWN_COLUMNS],
    )
    if files.row_days is None:
        return rows
    moment = sf.expr(files.row_days.moment_sql()).cast("bigint")
    return rows.withColumns({"_day": sf.expr(files.row_days.sql()), MOMENT: moment})


def _text_rows(spark: SparkSession, source: Source, files: SourceFiles) -> DataFrame:
    """Columns: one text for each declared column, `_raw`, `_file`, `_rule`, `_reason` (of the shape only)."""
    lines = spark.read.text(list(files.paths)).select(sf.col("value"), sf.col("_metadata.file_name").alias("_file"))
    if files.headers:
        lines = lines.where(~sf.col("value").isin(list(files.headers)))
    lines = lines.where(sf.length("value") > 0)
    valid = sf.is_valid_utf8("value")
    parsed = lines.select(
        "_file",
        sf.when(valid, sf.col("value")).otherwise(escaped(sf.col("value"))).alias("_raw"),
        valid.alias("_valid"),
        _parse(source, sf.when(valid, sf.col("value"))).alias("_fields"),
    )
    rule = sf.when(~sf.col("_valid"), UTF8).when(sf.col(f"_fields.{_MALFORMED}").isNotNull(), SHAPE)
    reason = sf.when(~sf.col("_valid"), "the row's bytes are not UTF-8").when(
        sf.col(f"_fields.{_MALFORMED}").isNotNull(), f"the row is not {source.format.upper()} with the declared columns"
    )
    fields = [_present(sf.col(f"_fields.`{name}`"), source.missing).alias(name) for name in source.columns]
    return parsed.select("_raw", "_file", rule.alias("_rule"), reason.alias("_reason"), *fields)


def _parse(source: Source, text: Column) -> Column:
    schema = ", ".join([*(f"`{name}` STRING" for name in source.columns), f"{_MALFORMED} STRING"])
    options = {
        "escape": '"',
        **source.resolved_options(),
        "mode": "PERMISSIVE",
        "columnNameOfCorruptRecord": _MALFORMED,
    }
    parse = sf.from_csv if source.format == "csv" else sf.from_json
    return parse(text, schema, options)


def _present(text: Column, missing: str) -> Column:
    present = sf.nullif(text, sf.lit(""))
    return sf.nullif(present, sf.lit(missing)) if missing else present


def _typed_rows(spark: SparkSession, source: Source, files: SourceFiles) -> DataFrame:
    """The same columns as `_text_rows`, but with the source's own types."""
    reader = spark.read.format(source.format).options(**source.resolved_options())
    table = reader.load(list(files.paths)) if len(files.paths) > 1 else reader.load(*files.paths)
    missing = [name for name in source.columns if name not in table.columns]
    if missing:
        raise WrongHeader(f"source '{source.name}' has no columns {missing}; it has {table.columns}")
    columns = [sf.col(f"`{name}`") for name in source.columns]
    has_files = source.format in ("parquet", "orc", "delta", "avro") and bool(files.paths)
    return table.select(
        sf.to_json(sf.struct(*columns)).alias("_raw"),
        (sf.col("_metadata.file_name") if has_files else sf.lit("")).alias("_file"),
        sf.lit(None).cast("string").alias("_rule"),
        sf.lit(None).cast("string").alias("_reason"),
        *columns,
    )


def escaped(text: Column) -> Column:
    """The bytes of a text that is not UTF-8: each byte beyond ASCII as a backslash escape, as Python writes them."""
    characters = sf.split(sf.decode(text.cast("binary"), "ISO-8859-1"), "")
    shown = sf.transform(
        characters,
        lambda c: sf.when(sf.ascii(c) >= 128, sf.concat(sf.lit("\\x"), sf.lower(sf.hex(sf.ascii(c))))).otherwise(c),
    )
    return sf.array_join(shown, "")
