"""The tables of a query's results: typed by the evaluator's Arrow schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from jobs.lake.definition import DAY, RUN, Column, Table
from jobs.lake.moments.columns import FILLED, NAMES, moment_columns

if TYPE_CHECKING:
    import pyarrow as pa

    from cep_core.language.evaluator import ResultTable

RESULT_COMMENTS = {
    "match_id": "Hash of the binding: names the match, in each window that it lies in",
    "confidence": "How likely the match is, since times are imprecise: from 0 to 1",
    "last_seq": "seq of the last event of the matches that the row stands for",
    "match_count": "How many matches the row stands for; null beyond 38 digits or if only a listing could count",
    "first_ts": "Time of the match's first event, in the log's unit",
    "last_ts": "Time of the match's last event, in the log's unit",
    "window_start": "First moment of the window, in the log's unit",
    "window_end": "First moment after the window, in the log's unit",
    "ts": "Time-point of the verdict, in the log's unit",
    "offset": "Index among the time-points of equal ts",
}

CAUSE_COMMENTS = {
    "ts": "Time-point of the violation, in the log's unit",
    "offset": "Index of the violation's time-point among those of equal ts",
    "node": "Number of the claim in its proof: the top one is 0",
    "parent": "The claim that this one helps to prove; null for the top one",
    "leaf": "event, absence (of one), test (of values); untold: its proof is too large; null: it follows from others",
    "claim": "What is claimed, with values in the place of variables",
    "at_ts": "Time-point of the claim, in the log's unit",
    "at_offset": "Index of the claim's time-point among those of equal ts",
    "holds": "Whether the claim is that it holds, or that it does not",
    "seq": "seq of the event that makes the claim true; null: no single event does",
    "valuation": "JSON: the values of variables; null: any other value than those of the claims beside it",
    "same_for": "Of the points of the episode that were compared, how many have this explanation",
    "compared": "How many points of the episode were compared, the first ones",
}
"""Of the claims in proofs."""

TRUTH_COMMENTS = {
    "node": "Number of the subformula in the order of the text: the whole formula is 0",
    "parent": "The subformula that this one is an operand of; null for the whole formula",
    "formula": "The subformula",
    "points_true": "At how many of the points it is true",
    "points": "Time-points with an event that the policy reads, about which it was certain on the day",
}
"""Of the subformulas of propositional policies."""

EPISODE_COMMENTS = {
    "first_ts": "Time of the first time-point, in the log's unit",
    "first_offset": "Index of the first time-point among those of equal ts",
    "last_ts": "Time of the last time-point, in the log's unit",
    "last_offset": "Index of the last time-point among those of equal ts",
    "points": "Number of time-points",
    "touches_begin": "Whether the first time-point is the first of the day",
    "touches_end": "Whether the last time-point is the last of the day",
    "share": "Of the time-points of its sub-log about which it was certain on the day, the part in the episode",
}
"""Of runs of time-points."""

JUDGED_COMMENTS = {"is_cut": "Whether the day has more values than are listed"}
"""Of the values that a policy judges on a day."""

NUMBER_COMMENTS = {
    "_log10": "log10 of the absolute value of {0}; null at 0",
    "_sign": "Sign of {0}",
    "_exact": "{0} with all its digits",
}


_WINDOW = ("window_start", "window_end")
"""The times of an aggregation. Its other columns are what RETURN and GROUP-BY name, whatever that is called."""

_TIMES_BESIDE = {"_compact": tuple(NAMES), "_episodes": ("first_ts", "last_ts"), "_why": ("ts",)}
"""The times of tables beside a result, by their suffix. What else they have is called as a policy names it."""

VARIABLES = "trendmill.variables"
"""Table property: the columns that hold a match's events by `seq`, in pattern order, separated by commas."""


VALUES = "trendmill.values"
"""Table property: the columns that tell whose an episode is, separated by commas."""


KEYS = "trendmill.keys"
"""Table property: the columns on which it depends whether a policy judges, separated by commas."""


def result_table(query: str, question: str, schema: pa.Schema, variables: Sequence[str] = (), *, unit: str) -> Table:
    """The table of a query's results: `day`, `run_id` and the evaluator's columns, typed by its Arrow schema.

    `variables`: the columns of a listing of matches that hold events; each row then has a `match_id`. `unit`: the
    log's, of the times, beside which stand TIMESTAMP columns.
    """
    named = (Column("match_id", "STRING", RESULT_COMMENTS["match_id"], nullable=False),) if variables else ()
    properties = {VARIABLES: ",".join(variables)} if variables else {}
    windowed = not variables and _WINDOW[0] in schema.names
    times = _times(schema, NAMES if variables else _WINDOW if windowed else ("ts",))
    columns = (DAY, RUN, *named, *_columns(schema, variables), *moment_columns(times, schema.names, unit))
    return Table(query, question, columns, properties={**properties, FILLED: "all"} if times else properties)


def table_beside(query: str, table: ResultTable, *, unit: str) -> Table:
    """A further table of a query, named after its result: `<query>_compact`."""
    times = _times(table.schema, _TIMES_BESIDE.get(table.suffix, ()))
    columns = (*_columns(table.schema, table.variables), *moment_columns(times, table.schema.names, unit))
    values = [name for name in table.schema.names if name not in EPISODE_COMMENTS]
    properties = {VALUES: ",".join(values)} if "touches_begin" in table.schema.names else {}
    if "is_cut" in table.schema.names:
        properties = {KEYS: ",".join(name for name in table.schema.names if name != "is_cut")}
    comment = table.comment.format(query=query)
    properties |= {FILLED: "all"} if times else {}
    return Table(query + table.suffix, comment, (DAY, RUN, *columns), properties=properties)


def _times(schema: pa.Schema, names: Iterable[str]) -> list[str]:
    """Those of the names that are columns of whole numbers."""
    import pyarrow.types as kinds

    return [name for name in names if name in schema.names and kinds.is_int64(schema.field(name).type)]


def _columns(schema: pa.Schema, variables: Sequence[str]) -> Iterator[Column]:
    for field in schema:
        yield Column(field.name, sql_type(field.type), _comment(field, set(schema.names), variables), field.nullable)


def _comment(field: pa.Field, names: set[str], variables: Sequence[str]) -> str:
    name = field.name
    if "claim" in names:
        return CAUSE_COMMENTS.get(name, f"Value of {name}")
    if "points_true" in names:
        return TRUTH_COMMENTS[name]
    if "touches_begin" in names:
        return EPISODE_COMMENTS.get(name, f"Value of {name}")
    if "is_cut" in names:
        return JUDGED_COMMENTS.get(name, f"Value of {name}")
    if name in variables:
        return f"seq of the {'events' if sql_type(field.type).startswith('ARRAY') else 'event'} bound to {name}"
    if name in RESULT_COMMENTS:
        return RESULT_COMMENTS[name]
    for suffix, comment in NUMBER_COMMENTS.items():
        if name.endswith(suffix) and name.removesuffix(suffix) in names:
            return comment.format(name.removesuffix(suffix))
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
