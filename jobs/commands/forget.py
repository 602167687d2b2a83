"""`trendmill forget`: remove all rows of a person or thing from a lake and its reports, for good."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime

from jobs import places
from jobs.erasure.condition import read_condition
from jobs.erasure.key import erasure_key, where
from jobs.erasure.rules import BEGUN, Erasure, read_erasures
from jobs.exits import OK, WrongWorkload
from jobs.lake.register import table_folders
from jobs.reports.words.quantities import counted
from jobs.runs.progress import to_person
from jobs.runs.run import Run, shown_days
from jobs.runs.scope import Scope
from jobs.tasks.application import Application, leased, new_run_id, publish_run
from jobs.tasks.ending import end
from jobs.tasks.forgetting.derived_rows import OUTDATED, present_ledger, results_of, shown_by
from jobs.tasks.forgetting.erase import Order, erase, retire, sought_by
from jobs.tasks.forgetting.places_left import files_with_values, other_workloads, places_left
from jobs.tasks.forgetting.touched import by_text, touched
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import Workload, load_workload

SHOWN = 10
"""Days of a table that are listed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("--where", metavar="CONDITION", help="whose rows: column = value, or several joined by AND")
    parser.add_argument("--dry-run", action="store_true", help="only tell the rows by table and day")
    parser.add_argument("--list", action="store_true", dest="listed", help="tell what was forgotten, without values")
    parser.add_argument("--retire-lost", action="store_true", help="give up the rules whose key is lost")
    parser.add_argument("--retire", metavar="ERASURE", help="give up one rule: loads leave its rows out no more")
    parser.add_argument("--by", default=None, metavar="NAME", help="who asks for it (default: this machine's user)")
    parser.add_argument("--reason", default="", metavar="TEXT", help="why; do not write the value")


def run(options: argparse.Namespace) -> int:
    """Forget, or tell. Waits while another run of the workload holds the lake."""
    if sum([options.where is not None, options.listed, options.retire_lost, options.retire is not None]) != 1:
        raise WrongWorkload("give one of --where CONDITION, --list, --retire ERASURE and --retire-lost")
    workload = load_workload(options.workload)
    if options.listed:
        _list(workload)
        return OK
    if not table_folders(workload.name, places.lake()):
        raise WrongWorkload(f"no lake of '{workload.name}' in {places.lake()}: nothing is to be forgotten")
    if options.retire_lost or options.retire is not None:
        progress, run_id = to_person(), new_run_id()
        with leased(workload.name, f"`trendmill forget` on {workload.name}", run_id, progress):
            many = retire(workload, run_id, options.retire)
            print(
                f"{counted(many, 'erasure')} retired: loads leave their rows out only if you forget their values again"
            )
        return OK
    run_id, queries = new_run_id(), compile_workload(workload)
    condition = read_condition(options.where, workload.schema)
    order = Order(workload, queries, condition, options.by or getpass.getuser(), options.reason, run_id)
    if options.dry_run:
        _tell(order)
    else:
        _forget(order, options.workload)
    return OK


def _tell(order: Order) -> None:
    """What would be removed, by table and day."""
    name = order.workload.name
    sought = sought_by(order, erasure_key() or b"of no use, as nothing is written")
    rows_by_table = touched(sought)
    days = {day for of_table in rows_by_table.values() for day in of_table}
    of_results = results_of(sought.home, days, present_ledger(name), changed=False)
    print(f"{name}: nothing is written; these rows would be removed")
    _rows({**by_text(rows_by_table), **by_text(of_results.rows)})
    queries = f"{len(of_results.days)} queries for {len(of_results.every_day)} days"
    print(f"  results would be evaluated again: {queries if of_results.days else 'none'}")
    home = places.reports() / name
    reports = [day for day in sorted(shown_by(days | of_results.every_day)) if (home / day.isoformat()).is_dir()]
    print(f"  reports would be written again: {shown_days(reports) if reports else 'none'}")


def _forget(order: Order, folder: str) -> None:
    progress, name = to_person(), order.workload.name
    with leased(name, f"`trendmill forget` on {name}", order.run_id, progress):
        erasure, days = erase(order, progress)
    _rows(erasure.rows)
    Application(name, folder, ("slice", "evaluate"), run_id=order.run_id, scope=_outdated_scope).run()
    with leased(name, f"`trendmill forget` on {name}", order.run_id, progress):
        if of_reports := _to_publish(order.workload, days):
            publish_run(order.workload, of_reports, order.run_id, progress)
        end(places.lake(), name, order.run_id)
    print(f"erasure {erasure.name} is done: its rows are in no table and on no page. The value may still lie in")
    assert erasure.removed_at is not None
    own = files_with_values(order.workload.folder, sought_by(order, erasure_key() or b"").rules)
    others = other_workloads(places.lake(), name)
    for line in places_left(name, erasure.removed_at, present_ledger(name).expired, own, others):
        print(f"  - {line}")
    print(f"Loads leave the rows out as long as the key is there: {where()}")


def _outdated_scope(run: Run) -> Scope:
    """The results that are marked as outdated, and no other stale ones."""
    from jobs.tasks.nightly import stale_scope

    recorded = present_ledger(run.workload.name).results
    return Scope(
        tuple(each for each in stale_scope(run).evaluations if recorded[each.query, each.day].definition == OUTDATED)
    )


def _to_publish(workload: Workload, days: Collection[date]) -> list[date]:
    """Those of the days whose reports are kept so long, if the workload has reports."""
    if not days or not (places.reports() / workload.name).is_dir():
        return []
    kept = workload.retention.begin("reports", datetime.now(UTC).date()) or min(days)
    return sorted(day for day in days if day >= kept)


def _list(workload: Workload) -> None:
    erasures = read_erasures(places.lake(), workload.name)
    if not erasures:
        print(f"{workload.name}: nothing was forgotten")
    for erasure in erasures:
        print(f"{erasure.name}  {erasure.state:8}{_erasure_line(erasure)}")
    if unfinished := [erasure.name for erasure in erasures if erasure.state == BEGUN]:
        print(f"not finished: {', '.join(unfinished)}; give the same --where again, their rows may still be there")


def _erasure_line(erasure: Erasure) -> str:
    columns = ", ".join(erasure.rule.columns)
    rows = {table: sum(days.values()) for table, days in erasure.rows.items()}
    removed = ", ".join(f"{number:,} of {table}" for table, number in rows.items()) or "no row"
    why = f" ({erasure.reason})" if erasure.reason else ""
    return f"  {erasure.begun_at:%Y-%m-%d %H:%M}Z  by {erasure.done_by}{why}: by {columns}; {removed}"


def _rows(rows: Mapping[str, Mapping[str, int]]) -> None:
    listed = {table: days for table, days in rows.items() if days}
    if not listed:
        print("  no row of any table")
    for table, days in listed.items():
        shown = ", ".join(f"{day} {number:,}" for day, number in list(days.items())[:SHOWN])
        more = f" and {len(days) - SHOWN} more days" if len(days) > SHOWN else ""
        print(f"  {table}: {sum(days.values()):,} rows ({shown}{more})")
