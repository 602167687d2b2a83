"""`trendmill try`: evaluate one query on a day of the lake, in this process, without a JVM; nothing is written."""

from __future__ import annotations

import argparse
import json
import time
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa

from cep_core.compile import compile_query
from cep_core.language.evaluator import CERTAIN, TOTALS, Ownership
from jobs import places
from jobs.commands.text_table import text_table
from jobs.exits import OK, WrongWorkload
from jobs.lake.reading import read_events
from jobs.runs.ledger import bounds_of, read_ledger
from jobs.runs.scope import first_read, holes
from jobs.workload.declaration import Workload, load_workload
from jobs.workload.problems import nearest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("query", help="a query's name in the workload, or a file with a query")
    parser.add_argument("--day", required=True, type=date.fromisoformat, help="operating day")
    parser.add_argument("--limit", type=int, default=20, help="rows to print (default 20)")
    parser.add_argument("--csv", action="store_true", help="print every row as CSV")


def run(options: argparse.Namespace) -> int:
    """Evaluate, then print rows, totals and what was read."""
    begin = time.perf_counter()
    workload = load_workload(options.workload)
    path = query_file(workload, options.query)
    settings = workload.settings(path.stem)
    evaluator = compile_query(
        path.read_text(encoding="utf-8"),
        workload.schema,
        path=path.name,
        max_matches=settings.max_matches,
        exact=settings.exact_counts,
    )
    ledger, bounds, lake = read_ledger(places.lake(), workload.name), bounds_of(workload), places.lake()
    if not ledger.holds(options.day):
        raise WrongWorkload(f"the lake does not hold {options.day}; load it with `trendmill run {workload.name}`")
    first = first_read(evaluator.reach, options.day, ledger, bounds)
    days = [first + timedelta(days=n) for n in range((options.day - first).days + 1)]
    events = read_events(lake, workload, days)
    owned = workload.operating_days.interval(options.day)
    merged = evaluator.merge(evaluator.evaluate(events, Ownership(days=owned)), owned)
    rows = merged.drop_columns([CERTAIN])
    _print(rows, options)
    if not options.csv:
        totals = json.loads((merged.schema.metadata or {}).get(TOTALS, b"{}")).get(str(owned[0]), {})
        told = "".join(f", {name} {value}" for name, value in totals.items() if value is not None)
        print(f"{rows.num_rows:,} rows{told}; {events.num_rows:,} events of {first}..{options.day} read")
        if missing := holes(first, options.day, ledger, bounds):
            print(f"incomplete: the lake lacks, or the gate refused, {', '.join(map(str, missing))}")
        print(f"{time.perf_counter() - begin:.1f} s")
    return OK


def query_file(workload: Workload, query: str) -> Path:
    """The file of a query by its name in the workload, or by path; WrongWorkload names the nearest known query."""
    known = {path.stem: path for path in workload.question_files()}
    if query in known:
        return known[query]
    if Path(query).is_file():
        return Path(query)
    raise WrongWorkload(f"workload '{workload.name}' has no query '{query}'; {nearest(query, known)}")


def _print(rows: pa.Table, options: argparse.Namespace) -> None:
    shown = rows if options.csv else rows.slice(0, options.limit)
    if options.csv:
        print(",".join(rows.schema.names))
        for row in shown.to_pylist():
            print(",".join("" if value is None else str(value) for value in row.values()))
    else:
        print(text_table(shown.schema.names, [list(row.values()) for row in shown.to_pylist()]))
