"""`trendmill why`: why one row of a query's answer is in it, with all that the lake has of its events.

In this process, without a JVM. A match is read from the lake; a row by its number is found by evaluating the day.
Nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from datetime import date

from cep_core.language.bound_query import MATCHING
from jobs import places
from jobs.commands.asked import query_named
from jobs.commands.given_day import given_day
from jobs.commands.readable_rows import readable_table
from jobs.exits import OK, WrongWorkload
from jobs.log_files.arguments import count
from jobs.questions.lake_days import LakeDays
from jobs.questions.reasons import why_row
from jobs.questions.stored_match import stored_match
from jobs.reports.words.clock import Clock
from jobs.workload.compiled import WorkloadQuery, compile_workload
from jobs.workload.declaration import load_workload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("query", help="a query's name in the workload")
    parser.add_argument("--day", required=True, type=given_day, help="operating day of the row")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--match", metavar="ID", help="the match_id of a listed match, as in the report's CSV file, or how it begins"
    )
    which.add_argument("--row", type=count, metavar="N", help="the Nth row that `trendmill try` finds, from 1")


def run(options: argparse.Namespace) -> int:
    """Print the row, its events and the reasons. Raises WrongWorkload if there is no such row."""
    workload = load_workload(options.workload)
    compiled = compile_workload(workload)
    query = compiled[query_named(workload, compiled, options.query)]
    days = LakeDays(workload, places.lake())
    clock = Clock(workload.time.unit, workload.time.zone)
    if options.match is None:
        _tell_row(days, query, options.day, options.row, clock)
        return OK
    if query.bound.kind != MATCHING:
        raise WrongWorkload(f"{query.name} lists no matches; --row N asks about a row of `trendmill try`")
    match = stored_match(days, query, options.day, options.match)
    recorded = days.ledger.results.get((query.name, options.day))
    if recorded is not None and recorded.definition != query.definition:
        print(f"the lake's results of {options.day} are of another definition of {query.name}", file=sys.stderr)
    print(*match.heading(), sep="\n")
    print(readable_table(match.events(), clock))
    print(*match.reasons(), sep="\n")
    return OK


def _tell_row(days: LakeDays, query: WorkloadQuery, day: date, number: int, clock: Clock) -> None:
    log = days.asked(query.bound, query.evaluator, day, day)
    rows = log.answer().rows
    if not 1 <= number <= rows.num_rows:
        raise WrongWorkload(f"--row {number}: {query.name} has {rows.num_rows:,} rows on {day}")
    row = rows.slice(number - 1, 1)
    print(readable_table(row, clock, windows_of_events=query.bound.windows_of_events))
    print(*why_row(log, row.to_pylist()[0]), sep="\n")
