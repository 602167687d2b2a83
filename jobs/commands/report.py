"""`trendmill report NAME --day D [--to D]`: publish reports from the lake as it is, without a JVM."""

from __future__ import annotations

import argparse
from datetime import UTC, date, datetime

from jobs.reports.publish import publish


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", help="the workload")
    parser.add_argument("--day", required=True, type=date.fromisoformat, help="the operating day, YYYY-MM-DD")
    parser.add_argument("--to", type=date.fromisoformat, help="the last day; default: the same")


def run(options: argparse.Namespace) -> int:
    """Publish, print where the pages are, and answer 1 if no day could be published."""
    run_id = f"report-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    published = publish(options.name, options.day, options.to or options.day, run_id)
    for day in published.skipped:
        print(f"{day}: nothing to publish, the lake has no such day")
    for day in published.kept:
        print(f"{day}: the last load failed the quality gate, the report stays as it was")
    for page in published.pages.values():
        print(page)
    return 0 if published.pages or published.kept else 1
