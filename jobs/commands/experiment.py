"""`trendmill experiment`: measure a workload's grids of experiments, then write their page."""

from __future__ import annotations

import argparse
from datetime import date

from jobs import places
from jobs.commands.given_day import given_day
from jobs.exits import OK
from jobs.runs.progress import to_person
from jobs.tasks.application import leased, new_run_id
from jobs.tasks.ending import end
from jobs.workload.declaration import load_workload
from jobs.workload.sections.experiment_grids import load_grids


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("--grid", action="append", default=[], metavar="NAME", help="only this grid; may be repeated")
    parser.add_argument("--day", type=given_day, metavar="DAY", help="the day of the rows (default: the log's start)")
    parser.add_argument(
        "--publish-only", action="store_true", help="write the page of the known results, without Spark"
    )
    parser.add_argument("--run-id", help="go on with this run; default: a new one")


def run(options: argparse.Namespace) -> int:
    """Measure what is not measured yet, and print the page's path. Waits while another run holds the lake."""
    from jobs.reports.experiments_page import publish_experiments
    from jobs.tasks.experiment_run import chosen

    workload = load_workload(options.workload)
    grids = load_grids(workload.name, workload.folder)
    chosen(grids, options.grid, workload.name)
    if not options.publish_only:
        _measure(options, workload.name, options.day or workload.start)
    print(publish_experiments(workload, grids))
    return OK


def _measure(options: argparse.Namespace, name: str, day: date) -> None:
    from jobs.lake.session import LateSession
    from jobs.tasks.experiment_run import experiment_all
    from jobs.tasks.nightly import begin

    progress, run_id = to_person(), options.run_id or new_run_id()
    with leased(name, f"`trendmill experiment` on {name}", run_id, progress):
        session = LateSession(f"trendmill experiment {name}")
        try:
            run = begin(options.workload, day, day, run_id, session=session, lake=places.lake(), progress=progress)
            experiment_all(run, options.grid)
        finally:
            session.stop()
        end(places.lake(), name, run_id)
