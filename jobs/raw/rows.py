"""The rows of a source: typed columns, and `_row` with the raw row's name and text, and the reason if it is refused.

Spark splits text into lines. A line is parsed only if its bytes are UTF-8, so no row is lost or guessed: a row that
cannot be read is refused with its raw text. A quoted line break is not supported; both halves are refused. Spark reads
every other format, and the raw text is then the row as JSON.

`_row` is a struct: source, rank (the source's place in the workload), id (unique in the frame; frames are cached, so
that it stays), file, raw, rule, reason, order (sortable texts: the order columns, then a hash of the raw text).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from jobs.exits import WrongHeader
from jobs.raw.source_files import SourceFiles
from jobs.workload.sections.expectations import RowRule
from jobs.workload.sections.sources import Source

UTF8, SHAPE, TYPE = "utf8", "shape", "type"
"""Rules of every source: bytes are UTF-8, fields are those of the header, values have the declared type."""

_MALFORMED = "_malformed"


def rows_of(spark: SparkSession, source: Source, rank: int, files: SourceFiles, rules: Sequence[RowRule]) -> DataFrame:
    """The source's rows. Raises WrongHeader if a format with a schema lacks declared columns."""
    raw = _text_rows(spark, source, files) if source.text else _typed_rows(spark, source, files)
    return _judged(raw, source, rank, rules)


def _text_rows(spark: SparkSession, source: Source, files: SourceFiles) -> DataFrame:
    """Columns: one text for each declared column, `_raw`, `_file`, `_rule`, `_reason` (of the shape only)."""
    lines = spark.read.text(list(files.paths)) if files.paths else spark.createDataFrame([], "value STRING")
    file = sf.col("_metadata.file_name") if files.paths else sf.lit("")
    lines = lines.select(sf.col("value"), file.alias("_file"))
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
    if source.path and not files.paths:
        empty = ", ".join(f"`{name}` {kind}" for name, kind in source.columns.items())
        table = spark.createDataFrame([], empty)
    else:
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


def _judged(raw: DataFrame, source: Source, rank: int, rules: Sequence[RowRule]) -> DataFrame:
    typed = {
        name: sf.expr(f"try_cast(`{name}` AS {kind})") for name, kind in source.columns.items() if kind != "STRING"
    }
    wrong = [
        sf.when(sf.col(f"`{name}`").isNotNull() & value.isNull(), f"{name} is no {source.columns[name]}")
        for name, value in typed.items()
    ]
    type_reason = sf.coalesce(*wrong, sf.lit(None).cast("string"))
    cast = raw.select(
        "_raw",
        "_file",
        sf.coalesce("_rule", sf.when(type_reason.isNotNull(), TYPE)).alias("_rule"),
        sf.coalesce("_reason", type_reason).alias("_reason"),
        *[typed.get(name, sf.col(f"`{name}`")).alias(name) for name in source.columns],
    )
    broken = [sf.expr(f"({rule.holds}) IS FALSE") for rule in rules]
    rule = sf.coalesce("_rule", *[sf.when(fails, rule.name) for fails, rule in zip(broken, rules, strict=True)])
    reason = sf.coalesce("_reason", *[sf.when(fails, rule.reason) for fails, rule in zip(broken, rules, strict=True)])
    order = [sortable(name, source.columns[name]) for name in source.order]
    row = sf.struct(
        sf.lit(source.name).alias("source"),
        sf.lit(rank).alias("rank"),
        sf.monotonically_increasing_id().alias("id"),
        sf.col("_file").alias("file"),
        sf.col("_raw").alias("raw"),
        rule.alias("rule"),
        reason.alias("reason"),
        sf.array(*order, _sortable_number(sf.xxhash64("_raw"))).alias("order"),
    )
    return cast.select(*[sf.col(f"`{name}`") for name in source.columns], row.alias("_row"))


def escaped(text: Column) -> Column:
    """The bytes of a text that is not UTF-8: each byte beyond ASCII as a backslash escape, as Python writes them."""
    characters = sf.split(sf.decode(text.cast("binary"), "ISO-8859-1"), "")
    shown = sf.transform(
        characters,
        lambda c: sf.when(sf.ascii(c) >= 128, sf.concat(sf.lit("\\x"), sf.lower(sf.hex(sf.ascii(c))))).otherwise(c),
    )
    return sf.array_join(shown, "")


def sortable(name: str, kind: str) -> Column:
    """A column as text that sorts as the column does; null first."""
    column = sf.col(f"`{name}`")
    numbers = {"BIGINT": column, "DATE": sf.unix_date(column), "TIMESTAMP": sf.unix_micros(column)}
    text = _sortable_number(numbers[kind].cast("bigint")) if kind in numbers else column.cast("string")
    return sf.coalesce(text, sf.lit(""))


def _sortable_number(number: Column) -> Column:
    """16 hex digits: with the sign bit flipped, two's complement sorts as unsigned."""
    return sf.lpad(sf.hex(number.bitwiseXOR(sf.lit(-(1 << 63)).cast("bigint"))), 16, "0")
