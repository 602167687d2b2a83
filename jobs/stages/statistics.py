"""Stage `statistics`: exact rates, distinct values and heavy values of each loaded day (paper 01, section 5.2).

Reads `events` of the days that the run loaded; writes `stream_statistics` and `heavy_hitters` for those days. A day's
rows depend on its own events and on which attributes the workload's queries slice by, on nothing else.
"""

from __future__ import annotations

from jobs.lake.statements import select
from jobs.lake.write import replace
from jobs.runs.ledger import loaded_by
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
    periods = select(
        spark,
        "statistics",
        "stream_statistics",
        run_id=run.run_id,
        offset=calendar.offset,
        width=calendar.length // PERIODS,
    )
    heavy = select(spark, "statistics", "heavy_hitters", run_id=run.run_id, slices=run.workload.slicing.slices)
    own = f.col("day").isin(list(days))
    replace(periods, run.table("stream_statistics"), own)
    replace(heavy, run.table("heavy_hitters"), own)
    written = spark.table(run.table("stream_statistics")).where(own).agg(f.sum("events"), f.count("*")).first()
    heavy_values = spark.table(run.table("heavy_hitters")).where(own).count()
    return StageOutcome(
        rows_in=int(written[0] or 0),
        rows_out=int(written[1]) + heavy_values,
        message=f"{heavy_values} heavy values on {len(days)} day(s)",
    )
