"""`trendmill try`: evaluate one query on a day of the lake in this process, without a JVM. Nothing is written."""

from __future__ import annotations

import argparse
import sys
import time

from cep_core.compile import bind_text
from cep_core.language.budget import Budget
from cep_core.progress.meter import Meter
from jobs import places
from jobs.commands.asked import query_file
from jobs.commands.given_day import given_day
from jobs.commands.readable_rows import readable_table
from jobs.exits import OK
from jobs.log_files.arguments import positive
from jobs.log_files.output import write_csv
from jobs.questions.lake_days import LakeDays
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import counted
from jobs.workload.compiled import evaluation_settings
from jobs.workload.declaration import load_workload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("query", help="a query's name in the workload, or a file with a query")
    parser.add_argument("--day", required=True, type=given_day, help="operating day")
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
    lake = LakeDays(workload, places.lake())
    log = lake.asked(bound, evaluator, options.day, options.day)
    try:
        answer = log.answer()
    finally:
        meter.clear()
    rows = answer.rows
    if missing := lake.missing(evaluator, options.day):
        print(f"incomplete: the lake lacks, or the gate refused, {', '.join(map(str, missing))}", file=sys.stderr)
    if options.csv:
        write_csv(rows, sys.stdout)
        return OK
    shown = rows.slice(0, options.limit)
    clock = Clock(workload.time.unit, workload.time.zone)
    if rows.num_rows:
        print(readable_table(shown, clock, windows_of_events=bound.windows_of_events))
    elif why := log.without_matches():
        print(why)
    counts = "".join(f", {name} {value}" for name, value in answer.numbers().items() if value is not None)
    read = lake.read_for(evaluator, options.day)
    events = counted(log.events.num_rows, "event")
    print(f"{counted(rows.num_rows, 'row')}{counts}; {events} of {read[0]}..{options.day} read")
    print(f"{time.perf_counter() - begin:.1f} s")
    return OK
