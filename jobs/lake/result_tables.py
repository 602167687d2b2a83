"""The table of a query's results: typed by the evaluator's Arrow schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.lake.definition import DAY, RUN, Column, Table

if TYPE_CHECKING:
    import pyarrow as pa

RESULT_COMMENTS = {
    "match_id": "Hash of the binding: names the match",
    "first_ts": "Time of the match's first event, in the log's unit",
    "last_ts": "Time of the match's last event, in the log's unit",
    "window_start": "First moment of the window, in the log's unit",
    "window_end": "First moment after the window, in the log's unit",
    "ts": "Time-point of the verdict, in the log's unit",
    "offset": "Index among the time-points of equal ts",
}

NUMBER_COMMENTS = {
    "_log10": "log10 of the absolute value of {0}; null at 0",
    "_sign": "Sign of {0}",
    "_exact": "{0} with all its digits",
}


def result_table(query: str, question: str, schema: pa.Schema) -> Table:
    """The table of a query's results: `day`, `run_id` and the evaluator's columns, typed by its Arrow schema."""
    names = set(schema.names)
    return Table(
        query,
        question,
        (DAY, RUN, *(Column(f.name, sql_type(f.type), _result_comment(f.name, names), f.nullable) for f in schema)),
    )


def _result_comment(name: str, names: set[str]) -> str:
    if name in RESULT_COMMENTS:
        return RESULT_COMMENTS[name]
    for suffix, comment in NUMBER_COMMENTS.items():
        if name.endswith(suffix) and name.removesuffix(suffix) in names:
            return comment.format(name.removesuffix(suffix))
    if "match_id" in names or "last_ts" in names:
        return f"{name}: the seq of the event bound to it, or an item of RETURN"
    return f"{name} of the RETURN clause"


def sql_type(arrow: pa.DataType) -> str:
    """The Spark SQL type of an Arrow type.

    >>> import pyarrow as pa
    >>> sql_type(pa.list_(pa.int64())), sql_type(pa.decimal128(38, 0)), sql_type(pa.float64())
    ('ARRAY<BIGINT>', 'DECIMAL(38,0)', 'DOUBLE')
    """
    import pyarrow.types as kinds

    if kinds.is_list(arrow) or kinds.is_large_list(arrow):
        return f"ARRAY<{sql_type(arrow.value_type)}>"
    if kinds.is_decimal(arrow):
        return f"DECIMAL({arrow.precision},{arrow.scale})"
    names = {
        kinds.is_int64: "BIGINT",
        kinds.is_int32: "INT",
        kinds.is_int16: "SMALLINT",
        kinds.is_int8: "TINYINT",
        kinds.is_float64: "DOUBLE",
        kinds.is_float32: "FLOAT",
        kinds.is_boolean: "BOOLEAN",
        kinds.is_string: "STRING",
        kinds.is_large_string: "STRING",
        kinds.is_date32: "DATE",
        kinds.is_timestamp: "TIMESTAMP",
        kinds.is_binary: "BINARY",
    }
    for fits, name in names.items():
        if fits(arrow):
            return name
    raise ValueError(f"no column of the lake can hold Arrow's {arrow}")
