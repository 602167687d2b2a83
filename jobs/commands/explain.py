"""`trendmill explain`: how a query will be evaluated - its classes, reach, slicing and cost.

With `--day` also the plan by which a day's events are sliced, from the lake's own counts.
"""

from __future__ import annotations

import argparse
import json
from datetime import date

from cep_core.language.explanation import Explanation
from jobs import places
from jobs.commands.asked import query_file
from jobs.exits import OK
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import load_workload
from jobs.workload.explained import explain_question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("query", nargs="?", help="a query's name, or a file with a query (default: all)")
    parser.add_argument("--day", type=date.fromisoformat, help="also how this operating day is sliced: shares, loads")
    parser.add_argument("--json", action="store_true", help="the same facts as JSON")


def run(options: argparse.Namespace) -> int:
    """Print each query's explanation."""
    workload = load_workload(options.workload)
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
