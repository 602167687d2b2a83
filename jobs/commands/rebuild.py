"""`trendmill rebuild`: build tables again after their columns changed: a query's, or those of the events.

What is rebuilt is decided once no other run is at work: what a run did while this command waited is rebuilt too. The
order matters: first it is recorded that results, or days, are outdated, then tables go. If the program is killed in
between, the days are stale, not wrongly current, and `run --stale` finds them.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace

import pyarrow as pa
import pyarrow.dataset as ds

from cep_core.compile import tables_beside
from jobs import places
from jobs.erasure.rules import suppression_of
from jobs.exits import OK, WrongWorkload
from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import EVERY_ROW, equal
from jobs.lake.dataset import read_table
from jobs.lake.definition import identifier
from jobs.lake.leasing.fence import fence_of
from jobs.lake.register import DISCARDED
from jobs.lake.tables.all_tables import lake_tables
from jobs.lake.tables.creating import create
from jobs.lake.tables.event_tables import LOADED_DAYS
from jobs.lake.tables.match_events import tables_of_match_events
from jobs.lake.write import replace as replace_rows
from jobs.runs.ledger import bounds_of, questions_of, read_ledger
from jobs.runs.recorded_days import Ledger
from jobs.runs.run import shown_days
from jobs.runs.scope import evaluate_anew
from jobs.runs.source_days import is_gone
from jobs.stored_path import StoredPath, remove_tree
from jobs.tasks.application import TASKS, Application
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import Workload, load_workload
from jobs.workload.files.problems import nearest

OUTDATED = ""
"""A definition hash that no query has."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("query", nargs="?", help="the query whose table is rebuilt")
    parser.add_argument("--events", action="store_true", help="load all days again into new tables of events")


def run(options: argparse.Namespace) -> int:
    """Build a query's table again, or the tables of events."""
    workload = load_workload(options.workload)
    compiled = compile_workload(workload)
    if options.events == (options.query is not None):
        raise WrongWorkload("give either a query or --events")
    if not options.events and options.query not in compiled:
        hint = nearest(options.query, compiled)
        raise WrongWorkload(f"workload '{workload.name}' has no query '{options.query}'; {hint}")
    waiting = Application(workload.name, options.workload, TASKS[1:])

    def decided() -> Application:
        ledger = read_ledger(places.lake(), workload.name)
        if options.events:
            return _of_events(waiting, workload, ledger)
        questions = questions_of(compiled, workload.limits)
        scope = evaluate_anew(options.query, questions, ledger, bounds_of(workload))
        return replace(waiting, prepare=lambda: _discard(workload.name, options.query), scope=lambda _: scope)

    replace(waiting, decide=decided).run()
    return OK


def _of_events(waiting: Application, workload: Workload, ledger: Ledger) -> Application:
    """Load every day of the lake again. Refuses if a file is gone: its events could not be made again; and if erasures
    cannot be heeded: the load would end once the events were discarded."""
    from jobs.tasks.nightly import stale_scope

    suppression_of(places.lake(), workload.name, workload.schema)
    days = sorted(ledger.days.keys() - set(ledger.expired))
    if gone := [day for day in days if is_gone(workload, day)]:
        raise WrongWorkload(
            f"the files of {shown_days(gone)} are gone, so their events would be lost; nothing was changed"
        )
    return replace(waiting, prepare=lambda: _discard_events(workload), scope=stale_scope, again=days)


def _discard_events(workload: Workload) -> None:
    home = places.lake() / workload.name / LOADED_DAYS.folder
    create(workload.name, [LOADED_DAYS], places.lake())
    rows = read_table(home, schema_of(home).names)
    assert rows is not None
    unknown = {"digest": None, "events": 0, "points": 0, "begins": None, "definition": OUTDATED}
    for name, value in unknown.items():
        column = rows.schema.get_field_index(name)
        rows = rows.set_column(column, name, pa.array([value] * rows.num_rows, rows.schema.field(name).type))
    replace_rows(rows, identifier(workload.name, LOADED_DAYS.name), EVERY_ROW)
    for name in tables_of_match_events(workload.name, places.lake()):
        _drop(workload.name, name, name)
    for table in lake_tables(workload):
        if table.of_events:
            _drop(workload.name, table.name, table.folder)


def _mark_outdated(workload: str, query: str) -> None:
    folder = places.lake() / workload / "result_days"
    names = schema_of(folder).names if (folder / "_delta_log").is_dir() else []
    rows = read_table(folder, names, where=ds.field("query") == query)
    if rows is not None:
        outdated = pa.array([OUTDATED] * rows.num_rows, pa.string())
        rows = rows.set_column(names.index("definition"), "definition", outdated)
        replace_rows(rows, identifier(workload, "result_days"), equal("query", query))


def _discard(workload: str, query: str) -> None:
    _mark_outdated(workload, query)
    for name in (query, *(query + suffix for suffix in tables_beside())):
        _drop(workload, name, name)


def _drop(workload: str, name: str, folder: str) -> None:
    """Remove a table from the disk, at once for whoever reads. No session has its name: the run begins later."""
    place = places.lake() / workload / folder
    if (place / "_delta_log").is_dir():
        discarded = places.lake() / workload / "_work" / f"{DISCARDED}{name}-{os.getpid()}"
        with fence_of(workload).alone():
            if isinstance(place, StoredPath):
                remove_tree(place)
                return
            place.rename(discarded)
        remove_tree(discarded)
