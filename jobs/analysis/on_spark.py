"""Letting Spark analyse a workload's SQL over empty tables of the declared columns: nothing is read or run.

This finds what the analysis without Spark cannot know: types, aggregates, table functions, other tables. `trendmill
check --deep` uses it, and also lets the gate's library build its rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import functions as sf

from jobs import places
from jobs.exits import WrongWorkload
from jobs.lake.definition import SQL_TYPES
from jobs.lake.session import LateSession
from jobs.raw.rows import raw_frame, refusal, rows_of
from jobs.raw.source_files import SourceFiles
from jobs.runs.run import Run
from jobs.stages.loading.candidate_events.candidates import candidate_events
from jobs.workload.declaration import Workload
from jobs.workload.sections.expectations import RowRule
from jobs.workload.sections.sources import Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NOTHING = SourceFiles((), {})
REFUSALS = "day DATE, source STRING, rule STRING, refused BIGINT, read BIGINT, share DOUBLE"


def problems_on_spark(spark: SparkSession, workload: Workload) -> Iterator[str]:
    """What Spark finds wrong with row rules, events.sql and the gate's queries, in this order."""
    for rank, source in enumerate(workload.sources.values()):
        empty = replace(source, path=source.path or "nowhere", options={})
        rules = workload.expectations.of_source(source.name)
        yield from _wrong_rules(spark, empty, rules)
        rows_of(spark, empty, rank, NOTHING).createOrReplaceTempView(source.name)
    run = Run(workload, {}, workload.start, workload.start, "check", LateSession.of(spark), places.lake())
    try:
        candidate_events(run)
    except WrongWorkload as error:
        cause = error.__cause__
        yield (
            f"events.sql: {message_of(cause)}" if isinstance(cause, PySparkException) else str(error).partition("/")[2]
        )
    columns = {"event_type": "STRING", "ts": "BIGINT", "run_id": "STRING", "seq": "BIGINT"}
    columns |= {name: SQL_TYPES[kind] for name, kind in workload.attributes.items()}
    events = ", ".join(f"`{name}` {kind}" for name, kind in columns.items())
    for name, schema in (("events", f"day DATE, {events}"), ("refusals", REFUSALS), ("days", "day DATE")):
        _empty(spark, schema).createOrReplaceTempView(name)
    for gate in workload.expectations.gate:
        if gate.is_query:
            try:
                spark.sql(gate.over).select("day", sf.lit(1))
            except PySparkException as error:
                yield f"expectations.yaml: gate rule '{gate.name}': {message_of(error)}"


def _wrong_rules(spark: SparkSession, empty: Source, rules: list[RowRule]) -> Iterator[str]:
    """All rules at once; one by one only if Spark refuses them together. Beside a column, no rule may aggregate."""
    rows = raw_frame(spark, empty, NOTHING)
    try:
        rows.select("_id", *refusal(rules))
        return
    except PySparkException:
        pass
    for rule in rules:
        try:
            rows.select("_id", *refusal([rule]))
        except PySparkException as error:
            yield f"expectations.yaml: row rule '{rule.name}': {message_of(error)}"


def message_of(error: PySparkException) -> str:
    """Spark's message without error numbers and plans: what is wrong, and where in the SQL.

    >>> message_of(PySparkException("[UNRESOLVED_COLUMN] No column `x`. SQLSTATE: 42703; line 3 pos 4;\\n'Project"))
    'No column `x` (line 3, column 5)'
    """
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    place = re.search(r"line (\d+),? pos (\d+)", str(error))
    words = re.sub(r"^\[[A-Z_.]+\]\s*|\s*SQLSTATE: \w+.*$", "", first).rstrip(" .;")
    return f"{words} (line {place[1]}, column {int(place[2]) + 1})" if place else words


def problems_of_gate(workload: Workload) -> Iterator[str]:
    """What the gate's library finds wrong with the rules' arguments. Importing it takes seconds."""
    from jobs.quality.gate import judge
    from jobs.quality.judged_rows import HeldRows

    for rule in workload.expectations.gate:
        try:
            judge([rule], {rule.over: HeldRows(pa.table({"day": pa.array([], pa.date32())}))}, [])
        except WrongWorkload as error:
            yield " ".join(str(error).split())[:500]


def _empty(spark: SparkSession, schema: str) -> DataFrame:
    return spark.createDataFrame([], schema)
