"""`trendmill aggregate q.cep ticks.parquet`: aggregate over all trends of a log in a file, without Spark or a lake."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from cep_core.language.bound_query import AGGREGATION
from cep_core.language.patterns.query import Query, ReturnItem
from cep_core.language.settings import Settings
from cep_core.progress.meter import Meter
from cep_core.progress.ranges import evaluate
from cep_core.trends.choice.cores import on_cores
from jobs.commands.text_table import text_table
from jobs.exits import OK
from jobs.log_files.arguments import (
    add_file_arguments,
    add_log_arguments,
    add_output_arguments,
    add_query_arguments,
    count,
    positive,
)
from jobs.log_files.log import Log
from jobs.log_files.log_query import bind_to_log, remark_on
from jobs.log_files.output import is_for_programs, write_result
from jobs.log_files.times.log_clock import LogClock
from jobs.reports.answers.aggregations.aggregation import label
from jobs.reports.answers.aggregations.ranking import rank, value_of
from jobs.reports.words.quantities import counted, elapsed, quantity
from jobs.reports.words.values import shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_query_arguments(parser)
    add_log_arguments(parser)
    add_file_arguments(parser)
    parser.add_argument("--exact", action="store_true", help="print all digits of counts and sums")
    parser.add_argument("--top", action="store_true", help="print the largest first, not by window and group")
    parser.add_argument("--cores", type=positive, help="how many to use (default: all; the result is the same)")
    parser.add_argument("--limit", type=count, default=20, help="rows to print (default 20)")
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Read, aggregate, print. Raises QueryError for a query that is wrong or is no aggregation."""
    begin, meter = time.perf_counter(), Meter()
    try:
        bound, log = bind_to_log(options, meter, AGGREGATION)
        query, evaluator = bound.query, bound.evaluator(Settings(exact=options.exact))
        with on_cores(options.cores):
            rows = evaluate(evaluator, log.events, lambda done, of: meter.tell("counting", done, of))
    finally:
        meter.clear()
    remark_on(bound, log)
    if is_for_programs(options):
        write_result(rows, options)
        return OK
    shown_rows = (rank(query, rows).table if options.top else rows).slice(0, options.limit).to_pylist()
    if rows.num_rows and options.limit:
        print(table(query, shown_rows, log.clock, exact=options.exact))
    print(_ending(rows, log, options, time.perf_counter() - begin))
    return OK


def table(query: Query, rows: Sequence[Mapping[str, Any]], clock: LogClock, *, exact: bool) -> str:
    """Results as aligned text: groups, window, then each aggregate under the name in its query."""
    items = [item for item in query.returns if item.aggregate is not None]
    names = [*query.group_by, "window", *(label(item) for item in items)]
    cells = [
        [
            *(shown(row[name]) for name in query.group_by),
            clock.span(row["window_start"], row["window_end"]),
            *(_digits(item, row) if exact else _readable(item, row) for item in items),
        ]
        for row in rows
    ]
    right = [False] * (len(query.group_by) + 1) + [True] * len(items)
    return text_table(names, cells, right=right, widest=None)


def _readable(item: ReturnItem, row: Mapping[str, Any]) -> str:
    value = row[item.column]
    return shown(value) if isinstance(value, str | bool) else quantity(value_of(item, row))


def _digits(item: ReturnItem, row: Mapping[str, Any]) -> str:
    exactly = row.get(f"{item.column}_exact")
    if exactly is not None:
        return str(exactly)
    value = row[item.column]
    if value is None or (item.aggregate is not None and item.aggregate.rounded):
        return _readable(item, row)
    return str(value)


def _ending(rows: pa.Table, log: Log, options: argparse.Namespace, seconds: float) -> str:
    result_size = counted(rows.num_rows, "row") if rows.num_rows else "no trend in any window"
    more = f", {options.limit} shown (--limit, --top, --csv)" if rows.num_rows > options.limit else ""
    return f"{result_size}{more}; {counted(log.events.num_rows, 'event')} in {elapsed(seconds)}"
