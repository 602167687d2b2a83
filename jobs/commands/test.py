"""`trendmill test`: a workload's cases - given events, expected answers - by the engine itself, without Spark."""

from __future__ import annotations

import argparse
import time

from jobs import places
from jobs.commands.asked import query_named
from jobs.commands.given_day import given_day
from jobs.exits import FAILED, OK, WrongWorkload
from jobs.log_files.arguments import positive
from jobs.questions.cases.recording import record
from jobs.questions.cases.suite import Suite, judge_all
from jobs.questions.lake_days import LakeDays
from jobs.reports.words.quantities import counted
from jobs.workload.compiled import WorkloadQuery, compile_workload
from jobs.workload.declaration import Workload, load_workload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("queries", nargs="*", metavar="query", help="only the cases of these queries (default: all)")
    parser.add_argument("--record", metavar="QUERY", help="write a case from a row that the query finds on a day")
    parser.add_argument("--day", type=given_day, help="with --record: an operating day of the lake")
    parser.add_argument(
        "--row", type=positive, help="with --record: which row of `trendmill try`, from 1 (default: one of few events)"
    )
    parser.add_argument("--title", help="with --record: what the case shows (default: when its first event was)")


def run(options: argparse.Namespace) -> int:
    """Judge the cases, or write one. Exit code 1 if one failed. Raises WorkloadError for a wrong case file."""
    for name in ("day", "row", "title"):
        if getattr(options, name) is not None and options.record is None:
            raise WrongWorkload(f"--{name} says what to record: give --record QUERY, too")
    workload = load_workload(options.workload)
    compiled = compile_workload(workload)
    for name in [*options.queries, *([options.record] if options.record else [])]:
        query_named(workload, compiled, name)
    if options.record is not None:
        return _record(options, workload, compiled[options.record])
    begin = time.perf_counter()
    suite = judge_all(workload, compiled, options.queries or None)
    return tell(suite, time.perf_counter() - begin)


def _record(options: argparse.Namespace, workload: Workload, query: WorkloadQuery) -> int:
    if options.day is None:
        raise WrongWorkload("--record takes a row of a day: give --day, too")
    if options.queries:
        raise WrongWorkload(f"--record writes a case and judges no others: leave {', '.join(options.queries)} out")
    recorded = record(LakeDays(workload, places.lake()), query, options.day, options.row, options.title)
    print(recorded.text, end="")
    print(f"written to {recorded.path}: {counted(recorded.events, 'event')}; it passes")
    return OK


def tell(suite: Suite, seconds: float) -> int:
    """Print what failed and a summary; the exit code."""
    for lines in suite.failures:
        print(*lines, "", sep="\n")
    print(f"{suite.summary}; {seconds:.2f} s")
    return FAILED if suite.failures else OK
