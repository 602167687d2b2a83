"""`trendmill diff`: what an edited query changes on days of the lake, in this process. Nothing is written."""

from __future__ import annotations

import argparse
import time

from cep_core.progress.meter import Meter
from jobs import places
from jobs.commands.asked import query_named
from jobs.commands.given_day import given_day
from jobs.commands.text_table import text_table
from jobs.exits import OK, WrongWorkload
from jobs.log_files.arguments import count
from jobs.questions.changes.comparing import Comparison
from jobs.questions.changes.former_text import former_text
from jobs.questions.changes.single_effects import single_effects
from jobs.questions.changes.telling import Examples, edited_lines, table_of
from jobs.questions.lake_days import LakeDays
from jobs.reports.words.quantities import elapsed
from jobs.runs.run import days_between, shown_days
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import load_workload

EXAMPLES = 3
"""Rows of each kind of change."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("query", help="a query's name in the workload")
    parser.add_argument(
        "--against",
        metavar="REV|FILE",
        help="a revision in git, or a file (default: HEAD; if that is the present text, what the lake was made with)",
    )
    parser.add_argument("--from", dest="first", type=given_day, required=True, metavar="DAY", help="first day")
    parser.add_argument("--to", dest="last", type=given_day, metavar="DAY", help="last one (default: --from)")
    parser.add_argument("--limit", type=count, default=EXAMPLES, help=f"rows of each kind to show (default {EXAMPLES})")


def run(options: argparse.Namespace) -> int:
    """Evaluate both versions on each day, compare, print. Raises QueryError, WorkExhausted."""
    begin, meter = time.perf_counter(), Meter()
    workload = load_workload(options.workload)
    compiled = compile_workload(workload)
    query = compiled[query_named(workload, compiled, options.query)]
    last = options.last or options.first
    if last < options.first:
        raise WrongWorkload(f"--to {last} lies before --from {options.first}")
    lake = LakeDays(workload, places.lake())
    days = [day for day in days_between(options.first, last) if lake.ledger.holds(day)]
    if not days:
        raise WrongWorkload(f"the lake holds none of {options.first}..{last}; load days with `trendmill run`")
    former = former_text(workload, query, options.against, days, places.lake())
    if former is None or former.text == query.bound.text:
        known = "in HEAD or behind the lake's results" if former is None else f"in {former.called}"
        print(f"{query.name}: no other text {known}; --against names a revision or a file")
        return OK
    comparison = Comparison(lake, query, former)
    compared = []
    try:
        for each in comparison.of_days(days):
            compared.append(each)
            meter.tell("comparing", len(compared), len(days))
    finally:
        meter.clear()
    print(f"{query.name}: now, against {former.called}")
    print(*edited_lines(former, query.bound.text), sep="\n")
    names, rows = table_of(compared)
    print(text_table(names, rows, right=[False, True, True, True, True, True, False], widest=None))
    effects = single_effects(compared)
    if effects is not None:
        names, rows = effects.table()
        print(f"on {shown_days(effects.days)}:")
        print(text_table(names, rows, right=[False, True, True, True, True, True], widest=None))
    print(*Examples(compared, comparison.keys, options.limit, effects).lines(), sep="\n")
    if lacking := sorted({*days_between(options.first, last)} - {*days}):
        print(f"the lake does not hold {shown_days(lacking)}")
    if missing := sorted({day for each in days for day in lake.missing(query.evaluator, each)}):
        print(f"incomplete: within reach the lake lacks, or the gate refused, {shown_days(missing)}")
    if stale := lake.changed_since(query.name, days):
        print(f"both versions read the present events; the lake's results of {shown_days(stale)} were found on others")
    print(f"{elapsed(time.perf_counter() - begin)}")
    return OK
