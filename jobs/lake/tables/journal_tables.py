"""Tables of what runs did: results and their inputs, slices, measurements, stages."""

from __future__ import annotations

from jobs.lake.definition import DAY, RUN, Column, Table

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
        Column("episodes", "BIGINT", "Exact number of episodes, listed or not; null: no policy"),
        Column("truncated", "BOOLEAN", "The listing was cut at max_matches", nullable=False),
        Column(
            "complete", "BOOLEAN", "There is a result and no day that it reaches is missing or refused", nullable=False
        ),
        Column(
            "exhausted", "STRING", "JSON: the budget of work for lack of which there is no result; null: there is one"
        ),
    ),
    widens=True,
    checks={"counts": "rows >= 0"},
)

SLICE_RUNS = Table(
    "slice_runs",
    "One row is the evaluation of a slice for a query, by itself or together with other small slices of its plan",
    (
        DAY,
        RUN,
        Column("query", "STRING", "Query", nullable=False),
        Column("plan_id", "STRING", "Plan", nullable=False),
        Column("slice", "INT", "Slice", nullable=False),
        Column("events", "BIGINT", "Events read", nullable=False),
        Column("rows", "BIGINT", "Partial rows given; of slices evaluated together a share, by events", nullable=False),
        Column(
            "seconds",
            "DOUBLE",
            "Wall seconds of the evaluation; of slices evaluated together a share, by events",
            nullable=False,
        ),
        Column("peak_memory", "BIGINT", "Peak resident bytes of the process that evaluated it", nullable=False),
        Column("together", "INT", "How many slices were evaluated in one call, this one among them"),
        Column("copies", "DOUBLE", "Copies of an event among these slices; the call read each event once"),
    ),
    widens=True,
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
