"""`trendmill report NAME --day D [--to D]`: publish reports from the lake as it is, without a JVM.

With `--run-id` it is that run's last task: it needs the run's lease and gives it back, and fails if the gate refused a
day of the run.
"""

from __future__ import annotations

import argparse
from datetime import UTC, date, datetime

from jobs import places
from jobs.exits import FAILED, OK, GateFailure, WrongWorkload
from jobs.lake.lease import give_back, kept, lease_file, take
from jobs.reports.publish import publish
from jobs.runs.ledger import refused_by
from jobs.workload.declaration import folder_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument(
        "--day", "--from", dest="day", type=date.fromisoformat, required=True, metavar="DAY", help="first operating day"
    )
    parser.add_argument("--to", dest="last", type=date.fromisoformat, metavar="DAY", help="last one (default: --day)")
    parser.add_argument("--run-id", help="publish as the last task of this run")


def run(options: argparse.Namespace) -> int:
    """Publish, and print where the pages are."""
    last = options.last or options.day
    if last < options.day:
        raise WrongWorkload(f"--to {last} lies before --day {options.day}")
    if options.run_id:
        return _end_run(options.workload, options.day, last, options.run_id)
    return _publish(options.workload, options.day, last, f"report-{datetime.now(UTC):%Y%m%dT%H%M%S}")


def _end_run(workload: str, first: date, last: date, run_id: str) -> int:
    lake, name = places.lake(), folder_of(workload).name
    path = lease_file(lake, name)
    lease = take(path, run_id, f"run {run_id} (task publish)")
    with kept(path, lease):
        code = _publish(workload, first, last, run_id)
    give_back(path, run_id)
    refused = {day: why for day, why in refused_by(lake, name, run_id).items() if first <= day <= last}
    if refused:
        raise GateFailure(refused)
    return code


def _publish(workload: str, first: date, last: date, run_id: str) -> int:
    published = publish(workload, first, last, run_id)
    for day in published.skipped:
        print(f"{day}: not in the lake, nothing to publish")
    for day in published.kept:
        print(f"{day}: the last load failed the quality gate, the report stays as it was")
    for page in published.pages.values():
        print(page)
    return OK if published.pages or published.kept else FAILED
