"""`trendmill try`: evaluate one query on a day of the lake in this process, without a JVM. Nothing is written."""

from __future__ import annotations

import argparse
import json
import sys
import time
from datetime import date, timedelta

from cep_core.compile import bind_text
from cep_core.events.logs.time_points import with_points
from cep_core.language.budget import Budget
from cep_core.language.evaluator import CERTAIN, TOTALS, Ownership, of_table
from cep_core.progress.meter import Meter
from jobs import places
from jobs.commands.asked import query_file
from jobs.commands.readable_rows import readable_table
from jobs.exits import OK, WrongWorkload
from jobs.lake.reading import read_events
from jobs.log_files.arguments import positive
from jobs.log_files.output import write_csv
from jobs.reports.words.clock import Clock
from jobs.runs.ledger import bounds_of, read_ledger
from jobs.runs.scope import first_read, holes
from jobs.workload.compiled import evaluation_settings
from jobs.workload.declaration import load_workload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("query", help="a query's name in the workload, or a file with a query")
    parser.add_argument("--day", required=True, type=date.fromisoformat, help="operating day")
    parser.add_argument("--limit", type=int, default=20, help="rows to print (default 20)")
    parser.add_argument(
        "--work", type=positive, metavar="STEPS", help="budget of work in place of the workload's limits.work"
    )
    parser.add_argument("--csv", action="store_true", help="print every row as CSV")


def run(options: argparse.Namespace) -> int:
    """Evaluate, then print rows, totals and what was read. Raises WorkExhausted."""
    begin, meter = time.perf_counter(), Meter()
    workload = load_workload(options.workload)
    path = query_file(workload, options.query)
    work = options.work or workload.limits.work
    budget = Budget(work, lambda spent: meter.tell("trying", min(spent, work), work))
    bound = bind_text(path.read_text(encoding="utf-8"), workload.schema, path.name, whole_log=False)
    evaluator = bound.evaluator(evaluation_settings(workload, path.stem, budget))
    ledger, bounds, lake = read_ledger(places.lake(), workload.name), bounds_of(workload), places.lake()
    if not ledger.holds(options.day):
        raise WrongWorkload(f"the lake does not hold {options.day}; load it with `trendmill run {workload.name}`")
    first = first_read(evaluator.reach, options.day, ledger, bounds)
    days = [first + timedelta(days=n) for n in range((options.day - first).days + 1)]
    events, points = with_points(read_events(lake, workload, days), workload.time.points)
    owned = workload.operating_days.interval(options.day)
    try:
        merged = evaluator.merge(of_table(evaluator.evaluate(events, Ownership(days=owned), points)), owned)
    finally:
        meter.clear()
    rows = merged.drop_columns([CERTAIN])
    if missing := holes(first, options.day, ledger, bounds):
        print(f"incomplete: the lake lacks, or the gate refused, {', '.join(map(str, missing))}", file=sys.stderr)
    if options.csv:
        write_csv(rows, sys.stdout)
        return OK
    shown = rows.slice(0, options.limit)
    clock = Clock(workload.time.unit, workload.time.zone)
    print(readable_table(shown, clock, windows_of_events=bound.windows_of_events))
    totals = json.loads((merged.schema.metadata or {}).get(TOTALS, b"{}")).get(str(owned[0]), {})
    counts = "".join(f", {name} {value}" for name, value in totals.items() if value is not None)
    print(f"{rows.num_rows:,} rows{counts}; {events.num_rows:,} events of {first}..{options.day} read")
    print(f"{time.perf_counter() - begin:.1f} s")
    return OK
