"""`trendmill match q.cep log.csv`: the matches of a pattern in a log's file as time lines, without Spark or a lake."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pyarrow as pa

from cep_core import explain
from cep_core.language.bound_query import MATCHING
from cep_core.language.budget import Budget
from cep_core.language.settings import Settings
from cep_core.matching.detecting import completing_events
from cep_core.matching.why.nearest import judge_of
from cep_core.progress.meter import Meter
from cep_core.progress.ranges import evaluate
from jobs.exits import OK, WrongWorkload
from jobs.log_files.arguments import (
    add_file_arguments,
    add_log_arguments,
    add_output_arguments,
    add_query_arguments,
    add_work_argument,
    asked_query,
    count,
)
from jobs.log_files.completing import completing_lines
from jobs.log_files.log import Log
from jobs.log_files.log_query import bind_to_log, remark_on
from jobs.log_files.matches import LogMatches
from jobs.log_files.output import is_for_programs, write_result
from jobs.log_files.reasons import why, why_none, why_not
from jobs.log_files.remarks import remark
from jobs.reports.words.quantities import Magnitude, counted, elapsed, quantity

SHOWN, FILED = 10, 10_000
"""LogMatches listed for a person, and for a program."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_query_arguments(parser)
    add_log_arguments(parser)
    add_file_arguments(parser)
    parser.add_argument("--limit", type=count, help=f"matches to list (default {SHOWN}; for programs {FILED:,})")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--collapsed", action="store_true", help="a row for all matches that end at the same event")
    forms.add_argument(
        "--detect", action="store_true", help="only which events complete a match: nothing is counted or listed"
    )
    parser.add_argument(
        "--why", action="store_true", help="why each is a match; if there is none, what stands in the way"
    )
    parser.add_argument(
        "--why-not", metavar="ROWS", help="why these events are no match, e.g. 12,15,19 (rows of the file)"
    )
    parser.add_argument(
        "--explain", action="store_true", help="print how the query is understood and evaluated; no log is read"
    )
    add_work_argument(parser)
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Read, match, print. Raises QueryError for a query that is wrong or is an aggregation, and WorkExhausted."""
    begin, meter = time.perf_counter(), Meter()
    if options.explain:
        text, name = asked_query(options)
        print(explain(text if options.text is not None else Path(name)))
        return OK
    budget = Budget(options.work, lambda spent: meter.tell("trying", min(spent, options.work), options.work))
    limit = options.limit if options.limit is not None else FILED if is_for_programs(options) else SHOWN
    try:
        bound, log = bind_to_log(options, meter, MATCHING)
        if options.detect and (options.why or options.why_not):
            raise WrongWorkload("--detect finds events, not matches: use --why and --why-not without it")
        matches = LogMatches(bound.query, log)
        if options.why_not:
            remark_on(bound, log)
            print(*why_not(matches, judge_of(matches.query, log.events), _numbers(options.why_not), budget), sep="\n")
            return OK
        if options.detect:
            rows = completing_events(bound.evaluator(Settings(collapsed=True, budget=budget)), log.events)
            remark_on(bound, log)
            _detected(matches, rows, limit, options, begin)
            return OK
        evaluator = bound.evaluator(Settings(limit, collapsed=options.collapsed, budget=budget))
        rows = evaluate(evaluator, log.events, lambda done, of: meter.tell("matching", done, of))
        meter.clear()
        remark_on(bound, log)
        if is_for_programs(options):
            write_result(rows, options)
            if _is_cut(rows):
                remark(f"the listing is cut: {_many(rows)} (--limit)")
            return OK
        _print(matches, rows.slice(0, limit), options)
        print(_ending(rows, log, limit, time.perf_counter() - begin, collapsed=options.collapsed))
        if options.why and not _total(rows).sign:
            for line in why_none(matches, lambda done, of: meter.tell("asking", done, of), budget):
                meter.clear()
                print(line)
    finally:
        meter.clear()
    return OK


def _print(matches: LogMatches, rows: pa.Table, options: argparse.Namespace) -> None:
    judge = judge_of(matches.query, matches.log.events) if options.why and not options.collapsed else None
    for number, row in enumerate(rows.to_pylist(), 1):
        print(*(matches.collapsed if options.collapsed else matches.lines)(number, row), sep="\n")
        if judge is not None:
            print(*why(matches, judge, matches.path(row), row.get("window_start")), sep="\n")
        print()


def _detected(matches: LogMatches, rows: pa.Table, limit: int, options: argparse.Namespace, begin: float) -> None:
    """The first events that complete a match."""
    shown = rows.slice(0, limit)
    many = counted(rows.num_rows, "event completes a match", "events complete a match")
    if "window_start" in rows.column_names:
        many = counted(rows.num_rows, "completing event of a window", "completing events of windows")
    cut = f", {quantity(limit)} shown (--limit)" if limit < rows.num_rows else ""
    if is_for_programs(options):
        write_result(shown, options)
        if cut:
            remark(f"the listing is cut: {many} (--limit)")
        return
    for line in completing_lines(matches, shown):
        print(line)
    print(f"{many}{cut}; {counted(matches.log.events.num_rows, 'event')} in {elapsed(time.perf_counter() - begin)}")


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise WrongWorkload(f"--why-not takes rows of the file such as 12,15,19, not '{text}'") from None


def _total(rows: pa.Table) -> Magnitude:
    metadata = rows.schema.metadata or {}
    return Magnitude.of(int(metadata.get(b"matches_total") or metadata[b"matches_at_least"]))


def _is_cut(rows: pa.Table) -> bool:
    return (rows.schema.metadata or {}).get(b"truncated") == b"true"


def _many(rows: pa.Table) -> str:
    exact = b"matches_total" in (rows.schema.metadata or {})
    return f"{'' if exact else 'at least '}{counted(_total(rows), 'match', 'matches')}"


def _ending(rows: pa.Table, log: Log, limit: int, seconds: float, *, collapsed: bool) -> str:
    sentence = _many(rows)
    if collapsed:
        sentence += f" in {counted(rows.num_rows, 'row')}"
    listed = min(rows.num_rows, limit)
    if listed < rows.num_rows or (not collapsed and _is_cut(rows)):
        sentence += f", {quantity(listed)} shown (--limit)"
    return f"{sentence}; {counted(log.events.num_rows, 'event')} in {elapsed(seconds)}"
