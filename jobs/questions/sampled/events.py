"""What events.sql and the row rules make of sampled rows: events, and rows refused with their reasons.

Both are SQL of Spark, so a small session of this machine answers them over the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from jobs import places
from jobs.lake.session import LateSession
from jobs.questions.sampled.source_rows import SampledRows
from jobs.raw.rows import ROW, broken_rules, held_view
from jobs.runs.run import Run
from jobs.stages.held_rows import of_spark
from jobs.stages.loading.candidate_events.candidates import no_row
from jobs.stages.loading.candidate_events.failing_rows import with_candidates
from jobs.workload.declaration import Workload

REFUSED = pa.schema([("source", pa.string()), ("rule", pa.string()), ("reason", pa.string()), ("row", pa.string())])
FLAW = "event"
"""The rule of rows whose event lacks something, as in the table `quarantine`."""


@dataclass(frozen=True)
class SampledEvents:
    """Events in order of time and, of one moment, of their rows; refused rows, and how many rows gave no event."""

    events: pa.Table
    refused: pa.Table
    """REFUSED; a row once, by the first thing that refuses it."""
    early: int
    """Events before the log's start, which a load leaves out."""
    silent: dict[str, int]
    """Rows of each source that gave no event and were not refused."""


def events_of(workload: Workload, sampled: Sequence[SampledRows], session: LateSession) -> SampledEvents:
    """The events of sampled rows. Raises WrongWorkload when events.sql does not give the declared events."""
    spark, refused = session.spark, []
    fates: dict[tuple[int, int], None] = {}
    for of in sampled:
        view = of_spark(spark, held_view(of.rows, of.source, of.rank))
        view.createOrReplaceTempView(of.source.name)
        refused.append(_refused(of, of.refused["_id"], of.refused["_rule"], of.refused["_reason"]))
        if rules := workload.expectations.of_source(of.source.name):
            broken = broken_rules(view, rules)
            broken = broken.filter(pc.invert(pc.is_in(broken["id"], of.refused["_id"].combine_chunks())))
            refused.append(_refused(of, broken["id"], broken["_rule"], broken["_reason"]))
            fates |= dict.fromkeys((of.rank, row) for row in broken["id"].to_pylist())
        fates |= dict.fromkeys((of.rank, row) for row in of.refused["_id"].to_pylist())
    run = Run(workload, {}, workload.start, workload.start, "preview", session, places.lake())
    events = with_candidates(run, DataFrame.toArrow)
    row = events[ROW].combine_chunks()
    of_row = list(zip(pc.struct_field(row, "rank").to_pylist(), pc.struct_field(row, "id").to_pylist(), strict=True))
    if (None, None) in of_row:
        raise no_row(workload)
    flaws: dict[tuple[int, int], str] = {}
    for key, flaw in zip(of_row, events["_flaw"].to_pylist(), strict=True):
        if flaw is not None and key not in fates:
            flaws.setdefault(key, flaw)
    for of in sampled:
        own = {row: flaw for (rank, row), flaw in flaws.items() if rank == of.rank}
        ids = pa.array([*own], pa.int64())
        refused.append(_refused(of, ids, pa.repeat(FLAW, len(own)), pa.array([*own.values()], pa.string())))
    good = np.array([key not in fates and key not in flaws for key in of_row], np.bool_)
    early = np.asarray(pc.fill_null(pc.less(events["day"], pa.scalar(workload.start)), False))
    gave = {*of_row} | fates.keys()
    silent = {of.source.name: sum((of.rank, row) not in gave for row in of.rows["_id"].to_pylist()) for of in sampled}
    passed = np.flatnonzero(good & ~early)
    rows = np.array([of_row[place] for place in passed], np.int64).reshape(-1, 2)
    order = np.lexsort((rows[:, 1], rows[:, 0], events["ts"].take(passed).to_numpy()))
    kept = events.select(["event_type", "ts", *workload.attributes]).take(pa.array(passed[order]))
    return SampledEvents(kept, pa.concat_tables(refused), int((good & early).sum()), silent)


def _refused(of: SampledRows, ids: pa.ChunkedArray | pa.Array, rules: pa.Array, reasons: pa.Array) -> pa.Table:
    """Refused rows with their text; of rows that have none, the values of their columns."""
    places_of = pc.index_in(ids, of.rows["_id"].combine_chunks())
    rows = of.rows.take(places_of)
    values = rows.select(list(of.source.columns)).to_pylist()
    texts = [
        raw if raw is not None else ", ".join("" if value is None else str(value) for value in row.values())
        for raw, row in zip(rows["_raw"].to_pylist(), values, strict=True)
    ]
    source = pa.repeat(of.source.name, len(texts))
    columns = [source, rules, reasons, pa.array(texts, pa.string())]
    return pa.Table.from_arrays([_string(column) for column in columns], schema=REFUSED)


def _string(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole.cast(pa.string())
