"""A process that merges and writes a result of many rows, and tells by how many megabytes its memory grew.

`python -m tests.runs.workers.many_rows compact|groups ROWS FOLDER`: compact rows of matches, one for each last event,
or the totals of groups and windows. Four slices left them in files, in order, as workers do.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from deltalake import DeltaTable

from cep_core.arrays import Ints
from cep_core.language.evaluator import CERTAIN, RESULT, TOTALS, ResultTable, tagged
from cep_core.language.totals import Total, encode
from cep_core.matching.result.match_rows import KEY, LAST_SEQ, PATH, batch_of, lists_of, partial_schema
from cep_core.numbers.count_columns import COUNTS, count_columns
from cep_core.trends.evaluator import TrendEvaluator
from jobs.lake.session import LateSession
from jobs.lake.tables.creating import create
from jobs.lake.tables.result_tables import result_table, table_beside
from jobs.lake.write import replace_all
from jobs.runs.run import Run, Silent
from jobs.runs.scope import Evaluation, Scope
from jobs.stages.evaluate import merged_result
from jobs.stages.evaluating.left_batches import Leaving, LeftBatch, from_bytes
from jobs.stages.evaluating.results import replacement_of
from jobs.workload.compiled import WorkloadQuery, compile_workload
from jobs.workload.declaration import load_workload
from tests.leases import leased
from tests.reports.lake.small_days import DAY
from tests.reports.lake.small_workload import write_workload

SLICES, BATCH = 4, 50_000
QUERIES = {
    "compact": """-- Which departures follow each other?
PATTERN SEQ(Depart a, Depart b, Arrive c) WHERE skip_till_next_match { [line] } WITHIN 1 hour
""",
    "groups": """-- How many departures does a line have in a row?
RETURN line, COUNT(*), MAX(D.delay_min) PATTERN Depart D+ GROUP-BY line WITHIN 1 hour SLIDE 1 hour
""",
}


def compact_rows(table: ResultTable, place: Ints, begin: int, rows: int) -> Iterator[pa.RecordBatch]:
    """The compact rows with these places, ascending, of so many over the day; each of two matches of three events."""
    ts, seq, count = begin + place * 86_400 // rows, place, len(place)
    lengths = np.arange(count + 1)
    path = np.stack([ts, seq - 2, 0 * seq, ts, seq - 1, 0 * seq + 1, ts, seq, 0 * seq + 2], axis=1)
    lines = pa.array([f"5:{number:05}" for number in range(1000)])
    columns = {
        **dict.fromkeys(("first_ts", "last_ts", CERTAIN), pa.array(ts)),
        LAST_SEQ: pa.array(seq),
        **{name: lists_of((seq - 2 + state)[:, None], lengths) for state, name in enumerate("abc")},
        **dict(zip(COUNTS, count_columns(np.full(count, 2), {}), strict=True)),
        PATH: lists_of(path, lengths),
        KEY: lines.take(pa.array(place % 1000)),
    }
    batch = batch_of(columns, partial_schema(table.schema))
    yield batch
    totals = pa.RecordBatch.from_pylist([], batch.schema)
    yield totals.replace_schema_metadata({TOTALS: encode({str(begin): Total(2 * count)})})


def group_rows(evaluator: TrendEvaluator, place: Ints, begin: int, rows: int) -> Iterator[pa.RecordBatch]:
    """The partial rows with these places, ascending, of so many in 24 windows."""
    of_window = -(-rows // 24)
    start = begin + place // of_window * 3600
    columns = {"line": pa.array([f"line {number}" for number in (place % of_window).tolist()])}
    columns |= {"window_start": pa.array(start), CERTAIN: pa.array(start + 3599)}
    for field in evaluator.partial_schema:
        if field.name not in columns:
            nulls = pa.nulls(len(place), field.type)
            columns[field.name] = nulls if field.name.startswith("large") else pa.array(place % 7).cast(field.type)
            if field.name.startswith("shift"):
                columns[field.name] = pa.array(np.zeros(len(place), np.int32))
    yield batch_of(columns, evaluator.partial_schema)


def left_by_slices(query: WorkloadQuery, table: ResultTable, rows: int, begin: int, folder: Path) -> list[LeftBatch]:
    """What four slices left, row for row in turn."""
    made = []
    for number in range(SLICES):
        leave = Leaving(folder)
        for first in range(number, rows, SLICES * BATCH):
            place = np.arange(first, min(first + SLICES * BATCH, rows), SLICES)
            if table.suffix:
                made += [leave(batch) for batch in tagged(compact_rows(table, place, begin, rows), table.suffix)]
            else:
                assert isinstance(query.evaluator, TrendEvaluator)
                made += [leave(batch) for batch in group_rows(query.evaluator, place, begin, rows)]
    return made


def megabytes(name: str) -> int:
    """A line of this process' status: `VmHWM`, the most memory that it has had, or `VmRSS`, what it has."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) // 1024


def main(kind: str, rows: int, folder: Path) -> None:
    write_workload(folder / "lines", {"asked": QUERIES[kind]})
    workload = load_workload(folder / "lines")
    query = compile_workload(workload)["asked"]
    table = query.tables[1 if kind == "compact" else 0]
    scope = Scope((Evaluation("asked", DAY, {DAY: "1"}, ()),))
    lake = folder / "lake"
    run = Run(workload, {"asked": query}, DAY, DAY, "run", LateSession("tests"), lake, Silent(), scope)
    days = workload.operating_days.interval(DAY)
    left = left_by_slices(query, table, rows, days[0], folder)
    with leased(lake, workload.name):
        own = result_table("asked", query.question, table.schema, unit="s") if table.suffix == RESULT else None
        create(workload.name, [own or table_beside("asked", table, unit="s")], lake)
        before = megabytes("VmRSS")
        merged = merged_result(run, query, table, lambda _: [partial(from_bytes, batch) for batch in left], [days])
        replace_all([replacement_of(run, merged)])
    grown = megabytes("VmHWM") - before
    written = DeltaTable(lake / workload.name / merged.into).count()
    print(grown, written, merged.totals[DAY]["matches_total"] if merged.totals else 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
