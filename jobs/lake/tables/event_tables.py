"""Tables of delivered data: staged rows, events, refused rows, and what a load found on each day."""

from __future__ import annotations

from cep_core.events.schema import LogSchema
from jobs.lake.definition import DAY, RUN, Column, Table, attribute_columns, quoted
from jobs.workload.operating_days import OperatingDays


def events(schema: LogSchema, days: OperatingDays) -> Table:
    """`events`."""
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
        widens=True,
        checks={"declared_type": f"event_type IN ({names})", "inside_its_day": f"day = {days.sql()}"},
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
            Column("_source", "STRING", "Source of the refused row; empty: passed", nullable=False),
            Column("_file", "STRING", "File of the refused row; empty: passed", nullable=False),
            Column(
                "_raw",
                "STRING",
                "The refused row, other bytes as backslash escapes; empty: passed",
                nullable=False,
            ),
            Column("_rule", "STRING", "Row rule that refused it; null: passed"),
            Column("_reason", "STRING", "Why the rule exists"),
            Column("_undated", "BOOLEAN", "Refused without a readable ts or a day of its file", nullable=False),
        ),
        widens=True,
        checks={"passed_or_refused": "(_rule IS NULL) = (seq IS NOT NULL)"},
    )


SOURCE_ROWS = Table(
    "work_source_rows",
    "The equation of rows: read = gave_event + refused + other_days + without_event + suppressed",
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
        Column("suppressed", "BIGINT", "Rows left out since their events, or they themselves, were erased; null: none"),
    ),
    widens=True,
    checks={"counts": "least(files, read, gave_event, refused, other_days, without_event) >= 0"},
)

SOURCE_FILES = Table(
    "work_source_files",
    "The ledger of a file that was read strictly, and the equation of its rows for a day: "
    "lines = read + no_rows; read = gave_event + refused + other_days + without_event + suppressed",
    (
        DAY,
        RUN,
        Column("source", "STRING", "Source, as declared", nullable=False),
        Column("file", "STRING", "Path of the file", nullable=False),
        Column("size", "BIGINT", "Bytes, as stored", nullable=False),
        Column("digest", "STRING", "SHA-256 of the bytes, as stored", nullable=False),
        Column(
            "lines", "BIGINT", "Lines, counted apart from the parser; of Parquet, rows of the footer", nullable=False
        ),
        Column(
            "no_rows", "BIGINT", "Lines that begin no row: header, blank, comments, quoted line breaks", nullable=False
        ),
        Column("read", "BIGINT", "Raw rows read", nullable=False),
        Column("gave_event", "BIGINT", "Rows that gave an event on this day", nullable=False),
        Column("refused", "BIGINT", "Rows refused and recorded on this day", nullable=False),
        Column("other_days", "BIGINT", "Rows whose events, or whose refusal, belong to other days", nullable=False),
        Column("without_event", "BIGINT", "Rows that events.sql passed over", nullable=False),
        Column("suppressed", "BIGINT", "Rows left out since their events, or they themselves, were erased; null: none"),
    ),
    widens=True,
    checks={
        "every_line": "lines = read + no_rows",
        "every_row": "read = gave_event + refused + other_days + without_event + coalesce(suppressed, 0)",
    },
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
        Column("points", "BIGINT", "Their time-points", nullable=False),
        Column("checks", "STRING", "JSON: each gate rule's outcome, fatal ones and warnings", nullable=False),
        Column("definition", "STRING", "Hash of what the last load was made by: events.sql, sources, rules, days"),
        Column("begins", "BIGINT", "The day's first moment when its events were published; null: none were"),
        Column("expired", "BOOLEAN", "Its events were removed after their time of retention; null: they were not"),
    ),
    widens=True,
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
