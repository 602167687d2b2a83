"""`trendmill run`: load, slice, evaluate and publish operating days in one Spark application."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import UTC, date, datetime

from jobs import places
from jobs.analysis.folder import Folder, check_folder
from jobs.commands.asked import query_named
from jobs.commands.given_day import given_day
from jobs.exits import OK, WrongWorkload
from jobs.lake.leasing.lease import lease_file, read
from jobs.lake.tables.all_tables import run_tables
from jobs.lake.tables.creating import refuse_changed
from jobs.questions.coming_run.seconds import past_runs
from jobs.questions.coming_run.telling import ComingRun
from jobs.questions.coming_run.work import Asked, coming_work
from jobs.runs.changed_files import changed_files
from jobs.runs.ledger import read_ledger
from jobs.runs.outdated_loads import outdated_days
from jobs.tasks.application import TASKS, Application
from jobs.workload.declaration import Workload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("--from", dest="first", type=given_day, metavar="DAY", help="first operating day")
    parser.add_argument("--to", dest="last", type=given_day, metavar="DAY", help="last one (default: --from)")
    parser.add_argument("--stage", action="append", choices=TASKS, help="do only this task; may be repeated")
    parser.add_argument("--stale", action="store_true", help="load and evaluate again what `trendmill status` lists")
    parser.add_argument(
        "--select",
        nargs="+",
        metavar="QUERY",
        help="evaluate only these queries; the others keep the results they have",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="only tell what would be loaded and evaluated, why, and how long it may take; starts and writes nothing",
    )
    parser.add_argument("--run-id", help="go on with this run; default: a new one")


def run(options: argparse.Namespace) -> int:
    """Run. Waits while another run of the same workload holds the lake."""
    if options.stale == (options.first is not None):
        raise WrongWorkload("give either --from DAY [--to DAY] or --stale")
    folder = check_folder(options.workload)
    workload, selected = folder.workload, _selected(options, folder)
    if options.dry_run and options.run_id is not None:
        raise WrongWorkload("--run-id goes on with a run, and --dry-run begins none")
    last = options.last or options.first
    if not options.stale:
        _check_days(workload, options.first, last)
    tasks = options.stage or (TASKS[1:] if options.stale else TASKS)
    if options.dry_run:
        again = options.stale and not options.stage
        return _tell(folder, Asked(("load", *tasks) if again else tasks, options.first, last), selected)
    run_id = options.run_id
    if options.stale:
        from jobs.tasks.nightly import stale_scope

        stale = Application(workload.name, options.workload, tasks, run_id=run_id, scope=stale_scope, selected=selected)
        decide = None if options.stage else lambda: replace(stale, again=_days_to_load_again(workload))
        replace(stale, decide=decide).run()
        return OK
    Application(workload.name, options.workload, tasks, options.first, last, run_id, selected=selected).run()
    return OK


def _check_days(workload: Workload, first: date, last: date) -> None:
    """Raises WrongWorkload for days in the wrong order, or before the log's start."""
    if last < first:
        raise WrongWorkload(f"--to {last} lies before --from {first}")
    if first < workload.start:
        raise WrongWorkload(f"--from {first} lies before the log's start, {workload.start}")


def _tell(folder: Folder, asked: Asked, selected: frozenset[str] | None) -> int:
    """Print what a run would do. Raises SchemaChanged where the run would."""
    lake, workload = places.lake(), folder.workload
    refuse_changed(workload.name, run_tables(workload, folder.compiled), lake)
    compiled = {name: query for name, query in folder.compiled.items() if selected is None or name in selected}
    work = coming_work(workload, asked, compiled, lake)
    past = past_runs(lake, places.reports(), workload.name, work.ledger)
    print(f"{workload.name}: what a run would do")
    print(*ComingRun(workload, asked, work, past, lake).lines(), sep="\n")
    lease = read(lease_file(lake, workload.name))
    if lease is not None and not lease.is_over(datetime.now(UTC)):
        print(f"  waits     for {lease.holder}, who has the lake until {lease.expires:%Y-%m-%d %H:%M}Z")
    return OK


def _selected(options: argparse.Namespace, folder: Folder) -> frozenset[str] | None:
    """The queries of --select. Raises WrongWorkload for one that there is not."""
    if options.select is None:
        return None
    if options.stage and set(options.stage) == {"publish"}:
        raise WrongWorkload("--select chooses what is evaluated, and --stage publish evaluates nothing")
    return frozenset(query_named(folder.workload, folder.compiled, name) for name in options.select)


def _days_to_load_again(workload: Workload) -> tuple[date, ...]:
    """The days that another definition, or files of other bytes, gave."""
    ledger = read_ledger(places.lake(), workload.name)
    changed = changed_files(places.lake(), workload, ledger.days.keys() - set(ledger.expired))
    return tuple(sorted({*outdated_days(ledger, workload), *changed}))
