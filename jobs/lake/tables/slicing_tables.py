"""Tables of slicing: counts of events, plans, slices."""

from __future__ import annotations

from cep_core.events.schema import LogSchema
from jobs.lake.definition import DAY, RUN, Column, Table, attribute_columns

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
    "One row is a value that too many of an event type's events have to be split by hashing; plans count by relation",
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

TIME_POINTS = Table(
    "work_points",
    "One row is a stamp of the days that a run reads, with its time-points; one file, sorted by ts",
    (
        DAY,
        RUN,
        Column("ts", "BIGINT", "As in events", nullable=False),
        Column("points", "BIGINT", "Time-points with this ts", nullable=False),
    ),
    partitioned_by=(),
    checks={"counts": "points >= 1"},
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
            Column("offset", "BIGINT", "Index of its time-point among those of equal ts; null: nobody reads it"),
            *attribute_columns(schema),
        ),
        partitioned_by=("plan_id", "slice"),
        widens=True,
        checks={"counts": "slice >= 0 AND pos >= 0"},
    )
