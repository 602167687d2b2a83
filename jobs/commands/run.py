"""`trendmill run`: load, slice, evaluate and publish operating days in one Spark application."""

from __future__ import annotations

import argparse
import os
import socket
import time
from dataclasses import replace
from datetime import UTC, date, datetime

from jobs import places
from jobs.exits import OK, GateFailure, WrongWorkload
from jobs.lake.lease import give_back, kept, lease_file, wait_for
from jobs.runs.progress import to_person
from jobs.runs.run import Progress, StageOutcome

STAGES = ("load", "slice", "evaluate", "publish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("--from", dest="first", type=date.fromisoformat, metavar="DAY", help="first operating day")
    parser.add_argument("--to", dest="last", type=date.fromisoformat, metavar="DAY", help="last one (default: --from)")
    parser.add_argument("--stage", action="append", choices=STAGES, help="only this task, may be repeated")
    parser.add_argument("--stale", action="store_true", help="evaluate again what `trendmill status` calls stale")
    parser.add_argument("--run-id", help="go on with this run; default: a new one")


def run(options: argparse.Namespace) -> int:
    """Run; waits for another run of the same workload. Returns the exit code."""
    if options.stale == (options.first is not None):
        raise WrongWorkload("give either --from DAY [--to DAY] or --stale")
    first, last = options.first or date.min, options.last or options.first or date.min
    if last < first:
        raise WrongWorkload(f"--to {last} lies before --from {first}")
    from jobs.workload.declaration import load_workload

    workload = load_workload(options.workload)
    run_id = options.run_id or f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}"
    progress, path = to_person(), lease_file(places.lake(), workload.name)
    what = "stale days" if options.stale else f"{first}..{last}"
    holder = f"`trendmill run {workload.name}` of {what} (process {os.getpid()} on {socket.gethostname()})"
    lease = wait_for(path, run_id, holder, process=os.getpid(), tell=progress.note)
    try:
        with kept(path, lease) as check:
            return _run(options, str(options.workload), (first, last), run_id, progress, check)
    finally:
        give_back(path, run_id)


def _run(
    options: argparse.Namespace, name: str, days: tuple[date, date], run_id: str, progress: Progress, check: object
) -> int:
    from jobs.lake.session import start_session
    from jobs.runs.tasks import TASKS, begin, refused_days, stale_scope

    started = time.perf_counter()
    progress.start("start")
    spark = start_session(f"trendmill run {name}")
    try:
        run = begin(name, *days, run_id, spark=spark, lake=places.lake(), progress=progress)
        if options.stale:
            scope = stale_scope(run)
            if not scope.evaluations:
                progress.finish("start", StageOutcome(message="nothing is stale"), time.perf_counter() - started)
                return OK
            run = replace(run, scope=scope, first=scope.days[0], last=scope.days[-1])
        progress.finish("start", StageOutcome(message=f"run {run_id}"), time.perf_counter() - started)
        chosen = options.stage or (STAGES[1:] if options.stale else STAGES)
        for stage in STAGES:
            if stage not in chosen:
                continue
            assert callable(check)
            check()
            if stage == "publish":
                _publish(run.workload.name, run.first, run.last, run_id, progress)
            else:
                TASKS[stage](run)
        if refused := refused_days(run):
            raise GateFailure(refused)
    finally:
        spark.stop()
    return OK


def _publish(name: str, first: date, last: date, run_id: str, progress: Progress) -> None:
    from jobs.reports.publish import publish

    progress.start("publish")
    begin = time.perf_counter()
    outcome = publish(name, first, last, run_id)
    progress.finish("publish", outcome, time.perf_counter() - begin)
