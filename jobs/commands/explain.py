"""`trendmill explain`: how a query will be evaluated - its classes, reach, slicing and cost.

With `--day` also the plan by which a day's events are sliced, from the lake's own counts. With `--workers` as well:
what more workers would give for that day.
"""

from __future__ import annotations

import argparse
import json

from cep_core.language.explanation import Explanation
from jobs import places
from jobs.commands.asked import query_file
from jobs.commands.given_day import given_day
from jobs.exits import OK, WrongWorkload
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import Workload, load_workload
from jobs.workload.explained import explain_question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("query", nargs="?", help="a query's name, or a file with a query (default: all)")
    parser.add_argument("--day", type=given_day, help="also how this operating day is sliced: shares, loads")
    parser.add_argument("--workers", action="store_true", help="with --day: its predicted time with 1 to 1,024 workers")
    parser.add_argument("--json", action="store_true", help="the same facts as JSON")


def run(options: argparse.Namespace) -> int:
    """Print each query's explanation, or what more workers would give."""
    workload = load_workload(options.workload)
    if options.workers:
        return _more_workers(options, workload)
    files = [query_file(workload, options.query)] if options.query else workload.question_files()
    explained = {path.stem: explain_question(workload, path) for path in files}
    if options.day is not None:
        from jobs.stages.slicing.day_plans import slicing_sections

        slicing = slicing_sections(workload, compile_workload(workload), places.lake(), options.day)
        explained = {
            name: Explanation((*explanation.sections, *([slicing[name]] if name in slicing else [])))
            for name, explanation in explained.items()
        }
    if options.json:
        print(json.dumps({name: explanation.to_dict() for name, explanation in explained.items()}, indent=2))
        return OK
    for name, explanation in explained.items():
        print(f"{name}\n{explanation}\n")
    return OK


def _more_workers(options: argparse.Namespace, workload: Workload) -> int:
    from jobs.stages.measuring.more_workers import more_workers

    if options.day is None or options.query is not None:
        raise WrongWorkload("--workers asks about all queries of one day: trendmill explain NAME --day D --workers")
    section = more_workers(workload, compile_workload(workload), places.lake(), options.day)
    print(json.dumps(section.facts, indent=2) if options.json else Explanation((section,)))
    return OK
