"""`trendmill report NAME --day D [--to D]`: publish reports from the present workload and lake, without a JVM."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from jobs.commands.given_day import given_day
from jobs.exits import FAILED, OK, WrongWorkload
from jobs.reports.publish import publish
from jobs.workload.declaration import load_workload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument(
        "--day", "--from", dest="day", type=given_day, required=True, metavar="DAY", help="first operating day"
    )
    parser.add_argument("--to", dest="last", type=given_day, metavar="DAY", help="last one (default: --day)")


def run(options: argparse.Namespace) -> int:
    """Publish, and print where the pages are."""
    last = options.last or options.day
    if last < options.day:
        raise WrongWorkload(f"--to {last} lies before --day {options.day}")
    run_id = f"report-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    workload = load_workload(options.workload)
    published = publish(workload, workload.operating_days.days(options.day, last), run_id)
    for day in published.skipped:
        print(f"{day}: not in the lake, nothing to publish")
    for day in published.kept:
        print(f"{day}: the last load failed the quality gate, the report stays as it was")
    for page in published.pages.values():
        print(page)
    return OK if published.pages or published.kept else FAILED
