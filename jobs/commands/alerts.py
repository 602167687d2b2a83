"""`trendmill alerts`: what a day's alerts say, to send it, and to try each place."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from jobs import places
from jobs.alerts.judging import JudgedDay, last_ended
from jobs.alerts.telling import explain, send_tests, tell
from jobs.commands.given_day import given_day
from jobs.exits import FAILED, OK, WrongWorkload
from jobs.workload.declaration import Workload, load_workload, read_workload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("--day", type=given_day, metavar="DAY", help="operating day (default: the newest with results)")
    parser.add_argument("--late", action="store_true", help="only whether the results of the last day are late by now")
    parser.add_argument("--send", action="store_true", help="send what is due and was not sent; else only tell it")
    parser.add_argument("--test", action="store_true", help="send a message marked as a test to each place")


def run(options: argparse.Namespace) -> int:
    """Print what each alert says, and send if asked to. Exit code 1: a message could not be sent."""
    if options.test and (options.day or options.late or options.send):
        raise WrongWorkload("--test sends a test message and nothing else; leave --day, --late and --send out")
    if options.late and options.day:
        raise WrongWorkload("--late looks at the day that ended last; leave --day out")
    if options.send and not (options.day or options.late):
        raise WrongWorkload("--send needs --day DAY or --late")
    workload, now = _workload(options), datetime.now(UTC)
    if not workload.alerts.alerts:
        raise WrongWorkload(f"workload '{workload.name}' declares no alerts (docs/alerts.md)")
    if options.test:
        return OK if send_tests(workload, now.date(), print) else FAILED
    day = last_ended(workload, now) if options.late else options.day
    judged = JudgedDay(workload, day or workload.start, now, places.lake(), places.reports())
    if day is None:
        if judged.newest is None:
            raise WrongWorkload(f"the lake has no results of '{workload.name}' yet; give a --day")
        judged = JudgedDay(workload, judged.newest, now, places.lake(), places.reports())
    alerts = [alert for alert in workload.alerts.alerts if alert.late is not None or not options.late]
    if not options.send:
        explain(judged, alerts, print)
        return OK
    return OK if tell(judged, alerts, print) else FAILED


def _workload(options: argparse.Namespace) -> Workload:
    """The workload. A mistake in it is a reason for late results, so that the check for them goes on."""
    if not options.late:
        return load_workload(options.workload)
    workload, problems = read_workload(options.workload)
    for problem in problems:
        print(f"the workload is wrong: {problem}")
    return workload
