"""Stage `statistics`: counts exact rates, distinct values and heavy values of each loaded day (paper 01, section 5.2).

Reads `events` of the days that were loaded since they were last counted, or were counted for queries that sliced by
other attributes. Writes `heavy_hitters` and, last, `stream_statistics` for those days, with the run that loaded them.
So a day of a run that died before counting is found. A day's rows depend only on its own events and on the attributes
by which the workload's queries slice. The events are counted here, piece by piece; on a cluster, by Spark.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.schema import AttributeType
from jobs.lake.conditions import one_of
from jobs.lake.dataset import FEW_TEXTS, read_pieces, read_table
from jobs.lake.statements import statement
from jobs.lake.write import replace
from jobs.runs.ledger import read_ledger
from jobs.runs.run import Run, StageOutcome
from jobs.stages.held_rows import frame_of, passes_events
from jobs.stages.slicing.counting.attribute_values import attribute_values, slicing_places
from jobs.stages.slicing.counting.period_counts import PeriodCounts
from jobs.stages.slicing.counting.place_values import as_text

PERIODS = 24
"""The number of equal parts of an operating day for which rates are counted."""


def statistics(run: Run) -> StageOutcome:
    """Count the events of days whose statistics are outdated for their events or the workload's queries."""
    days = uncounted_days(run)
    if not days:
        return StageOutcome(message="every day is counted")
    periods, heavy = (counted_here if passes_events(run) else counted_in_spark)(run, days)
    replace(heavy, run.table("heavy_hitters"), one_of("day", days))
    replace(periods, run.table("stream_statistics"), one_of("day", days))
    ledger = read_ledger(run.lake, run.workload.name)
    written = {name: _rows(run, name, days) for name in ("stream_statistics", "heavy_hitters")}
    return StageOutcome(
        rows_in=sum(ledger.days[day].events for day in days),
        rows_out=sum(written.values()),
        message=f"heavy values: {written['heavy_hitters']}, days: {len(days)}",
    )


def counted_here(run: Run, days: Sequence[date]) -> tuple[pa.Table, pa.Table]:
    """The rows of `stream_statistics` and `heavy_hitters` of some days."""
    places, calendar = _by_type(_places(run)), run.workload.operating_days
    attributes = sorted({name for names in places.values() for name in names})
    counts = PeriodCounts(places, calendar.offset, calendar.length // PERIODS)
    columns = ["day", "run_id", "event_type", "ts", *attributes]
    for piece in read_pieces(run.lake / run.workload.name / "events", columns, days, FEW_TEXTS):
        counts.add(piece)
    return counts.tables(run.workload.slicing.slices)


def counted_in_spark(run: Run, days: Sequence[date]) -> tuple[pa.Table, pa.Table]:
    """The same by Spark, from `sql/statistics`."""
    calendar, places = run.workload.operating_days, _places(run)
    events = frame_of(run, "events", days)
    events.createOrReplaceTempView("counted_events")
    attribute_values(events, places).createOrReplaceTempView("attribute_values")
    periods = run.spark.sql(
        statement("statistics", "stream_statistics"),
        args={
            "offset": calendar.offset,
            "width": calendar.length // PERIODS,
            "places": json.dumps(_by_type(places)),
        },
    )
    heavy = run.spark.sql(
        statement("statistics", "heavy_hitters"), args={"slices": run.workload.slicing.slices}
    ).toArrow()
    floats = {name for name, kind in run.workload.attributes.items() if kind is AttributeType.FLOAT}
    return periods.toArrow(), _with_floats_as_text(heavy, floats)


def _with_floats_as_text(heavy: pa.Table, floats: Collection[str]) -> pa.Table:
    """Heavy values with floats in the words of `as_text`."""
    of_floats = pc.is_in(heavy["attribute"], pa.array(sorted(floats), pa.string()))
    numbers = pc.if_else(of_floats, heavy["value"], None).cast(pa.float64())
    place = heavy.schema.get_field_index("value")
    return heavy.set_column(place, "value", pc.coalesce(as_text(numbers), heavy["value"]))


def uncounted_days(run: Run) -> list[date]:
    """The days whose statistics are outdated for their last load or the queries' slicing attributes; ascending.

    Refused loads do not count, since they changed nothing, nor days whose events expired. What this run has counted is
    counted again: a scheduler that repeats a run's tasks may have loaded other events by the same run.
    """
    home = run.lake / run.workload.name
    loaded = read_table(home / "_work" / "loaded_days", ["day", "run_id", "refused", "events", "expired"])
    counted = read_table(home / "stream_statistics", ["day", "run_id", "event_type", "distinct_values"])
    slicing_attributes, counted_of, outdated = _by_type(_places(run)), {}, set()
    for row in _rows_by_type(counted):
        counted_of[row["day"]] = row["run_id"]
        counted_for = list(json.loads(row["distinct_values"]))
        if row["run_id"] == run.run_id or counted_for != slicing_attributes.get(row["event_type"], []):
            outdated.add(row["day"])
    rows = [] if loaded is None else loaded.to_pylist()
    loads = [row for row in rows if not row["refused"] and not row.get("expired")]
    uncounted = {
        row["day"] for row in loads if counted_of.get(row["day"]) != (row["run_id"] if row["events"] else None)
    }
    return sorted(uncounted | outdated)


def _rows_by_type(counted: pa.Table | None) -> list[dict[str, Any]]:
    """A row for each day and event type. One run counts all periods of a day, for the same attributes."""
    if counted is None:
        return []
    grouped = counted.group_by(["day", "event_type"]).aggregate([("run_id", "one"), ("distinct_values", "one")])
    return grouped.rename_columns(["day", "event_type", "run_id", "distinct_values"]).to_pylist()


def _places(run: Run) -> tuple[tuple[str, str], ...]:
    """The (event type, attribute) pairs by which the workload's queries slice."""
    return slicing_places(atom for query in run.compiled.values() for atom in query.evaluator.atoms)


def _by_type(places: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Event type -> its slicing attributes, sorted.

    >>> _by_type((("A", "x"), ("B", "x"), ("B", "y")))
    {'A': ['x'], 'B': ['x', 'y']}
    """
    attributes: dict[str, list[str]] = {}
    for event_type, attribute in sorted(places):
        attributes.setdefault(event_type, []).append(attribute)
    return attributes


def _rows(run: Run, table: str, days: Sequence[date]) -> int:
    rows = read_table(run.lake / run.workload.name / table, ["day"], days)
    return 0 if rows is None else rows.num_rows
