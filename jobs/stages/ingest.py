"""Stage `ingest`: raw files and events.sql become `_work/staged_events`; counts of rows go to `_work/source_rows`,
the ledgers of files to `_work/source_files`.

An operating day gets exactly the events whose `ts` lies in it, whatever file they came from. Rows are parsed once.
Nothing is written before every source has been found and its header checked. Cost: linear in the rows read, and a sort
of each day's events.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from jobs.exits import UnreadableSource, WrongWorkload
from jobs.lake.conditions import equal, one_of
from jobs.lake.definition import SQL_TYPES
from jobs.lake.statements import statement
from jobs.lake.write import Replacement, replace_all
from jobs.raw.damage import refuse_damaged, refuse_mixed, unreadable_in
from jobs.raw.rows import judged_rows
from jobs.raw.source_files import SourceFiles, find
from jobs.runs.run import DayOutcome, Run, StageOutcome
from jobs.stages.file_ledgers import TERMS, ReadRows, check_ledgers, file_counts, ledger_rows, read_once, source_rows
from jobs.stages.held_rows import computed, to_write
from jobs.stages.missed_rows import missed_rows
from jobs.workload.declaration import Workload

STAGED, ROWS, FILES = "work_staged_events", "work_source_rows", "work_source_files"
EQUATION = ("files", *TERMS)
"""read = gave_event + refused + other_days + without_event, for each source and day."""


def ingest(run: Run) -> StageOutcome:
    """Stage the events of the run's days.

    Raises SourceMissing, WrongHeader, UnreadableSource; WrongWorkload when events.sql does not give the declared
    events.
    """
    sources = run.workload.sources.values()
    source_files = {source.name: find(run.spark, source, run.loads, run.workload.base) for source in sources}
    try:
        rows = _parse(run, source_files)
    except UnreadableSource:
        raise
    except Exception as error:
        if unreadable := unreadable_in(error):
            raise unreadable from error
        refuse_damaged(path for files in source_files.values() for path in files.paths)
        for files in source_files.values():
            refuse_mixed(files.paths)
        raise
    by_file = run.spark.sql(statement("load", "source_files"), args={"start": run.workload.start}).toArrow()
    equation = source_rows(run, by_file, source_files)
    in_run = one_of("day", run.loads)
    replace_all(
        [
            Replacement(to_write(run, _staged(run)), run.table(STAGED), loaded(run, "_undated")),
            Replacement(equation, run.table(ROWS), in_run),
            Replacement(ledger_rows(run, by_file, rows, source_files), run.table(FILES), in_run),
        ]
    )
    return _outcome(run, equation, _misses(run, by_file))


def loaded(run: Run, undated: str) -> str:
    """The rows that a load of the run's days replaces: their own, and undated rows on the log's first day.

    `undated`: the column that says which rows are undated.
    """
    return f"{one_of('day', run.loads)} OR ({equal('day', run.workload.start)} AND `{undated}`)"


def _parse(run: Run, source_files: dict[str, SourceFiles]) -> dict[str, ReadRows]:
    """The sources' rows, and the views that the SQL of this stage reads: rows, events and fates are computed once.

    A local checkpoint, unlike a cache, also cuts the plan. With a cache, a query over a workload's nested views takes
    tens of seconds to plan.
    """
    rows = _read_sources(run, source_files)
    _raw_rows(run, rows).createOrReplaceTempView("raw_rows")
    run_days(run).createOrReplaceTempView("run_days")
    run.spark.createDataFrame(file_counts(rows, source_files)).createOrReplaceTempView("file_counts")
    events = computed(run, candidate_events(run))
    events.createOrReplaceTempView("candidate_events")
    events.where(sf.col("day").isin(*run.loads)).createOrReplaceTempView("events_of_run")
    fates = run.spark.sql(statement("load", "row_fates"), args={"start": run.workload.start})
    computed(run, fates).createOrReplaceTempView("row_fates")
    return rows


def _read_sources(run: Run, source_files: dict[str, SourceFiles]) -> dict[str, ReadRows]:
    """Each source's rows, also as a view of its name. Raises RowsLost."""
    rules = run.workload.expectations.rows
    rows = {}
    for rank, (name, source) in enumerate(run.workload.sources.items()):
        of_source = [rule for rule in rules if rule.source == name]
        rows[name] = read_once(run, judged_rows(run.spark, source, rank, source_files[name], of_source))
        check_ledgers(name, rows[name], source_files[name])
        rows[name].frame.createOrReplaceTempView(name)
    return rows


def run_days(run: Run) -> DataFrame:
    """The days to load, as a frame with the column `day`."""
    return run.spark.createDataFrame(pa.table({"day": pa.array(run.loads, pa.date32())}))


def _raw_rows(run: Run, rows: dict[str, ReadRows]) -> DataFrame:
    """Every source's `_row`, and its raw text."""
    frames = []
    for name, read in rows.items():
        columns = [sf.col(f"`{column}`") for column in run.workload.sources[name].columns]
        frames.append(read.frame.select("_row", sf.coalesce("_row.raw", sf.to_json(sf.struct(*columns))).alias("_raw")))
    return _union(frames)


def candidate_events(run: Run) -> DataFrame:
    """events.sql's events with the declared types, their operating day, and `_flaw`: what their type must have."""
    workload = run.workload
    try:
        produced = run.spark.sql(workload.events_sql)
    except AnalysisException as error:
        raise WrongWorkload(f"{workload.name}/events.sql: {error}") from error
    _check_columns(workload, produced)
    carriers = {
        name: [kind for kind, declared in workload.schema.types.items() if name in declared]
        for name in workload.attributes
    }
    attributes = [
        sf.when(sf.col("event_type").isin(carriers[name]), sf.col(f"`{name}`").cast(SQL_TYPES[kind])).alias(name)
        for name, kind in workload.attributes.items()
    ]
    own_seq = sf.col("seq").cast("bigint") if "seq" in produced.columns else sf.lit(None).cast("bigint")
    typed = produced.select(
        "event_type", sf.col("ts").cast("bigint").alias("ts"), "_row", own_seq.alias("_own_seq"), *attributes
    )
    day = sf.when(_in_calendar(workload), sf.expr(workload.day_of_ts))
    return typed.withColumns({"day": day, "_flaw": _flaw(workload)})


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
    for name, kind in given.dtypes:
        accepted = loose.get(declared.get(name, ""), (declared.get(name, kind).lower(), "void"))
        if name in declared and kind.partition("(")[0] not in accepted:
            raise WrongWorkload(f"{workload.name}/events.sql: '{name}' is {kind}, declared is {declared[name]}")


def _flaw(workload: Workload) -> Column:
    """The first thing that an event lacks but must have; null if it lacks nothing."""
    types = list(workload.schema.types)
    flaws = [
        sf.when(sf.col("event_type").isNull(), "an event of the row has no type"),
        sf.when(~sf.col("event_type").isin(types), sf.concat(sf.lit("undeclared event type "), "event_type")),
        sf.when(sf.col("ts").isNull(), sf.concat(sf.lit("no readable ts of "), "event_type")),
        sf.when(
            ~_in_calendar(workload), sf.concat(sf.lit("the ts of "), "event_type", sf.lit(" lies outside the calendar"))
        ),
    ]
    for event_type, attributes in workload.schema.types.items():
        for attribute in attributes.values():
            if not attribute.nullable:
                absent = (sf.col("event_type") == event_type) & sf.col(f"`{attribute.name}`").isNull()
                flaws.append(sf.when(absent, f"no {attribute.name} of {event_type}"))
    return sf.coalesce(*flaws)


def _staged(run: Run) -> DataFrame:
    passed = run.spark.sql(statement("load", "staged_events"), args={"run_id": run.run_id})
    refused = run.spark.sql(statement("load", "refused_rows"), args={"run_id": run.run_id})
    return passed.unionByName(refused, allowMissingColumns=True)


def _outcome(run: Run, equation: pa.Table, misses: list[str]) -> StageOutcome:
    days = {}
    for day in run.loads:
        rows = [row for row in equation.to_pylist() if row["day"] == day]
        sources = {row["source"]: {key: row[key] for key in EQUATION} for row in rows}
        days[day] = DayOutcome(
            rows_in=sum(row["read"] for row in rows),
            rows_out=sum(row["gave_event"] for row in rows),
            message="; ".join([f"{sum(row['refused'] for row in rows)} rows refused", *misses]),
            details={"sources": sources},
        )
    return StageOutcome(
        rows_in=max((day.rows_in for day in days.values()), default=0),
        rows_out=sum(day.rows_out for day in days.values()),
        message="; ".join([f"{sum(equation['refused'].to_pylist())} rows refused", *misses]),
        days=days,
    )


def _misses(run: Run, by_file: pa.Table) -> list[str]:
    """What to say of sources most of whose rows miss the log."""
    of_a_day = by_file.filter(pc.equal(by_file["day"], run.loads[0]))
    terms = [("read", "sum"), ("missed", "sum"), ("missed_ts", "max")]
    summed = of_a_day.group_by("source").aggregate(terms).rename_columns(["source", *(term for term, _ in terms)])
    days, start = run.workload.operating_days, run.workload.start
    told = (missed_rows(row, days, start) for row in summed.sort_by("source").to_pylist())
    return [sentence for sentence in told if sentence]


def _union(frames: list[DataFrame]) -> DataFrame:
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionByName(frame)
    return whole
