"""`trendmill explain`: how a query will be evaluated - its classes, reach, slicing and cost."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from jobs.exits import OK, WrongWorkload
from jobs.workload.declaration import Workload, load_workload
from jobs.workload.explained import explain_question
from jobs.workload.problems import nearest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("query", nargs="?", help="a query's name, or a file with a query (default: all)")
    parser.add_argument("--json", action="store_true", help="the same facts as JSON")


def run(options: argparse.Namespace) -> int:
    """Print each query's explanation."""
    workload = load_workload(options.workload)
    explained = {path.stem: explain_question(workload, path) for path in _files(workload, options.query)}
    if options.json:
        print(json.dumps({name: found.to_dict() for name, found in explained.items()}, indent=2))
        return OK
    for name, found in explained.items():
        print(f"{name}\n{found}\n")
    return OK


def _files(workload: Workload, asked: str | None) -> list[Path]:
    known = {path.stem: path for path in workload.question_files()}
    if asked is None:
        return list(known.values())
    if asked in known:
        return [known[asked]]
    if Path(asked).is_file():
        return [Path(asked)]
    raise WrongWorkload(f"'{workload.name}' has no query '{asked}'; {nearest(asked, known)}")
