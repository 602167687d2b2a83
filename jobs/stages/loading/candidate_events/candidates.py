"""The events that events.sql gives, with their declared types, operating days and flaws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from jobs.exits import WrongWorkload
from jobs.lake.definition import SQL_TYPES
from jobs.raw.rows import ROW, ROW_TYPE
from jobs.runs.run import Run
from jobs.workload.declaration import Workload

FAILED, WHERE = "_failed", "WHERE"
"""A struct of texts: what of events.sql failed on the row's values, by the name of the column, and of its condition."""


def candidate_events(run: Run, parted: Callable[[DataFrame], DataFrame] | None = None) -> DataFrame:
    """events.sql's events with the declared types, their operating day, and `_flaw`: what their type must have.

    `parted`: gives the events FAILED (`failing_rows.py`).
    """
    workload = run.workload
    try:
        produced = run.spark.sql(workload.events_sql)
    except AnalysisException as error:
        raise WrongWorkload(f"{workload.name}/events.sql: {error}") from error
    _check_columns(workload, produced)
    carriers = _carriers(workload)
    attributes = [
        sf.when(sf.col("event_type").isin(carriers[name]), sf.col(f"`{name}`").cast(SQL_TYPES[kind])).alias(name)
        for name, kind in workload.attributes.items()
    ]
    own_seq = sf.col("seq").cast("bigint") if "seq" in produced.columns else sf.lit(None).cast("bigint")
    failed = [FAILED] if parted else []
    typed = (parted(produced) if parted else produced).select(
        "event_type", sf.col("ts").cast("bigint").alias("ts"), "_row", own_seq.alias("_own_seq"), *attributes, *failed
    )
    dated = typed.withColumn("day", sf.when(_in_calendar(workload), sf.expr(workload.day_of_ts)))
    failures = _failures(workload, produced.columns) if parted else []
    return dated.withColumn("_flaw", sf.coalesce(*failures, *_flaws(workload))).drop(*failed)


def _carriers(workload: Workload) -> dict[str, list[str]]:
    """The event types that have an attribute."""
    return {
        name: [kind for kind, declared in workload.schema.types.items() if name in declared]
        for name in workload.attributes
    }


def _failures(workload: Workload, columns: Sequence[str]) -> Iterator[Column]:
    """What of events.sql failed, of those columns that the event's type has."""
    carriers = _carriers(workload)
    for name in (WHERE, "event_type", "ts", *sorted({*columns} - {"event_type", "ts"})):
        failure = sf.col(f"{FAILED}.`{name}`")
        yield sf.when(sf.col("event_type").isin(carriers[name]), failure) if name in carriers else failure


def no_row(workload: Workload) -> WrongWorkload:
    """The error of an event whose `_row` is NULL, or not what a source gave."""
    return WrongWorkload(f"{workload.name}/events.sql: '{ROW}' of an event names no row of a source")


def _in_calendar(workload: Workload) -> Column:
    first, last = workload.operating_days.calendar
    return sf.col("ts").between(first, last)


def _check_columns(workload: Workload, given: DataFrame) -> None:
    expected = {"event_type", "ts", "_row", *workload.attributes}
    source_files = set(given.columns) - {"seq"}
    if source_files != expected or len(given.columns) != len(set(given.columns)):
        raise WrongWorkload(
            f"{workload.name}/events.sql does not give the columns that workload.yaml declares: "
            f"missing {sorted(expected - source_files)}, not declared {sorted(source_files - expected)}"
        )
    whole = ("tinyint", "smallint", "int", "bigint", "void")
    loose = {"BIGINT": whole, "DOUBLE": (*whole, "float", "double", "decimal")}
    declared = {name: SQL_TYPES[kind] for name, kind in workload.attributes.items()} | {"ts": "BIGINT"}
    if (of_row := dict(given.dtypes)[ROW]) != ROW_TYPE.lower().replace(" ", ""):
        raise WrongWorkload(f"{workload.name}/events.sql: '{ROW}' is {of_row}, and not the column '{ROW}' of a source")
    for name, kind in given.dtypes:
        accepted = loose.get(declared.get(name, ""), (declared.get(name, kind).lower(), "void"))
        if name in declared and kind.partition("(")[0] not in accepted:
            raise WrongWorkload(f"{workload.name}/events.sql: '{name}' is {kind}, declared is {declared[name]}")


def _far_from_rows(workload: Workload) -> Iterator[Column]:
    """Events on days of which a run does not see the event's row: a backfill gives no events that nights would lack."""
    for rank, source in enumerate(workload.sources.values()):
        if source.daily or source.time:
            days = sf.abs(sf.datediff("day", f"{ROW}.day"))
            of_row = f"its row's {source.time}" if source.time else "the day of its file"
            reason = sf.concat(sf.lit("the ts of "), "event_type", sf.lit(" lies "), days.cast("string"))
            reason = sf.concat(reason, sf.when(days == 1, " day").otherwise(" days"))
            reason = sf.concat(reason, sf.lit(f" from {of_row}, which is more than the slack of {source.slack}"))
            yield sf.when((sf.col(f"{ROW}.rank") == rank) & (days > source.slack), reason)


def _flaws(workload: Workload) -> list[Column]:
    """What an event lacks but must have; of each, null if it does not lack this."""
    types = list(workload.schema.types)
    flaws = [
        sf.when(sf.col("event_type").isNull(), "an event of the row has no type"),
        sf.when(~sf.col("event_type").isin(types), sf.concat(sf.lit("undeclared event type "), "event_type")),
        sf.when(sf.col("ts").isNull(), sf.concat(sf.lit("no readable ts of "), "event_type")),
        sf.when(
            ~_in_calendar(workload), sf.concat(sf.lit("the ts of "), "event_type", sf.lit(" lies outside the calendar"))
        ),
        *_far_from_rows(workload),
    ]
    for event_type, attributes in workload.schema.types.items():
        for attribute in attributes.values():
            if not attribute.nullable:
                absent = (sf.col("event_type") == event_type) & sf.col(f"`{attribute.name}`").isNull()
                flaws.append(sf.when(absent, f"no {attribute.name} of {event_type}"))
    return flaws
