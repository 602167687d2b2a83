"""Stage `statistics`: exact rates, distinct values and heavy values of each loaded day (paper 01, section 5.2).

Reads `events` of the days that the run loaded; writes `stream_statistics` and `heavy_hitters` for those days. A day's
rows depend on its own events and on which attributes the workload's queries slice by, on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from jobs.lake.statements import statement
from jobs.lake.write import replace
from jobs.runs.ledger import loaded_by, read_ledger, read_table
from jobs.runs.run import Run, StageOutcome
from jobs.stages.attribute_values import attribute_values, slicing_places

PERIODS = 24
"""Equal parts of an operating day for which rates are counted."""


def statistics(run: Run) -> StageOutcome:
    """Count the days that this run loaded; a day whose load the gate refused keeps its former rows."""
    from pyspark.sql import functions as f

    days = loaded_by(run.lake, run.workload.name, run.run_id)
    if not days:
        return StageOutcome(message="no day was loaded")
    spark, calendar = run.spark, run.workload.operating_days
    atoms = [atom for query in run.compiled.values() for atom in query.evaluator.atoms]
    events = spark.table(run.table("events")).where(f.col("day").isin(list(days)))
    values = attribute_values(events, slicing_places(atoms))
    events.createOrReplaceTempView("counted_events")
    values.createOrReplaceTempView("attribute_values")
    periods = spark.sql(
        statement("statistics", "stream_statistics"),
        args={"run_id": run.run_id, "offset": calendar.offset, "width": calendar.length // PERIODS},
    )
    heavy = spark.sql(
        statement("statistics", "heavy_hitters"),
        args={"run_id": run.run_id, "slices": run.workload.slicing.slices},
    )
    own = f.col("day").isin(list(days))
    replace(periods, run.table("stream_statistics"), own)
    replace(heavy, run.table("heavy_hitters"), own)
    ledger = read_ledger(run.lake, run.workload.name)
    written = {name: _rows(run, name, days) for name in ("stream_statistics", "heavy_hitters")}
    return StageOutcome(
        rows_in=sum(ledger.days[day].events for day in days),
        rows_out=sum(written.values()),
        message=f"{written['heavy_hitters']} heavy values on {len(days)} day(s)",
    )


def _rows(run: Run, table: str, days: Sequence[date]) -> int:
    rows = read_table(run.lake / run.workload.name / table, ["day"], days)
    return 0 if rows is None else rows.num_rows
