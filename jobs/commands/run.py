"""`trendmill run`: load, slice, evaluate and publish operating days in one Spark application."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import date

from jobs import places
from jobs.analysis.folder import check_folder
from jobs.exits import OK, WrongWorkload
from jobs.runs.changed_files import changed_files
from jobs.runs.ledger import read_ledger
from jobs.runs.outdated_loads import outdated_days
from jobs.tasks.application import TASKS, Application
from jobs.workload.declaration import Workload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("--from", dest="first", type=date.fromisoformat, metavar="DAY", help="first operating day")
    parser.add_argument("--to", dest="last", type=date.fromisoformat, metavar="DAY", help="last one (default: --from)")
    parser.add_argument("--stage", action="append", choices=TASKS, help="do only this task; may be repeated")
    parser.add_argument("--stale", action="store_true", help="load and evaluate again what `trendmill status` lists")
    parser.add_argument("--run-id", help="go on with this run; default: a new one")


def run(options: argparse.Namespace) -> int:
    """Run. Waits while another run of the same workload holds the lake."""
    if options.stale == (options.first is not None):
        raise WrongWorkload("give either --from DAY [--to DAY] or --stale")
    workload = check_folder(options.workload).workload
    if options.stale:
        from jobs.tasks.nightly import stale_scope

        tasks = options.stage or TASKS[1:]
        stale = Application(workload.name, options.workload, tasks, run_id=options.run_id, scope=stale_scope)
        decide = None if options.stage else lambda: replace(stale, again=_days_to_load_again(workload))
        replace(stale, decide=decide).run()
        return OK
    last = options.last or options.first
    if last < options.first:
        raise WrongWorkload(f"--to {last} lies before --from {options.first}")
    if options.first < workload.start:
        raise WrongWorkload(f"--from {options.first} lies before the log's start, {workload.start}")
    tasks = options.stage or TASKS
    Application(workload.name, options.workload, tasks, options.first, last, run_id=options.run_id).run()
    return OK


def _days_to_load_again(workload: Workload) -> tuple[date, ...]:
    """The days that another definition, or files of other bytes, gave."""
    ledger = read_ledger(places.lake(), workload.name)
    changed = changed_files(places.lake(), workload, ledger.days)
    return tuple(sorted({*outdated_days(ledger, workload), *changed}))
