"""Stage `statistics`: exact rates, distinct values and heavy values of each loaded day (paper 01, section 5.2).

Reads `events` of the days that were loaded since they were counted; writes `heavy_hitters` and, last,
`stream_statistics` for those days, with the run that loaded them: a day of a run that died before counting is found by
it. A day's rows depend on its own events and on which attributes the workload's queries slice by, on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from jobs.lake.statements import statement
from jobs.lake.write import replace
from jobs.runs.ledger import read_ledger, read_table
from jobs.runs.run import Run, StageOutcome
from jobs.stages.attribute_values import attribute_values, slicing_places

PERIODS = 24
"""Equal parts of an operating day for which rates are counted."""


def statistics(run: Run) -> StageOutcome:
    """Count the days that were loaded since they were counted, by this run or by one that died before it counted."""
    from pyspark.sql import functions as f

    days = uncounted_days(run)
    if not days:
        return StageOutcome(message="every day is counted")
    spark, calendar = run.spark, run.workload.operating_days
    atoms = [atom for query in run.compiled.values() for atom in query.evaluator.atoms]
    events = spark.table(run.table("events")).where(f.col("day").isin(list(days)))
    values = attribute_values(events, slicing_places(atoms))
    events.createOrReplaceTempView("counted_events")
    values.createOrReplaceTempView("attribute_values")
    periods = spark.sql(
        statement("statistics", "stream_statistics"),
        args={"offset": calendar.offset, "width": calendar.length // PERIODS},
    )
    heavy = spark.sql(
        statement("statistics", "heavy_hitters"),
        args={"slices": run.workload.slicing.slices},
    )
    own = f.col("day").isin(list(days))
    replace(heavy, run.table("heavy_hitters"), own)
    replace(periods, run.table("stream_statistics"), own)
    ledger = read_ledger(run.lake, run.workload.name)
    written = {name: _rows(run, name, days) for name in ("stream_statistics", "heavy_hitters")}
    return StageOutcome(
        rows_in=sum(ledger.days[day].events for day in days),
        rows_out=sum(written.values()),
        message=f"{written['heavy_hitters']} heavy values on {len(days)} day(s)",
    )


def uncounted_days(run: Run) -> list[date]:
    """Days whose statistics are not those of their last load, ascending; a refused load changed nothing."""
    home = run.lake / run.workload.name
    loaded = read_table(home / "_work" / "loaded_days", ["day", "run_id", "refused", "events"])
    counted = read_table(home / "stream_statistics", ["day", "run_id"])
    counted_of = {row["day"]: row["run_id"] for row in ([] if counted is None else counted.to_pylist())}
    return sorted(
        row["day"]
        for row in ([] if loaded is None else loaded.to_pylist())
        if not row["refused"] and counted_of.get(row["day"]) != (row["run_id"] if row["events"] else None)
    )


def _rows(run: Run, table: str, days: Sequence[date]) -> int:
    rows = read_table(run.lake / run.workload.name / table, ["day"], days)
    return 0 if rows is None else rows.num_rows
