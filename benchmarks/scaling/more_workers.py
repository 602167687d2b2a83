"""Slices for more workers than there are, on real events: `python benchmarks/scaling/more_workers.py [SLICES ...]`.

For each number of slices (4, 64 and 1,024 if none is given) the program itself plans, cuts and evaluates the same days
in one process, slice by slice. What many workers would take follows from the seconds of slices: workers take slices as
they become free. It stands beside what the slicing page predicts from the first number (`jobs/stages/measuring`).

Printed: for each plan the largest slice and the copies of an event, predicted and counted; the joiner's work, which is
to ask whether a slice owns a valuation; rows that slices gave. All numbers of slices must leave equal tables.

    more_workers.py --from 2013-03-08 [--to 2013-03-11]       # a workload of this checkout, nyc_flights if not named
    more_workers.py --rows 1000000 [--heavy]                  # a day of a large log instead (benchmarks/scale.py)

It finds what it shares with other benchmarks by PYTHONPATH=.:benchmarks.
"""

from __future__ import annotations

import argparse
import heapq
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable
from runs import WEEK, WORKLOAD, places, run_watched
from scaling.logs import DAY, Log
from scaling.workload import write_workload

from cep_core.slicing.joiner import CellOwner
from jobs.lake.session import LateSession
from jobs.runs.ledger import read_ledger
from jobs.runs.run import Run, Silent
from jobs.stages.evaluate import evaluate
from jobs.stages.measuring.more_workers import cuts_of
from jobs.stages.measuring.wall_time import Work, wall
from jobs.stages.plan_slices import plan_slices
from jobs.stages.slice_events import slice_events
from jobs.tasks.nightly import begin, with_scope
from tests.leases import leased

WORK = "_work/slices"


@dataclass
class Joined:
    """What the joiner was asked: valuations, those that were the asking slice's own, and the seconds it took."""

    asked: int = 0
    owned: int = 0
    seconds: float = 0.0


@contextmanager
def joiner() -> Iterator[Joined]:
    """Counts what the joiner does while the block runs."""
    joined, owns = Joined(), CellOwner.__call__

    def counted(self: CellOwner, valuations: pa.Table) -> npt.NDArray[np.bool_]:
        begin = time.perf_counter()
        own = owns(self, valuations)
        joined.seconds += time.perf_counter() - begin
        joined.asked, joined.owned = joined.asked + len(own), joined.owned + int(own.sum())
        return own

    with patch.object(CellOwner, "__call__", counted):
        yield joined


def makespan(seconds: Sequence[float], workers: int) -> float:
    """The time until all slices are done, if workers take them in this order as they become free."""
    free = [0.0] * workers
    for each in seconds:
        heapq.heapreplace(free, free[0] + each)
    return max(free)


def sliced(run: Run, slices: int) -> Run:
    """The run's days with so many slices, planned and cut."""
    cut = replace(run.workload.slicing, slices=slices)
    run = replace(run, workload=replace(run.workload, slicing=cut))
    plan_slices(run)
    slice_events(run)
    return run


def table(run: Run, name: str, columns: Sequence[str] | None = None) -> pa.Table:
    return DeltaTable(run.lake / run.workload.name / name).to_pyarrow_table(columns=columns and list(columns))


def print_plans(run: Run) -> None:
    """The largest slice and the copies of an event of each plan, predicted and counted on its files."""
    held = table(run, WORK, ("plan_id", "slice", "pos"))
    for plan in table(run, "slicing_plans").to_pylist():
        own = held.filter(pc.equal(held["plan_id"], plan["plan_id"]))
        events = pc.count_distinct(own["pos"]).as_py()
        largest = max(pc.value_counts(own["slice"].combine_chunks()).field("counts").to_pylist(), default=0)
        print(
            f"    {plan['slices']:>5,} slices, largest {plan['predicted_load']:.4f} predicted, "
            f"{largest / events:.4f} counted; copies {plan['predicted_replication']:.2f} predicted, "
            f"{own.num_rows / events:.2f} counted   {', '.join(plan['queries'])}"
        )


def seconds_of(run: Run) -> tuple[dict[str, float], list[float], int]:
    """Of the slices: seconds by query, seconds of each slice, the largest first as they are begun, and rows."""
    by_query: dict[str, float] = {}
    of_slice: dict[tuple[str, int], list[float]] = {}
    rows = table(run, "slice_runs").to_pylist()
    for row in rows:
        by_query[row["query"]] = by_query.get(row["query"], 0.0) + row["seconds"]
        spent = of_slice.setdefault((row["plan_id"], row["slice"]), [0.0, 0.0])
        spent[0], spent[1] = spent[0] + row["events"], spent[1] + row["seconds"]
    in_order = [seconds for _, seconds in sorted(of_slice.values(), reverse=True)]
    return by_query, in_order, sum(row["rows"] for row in rows)


def results(run: Run) -> dict[str, list[str]]:
    """The rows of every table of results, in an order of their own."""
    rows_of = {}
    for name in sorted(run.compiled):
        for log in sorted((run.lake / run.workload.name).glob(f"{name}*/_delta_log")):
            rows = DeltaTable(log.parent).to_pyarrow_table().drop_columns(["run_id"])
            rows_of[log.parent.name] = sorted(map(repr, rows.to_pylist()))
    return rows_of


def measured(run: Run, slices: int) -> tuple[dict[str, float], dict[str, list[str]]]:
    """Print a number of slices. Returns core-seconds by query, and the results."""
    run = sliced(run, slices)
    with joiner() as joined:
        evaluate(run)
    by_query, in_order, rows = seconds_of(run)
    together, spread = sum(in_order), makespan(in_order, slices)
    print(f"  {slices:,} slices")
    print_plans(run)
    print(
        f"    evaluated in {together:.2f} core-seconds, slowest slice {max(in_order):.3f} s, "
        f"with {slices:,} workers {spread:.3f} s\n"
        f"    joiner: {joined.asked:,} valuations in {joined.seconds:.3f} s ({joined.seconds / together:.1%}), "
        f"{joined.owned / max(1, joined.asked):.0%} of them owned; {rows:,} rows of slices",
        flush=True,
    )
    return by_query, results(run)


def compared(run: Run, counts: Sequence[int]) -> None:
    """All numbers of slices; raises SystemExit if tables differ."""
    workload, lake = run.workload, run.lake
    evaluate(sliced(run, counts[0]))  # kernels are read and queries compiled
    first: dict[str, list[str]] | None = None
    work = Work(0.0, 0.0, {})
    for slices in counts:
        by_query, tables = measured(run, slices)
        if first is None:
            first = tables
            copies = {
                name: row["predicted_replication"]
                for row in table(run, "slicing_plans").to_pylist()
                for name in row["queries"]
            }
            work = Work(0.0, 0.0, {name: spent / copies[name] for name, spent in by_query.items()})
        elif tables != first:
            raise SystemExit(f"tables differ with {slices:,} slices: {[n for n in first if tables[n] != first[n]]}")
        elif run.first == run.last:
            cuts = cuts_of(workload, run.compiled, lake, read_ledger(lake, workload.name), run.last)(slices)
            if cuts is not None:
                predicted = wall(work, cuts, slices).evaluate
                print(f"    predicted from {counts[0]:,} slices: {predicted:.3f} s with {slices:,} workers", flush=True)
    print(f"  {len(first or {})} tables are equal, {sum(map(len, (first or {}).values())):,} rows", flush=True)


def loaded(home: Path, workload: str, days: tuple[date, date]) -> Path:
    """A lake with these days and without results."""
    lake = home / "lake"
    command = [sys.executable, "-m", "jobs.cli", "run", workload, "--from", str(days[0]), "--to", str(days[1])]
    code, _ = run_watched([*command, "--stage", "load"], places(lake), output=home / "log")
    if code:
        raise SystemExit((home / "log").read_text()[-2_000:])
    return lake


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slices", nargs="*", type=int)
    parser.add_argument("--workload", default=WORKLOAD)
    parser.add_argument("--from", dest="first", type=date.fromisoformat)
    parser.add_argument("--to", dest="last", type=date.fromisoformat)
    parser.add_argument("--rows", type=int, help="a day of a large log with so many rows")
    parser.add_argument("--heavy", action="store_true", help="a third of them has one key")
    options: Any = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trendmill-slices-") as folder:
        home = Path(folder)
        if options.rows:
            workload = str(write_workload(home, Log(options.rows, heavy=options.heavy), "parquet", "patterns", 4))
            days = DAY, DAY
        else:
            workload, first = options.workload, options.first or WEEK[0]
            days = first, options.last or options.first or WEEK[-1]
        os.environ["TRENDMILL_SCRATCH"] = str(home / "scratch")
        lake, session = loaded(home, workload, days), LateSession("slices")
        print(f"{Log(options.rows, heavy=options.heavy) if options.rows else workload}, {days[0]} to {days[1]}")
        run = begin(workload, *days, "slices", session=session, lake=lake, progress=Silent())
        with leased(lake, run.workload.name, "slices"):
            compared(with_scope(run), options.slices or [4, 64, 1024])


if __name__ == "__main__":
    main()
