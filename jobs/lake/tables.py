"""What every table of the lake is: columns with comments, NOT NULL and CHECK constraints, partitioning.

A table is partitioned by what a run rewrites. The lake of a workload holds, under `lake/<workload>/`, the tables below
and one result table for each query, typed by the query; those under `_work/` are nobody's contract. Statements are
generated from these definitions (jobs/lake/creating.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from cep_core.events.schema import AttributeType, LogSchema

if TYPE_CHECKING:
    import pyarrow as pa

    from jobs.workload.declaration import Workload


@dataclass(frozen=True)
class Column:
    """A column: name, Spark SQL type, what it means."""

    name: str
    type: str
    comment: str
    nullable: bool = True


@dataclass(frozen=True)
class Table:
    """A table's definition. `checks`: constraint name -> SQL predicate that no row may make false."""

    name: str
    comment: str
    columns: tuple[Column, ...]
    partitioned_by: tuple[str, ...] = ("day",)
    checks: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", MappingProxyType(dict(self.checks)))

    @property
    def working(self) -> bool:
        return self.name.startswith("work_")

    @property
    def folder(self) -> str:
        """The table's folder below the workload's.

        >>> Table("work_slices", "", ()).folder, Table("events", "", ()).folder
        ('_work/slices', 'events')
        """
        return f"_work/{self.name.removeprefix('work_')}" if self.working else self.name


SQL_TYPES = {
    AttributeType.INT: "BIGINT",
    AttributeType.FLOAT: "DOUBLE",
    AttributeType.STRING: "STRING",
    AttributeType.BOOL: "BOOLEAN",
}

DAY = Column("day", "DATE", "Operating day", nullable=False)
RUN = Column("run_id", "STRING", "The run that wrote the row", nullable=False)


def identifier(workload: str, table: str) -> str:
    """A table's name in Spark SQL.

    >>> identifier("nyc_flights", "events")
    '`nyc_flights`.`events`'
    """
    return f"`{workload}`.`{table}`"


def quoted(text: str) -> str:
    r"""A SQL string literal, for the few places of the grammar that take no parameter (locations, comments).

    >>> print(quoted("it's C:\\lake"))
    'it\'s C:\\lake'
    """
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def lake_tables(workload: Workload) -> tuple[Table, ...]:
    """Every table of a workload but its queries' results."""
    return (
        staged_events(workload.schema),
        SOURCE_ROWS,
        LOADED_DAYS,
        events(workload.schema, workload.day_of_ts),
        QUARANTINE,
        STREAM_STATISTICS,
        HEAVY_HITTERS,
        SLICING_PLANS,
        slices(workload.schema),
        RESULT_DAYS,
        SLICE_RUNS,
        EXPERIMENTS,
        RUNS,
    )


def table_of(workload: Workload, name: str) -> Table:
    """The definition of one table by its name in Spark SQL; KeyError when there is none."""
    return {table.name: table for table in lake_tables(workload)}[name]


def attribute_columns(schema: LogSchema) -> tuple[Column, ...]:
    """One column for each attribute name of the log, in order of first mention; null where a type lacks it."""
    carriers: dict[str, list[str]] = {}
    types: dict[str, AttributeType] = {}
    for event_type, attributes in schema.types.items():
        for attribute in attributes.values():
            carriers.setdefault(attribute.name, []).append(event_type)
            types[attribute.name] = attribute.type
    return tuple(Column(name, SQL_TYPES[types[name]], f"Attribute of {', '.join(carriers[name])}") for name in carriers)


def events(schema: LogSchema, day_of_ts: str) -> Table:
    """`events`; `day_of_ts` is the SQL expression that gives the operating day of a `ts`."""
    names = ", ".join(quoted(name) for name in schema.types)
    return Table(
        "events",
        "One row is an event that passed the quality gate; files are sorted by (ts, seq)",
        (
            DAY,
            RUN,
            Column("event_type", "STRING", "What happened", nullable=False),
            Column("ts", "BIGINT", f"When, in {schema.unit} since 1970-01-01T00:00Z", nullable=False),
            Column(
                "seq", "BIGINT", "Names the event and orders ties; the same input gives the same seq", nullable=False
            ),
            *attribute_columns(schema),
        ),
        checks={"declared_type": f"event_type IN ({names})", "inside_its_day": f"day = {day_of_ts}"},
    )


def staged_events(schema: LogSchema) -> Table:
    """`_work/staged_events`: what the gate judges."""
    return Table(
        "work_staged_events",
        "One row is an event before the gate, or a refused raw row; replaced by the next load of its day",
        (
            DAY,
            RUN,
            Column("event_type", "STRING", "What happened; null: the row gave no event"),
            Column("ts", "BIGINT", f"When, in {schema.unit}; null: unreadable"),
            Column("seq", "BIGINT", "As in events; null: refused"),
            *attribute_columns(schema),
            Column("_source", "STRING", "Source of the raw row", nullable=False),
            Column("_file", "STRING", "File of the raw row", nullable=False),
            Column("_raw", "STRING", "The raw row, undecodable bytes as backslash escapes", nullable=False),
            Column("_rule", "STRING", "Row rule that refused it; null: passed"),
            Column("_reason", "STRING", "Why the rule exists"),
            Column("_undated", "BOOLEAN", "Refused without a readable ts or a day of its file", nullable=False),
        ),
        checks={"passed_or_refused": "(_rule IS NULL) = (seq IS NOT NULL)"},
    )


SOURCE_ROWS = Table(
    "work_source_rows",
    "The equation of rows: read = gave_event + refused + other_days + without_event",
    (
        DAY,
        RUN,
        Column("source", "STRING", "Source, as declared", nullable=False),
        Column("files", "INT", "Files read", nullable=False),
        Column("read", "BIGINT", "Raw rows read", nullable=False),
        Column("gave_event", "BIGINT", "Rows that gave an event on this day", nullable=False),
        Column("refused", "BIGINT", "Rows refused and recorded on this day", nullable=False),
        Column("other_days", "BIGINT", "Rows whose events, or whose refusal, belong to other days", nullable=False),
        Column("without_event", "BIGINT", "Rows that events.sql passed over", nullable=False),
    ),
    checks={"counts": "least(files, read, gave_event, refused, other_days, without_event) >= 0"},
)

LOADED_DAYS = Table(
    "work_loaded_days",
    "One row is an operating day that was loaded: what results that read it depend on",
    (
        DAY,
        RUN,
        Column("digest", "STRING", "Digest of the day's published events; null: none were ever published"),
        Column(
            "refused", "BOOLEAN", "The last load failed its gate; events are those of the load before", nullable=False
        ),
        Column("reason", "STRING", "The gate's first reason; null: passed"),
        Column("events", "BIGINT", "Published events", nullable=False),
        Column("points", "BIGINT", "Distinct ts among them", nullable=False),
        Column("checks", "STRING", "JSON: each gate rule's outcome, fatal ones and warnings", nullable=False),
    ),
    checks={"counts": "events >= points AND points >= 0"},
)

QUARANTINE = Table(
    "quarantine",
    "One row is a raw row that a row rule refused; it gave no event on any day",
    (
        DAY,
        RUN,
        Column("source", "STRING", "Source, as declared", nullable=False),
        Column("file", "STRING", "File of the row", nullable=False),
        Column("raw", "STRING", "The raw row, undecodable bytes as backslash escapes", nullable=False),
        Column("rule", "STRING", "The first rule, in declared order, that was false", nullable=False),
        Column("reason", "STRING", "Why the rule exists", nullable=False),
        Column(
            "undated",
            "BOOLEAN",
            "Neither a readable ts nor a file of a day: recorded on the log's first day",
            nullable=False,
        ),
    ),
)

STREAM_STATISTICS = Table(
    "stream_statistics",
    "One row is an event type in a period of a day",
    (
        DAY,
        RUN,
        Column("event_type", "STRING", "Event type", nullable=False),
        Column("period_start", "BIGINT", "First moment of the period, in the log's unit", nullable=False),
        Column("events", "BIGINT", "Events of the type in the period", nullable=False),
        Column("rate", "DOUBLE", "Events per unit of log time", nullable=False),
        Column("distinct_values", "STRING", "JSON: slicing attribute -> number of distinct values", nullable=False),
    ),
    checks={"counts": "events >= 0 AND rate >= 0"},
)

HEAVY_HITTERS = Table(
    "heavy_hitters",
    "One row is a value that an attribute of an event type takes too often to be split by hashing alone",
    (
        DAY,
        RUN,
        Column("event_type", "STRING", "Event type", nullable=False),
        Column("attribute", "STRING", "Attribute", nullable=False),
        Column("value", "STRING", "The heavy value, as text", nullable=False),
        Column("frequency", "BIGINT", "Events of the type with the value", nullable=False),
        Column("threshold", "DOUBLE", "Heavy means strictly above this frequency", nullable=False),
        Column("error_bound", "BIGINT", "By how much frequency may be too high; 0: exact", nullable=False),
    ),
    checks={"heavy": "frequency > threshold AND error_bound >= 0"},
)

SLICING_PLANS = Table(
    "slicing_plans",
    "One row is a plan by which a run slices the events of some queries",
    (
        DAY,
        RUN,
        Column("plan_id", "STRING", "Names the plan", nullable=False),
        Column("queries", "ARRAY<STRING>", "Queries that share the plan", nullable=False),
        Column("first_day", "DATE", "First operating day that the plan evaluates", nullable=False),
        Column("last_day", "DATE", "Last operating day that the plan evaluates", nullable=False),
        Column("variables", "ARRAY<STRING>", "Slicing variables", nullable=False),
        Column("slices", "INT", "Number of slices", nullable=False),
        Column("time_ranges", "INT", "Ranges of log time, one more dimension", nullable=False),
        Column("shares", "STRING", "JSON: shares of each variable per heavy set", nullable=False),
        Column("seeds", "STRING", "JSON: hash seeds", nullable=False),
        Column("heavy_values", "STRING", "JSON: heavy values of each variable", nullable=False),
        Column("bound", "DOUBLE", "Upper bound on the expected maximum load (paper 01's cost)"),
        Column("predicted_load", "DOUBLE", "Predicted maximum load; unsliced = 1"),
        Column("predicted_replication", "DOUBLE", "Predicted slices per event"),
        Column("lower_bound", "DOUBLE", "Maximum load of the best real-valued shares"),
        Column("plan", "STRING", "JSON: the whole plan", nullable=False),
    ),
    checks={"counts": "slices >= 1 AND time_ranges >= 1 AND first_day <= last_day"},
)


def slices(schema: LogSchema) -> Table:
    """`_work/slices`."""
    return Table(
        "work_slices",
        "One row is an event in a slice of a plan; one file a slice, sorted by (ts, seq)",
        (
            DAY,
            RUN,
            Column("plan_id", "STRING", "Plan", nullable=False),
            Column("slice", "INT", "Slice, from 0", nullable=False),
            Column("event_type", "STRING", "Event type", nullable=False),
            Column("ts", "BIGINT", "As in events", nullable=False),
            Column("seq", "BIGINT", "As in events", nullable=False),
            Column("pos", "BIGINT", "Rank among all events read, before any filter", nullable=False),
            *attribute_columns(schema),
        ),
        partitioned_by=("plan_id", "slice"),
        checks={"counts": "slice >= 0 AND pos >= 0"},
    )


RESULT_DAYS = Table(
    "result_days",
    "One row is a query evaluated for a day, and what the result was computed from",
    (
        DAY,
        RUN,
        Column("query", "STRING", "Query, which names its table", nullable=False),
        Column("definition", "STRING", "Hash of query text, schema, events.sql and engine version", nullable=False),
        Column("inputs", "STRING", "JSON: operating day read -> version of its events", nullable=False),
        Column("rows", "BIGINT", "Rows in the result table", nullable=False),
        Column("matches_total", "STRING", "Exact number of matches, all digits; null: not known, or no matching query"),
        Column("matches_at_least", "STRING", "A lower bound of it, all digits"),
        Column("truncated", "BOOLEAN", "The listing was cut at max_matches", nullable=False),
        Column("complete", "BOOLEAN", "No day that it reaches is missing or refused", nullable=False),
    ),
    checks={"counts": "rows >= 0"},
)

SLICE_RUNS = Table(
    "slice_runs",
    "One row is a slice that a worker evaluated for a query",
    (
        DAY,
        RUN,
        Column("query", "STRING", "Query", nullable=False),
        Column("plan_id", "STRING", "Plan", nullable=False),
        Column("slice", "INT", "Slice", nullable=False),
        Column("events", "BIGINT", "Events read", nullable=False),
        Column("rows", "BIGINT", "Partial rows given", nullable=False),
        Column("seconds", "DOUBLE", "Wall seconds of the evaluation", nullable=False),
        Column("peak_memory", "BIGINT", "Peak resident bytes of the worker", nullable=False),
    ),
    checks={"counts": "slice >= 0 AND events >= 0 AND rows >= 0 AND seconds >= 0"},
)

EXPERIMENTS = Table(
    "experiments",
    "One row is a measurement",
    (
        DAY,
        RUN,
        Column("experiment", "STRING", "What was compared", nullable=False),
        Column("strategy", "STRING", "One of the ways compared", nullable=False),
        Column("parameters", "STRING", "JSON: the setting", nullable=False),
        Column("seed", "BIGINT", "Seed; null: nothing random"),
        Column("metric", "STRING", "What was measured", nullable=False),
        Column("value", "DOUBLE", "The measurement; null: not defined"),
        Column("unit", "STRING", "Its unit", nullable=False),
    ),
)

RUNS = Table(
    "runs",
    "One row is a stage of a run on one operating day; appended, never rewritten",
    (
        DAY,
        RUN,
        Column("stage", "STRING", "Stage", nullable=False),
        Column("status", "STRING", "done, refused or failed", nullable=False),
        Column("message", "STRING", "What a person should know", nullable=False),
        Column("workload_hash", "STRING", "Hash of the workload's folder", nullable=False),
        Column(
            "versions",
            "STRING",
            "JSON: Delta version of each table written, version of each package used",
            nullable=False,
        ),
        Column("rows_in", "BIGINT", "Rows read", nullable=False),
        Column("rows_out", "BIGINT", "Rows written", nullable=False),
        Column("seconds", "DOUBLE", "Wall seconds of the stage, over all days of the run", nullable=False),
        Column("started_at", "TIMESTAMP", "When the stage began", nullable=False),
        Column("details", "STRING", "JSON: further counts", nullable=False),
    ),
    partitioned_by=(),
    checks={"counts": "rows_in >= 0 AND rows_out >= 0 AND seconds >= 0"},
)


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
