"""The tasks of a run - load, slice, evaluate - as functions.

`trendmill run` calls them in one application; Airflow gives each its own. Tasks pass data to each other only through
the lake's tables, so any process can repeat any task.

The fourth task, publish, needs no JVM: jobs/reports.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from jobs.exits import GateFailure
from jobs.lake.tables.all_tables import run_tables
from jobs.lake.tables.creating import create
from jobs.runs.journal import journal
from jobs.runs.ledger import bounds_of, loaded_by, questions_of, read_ledger, refused_by
from jobs.runs.outdated_loads import outdated_days, refuse_mixed_days
from jobs.runs.run import Progress, Run, shown_days
from jobs.runs.scope import Scope, evaluate_after_loading, evaluate_stale, warm_up
from jobs.runs.source_days import has_day
from jobs.stages.compare import compare
from jobs.stages.evaluate import evaluate as evaluate_slices
from jobs.stages.ingest import ingest
from jobs.stages.measuring.shed import MOST_DAYS, days_evaluated
from jobs.stages.measuring.unmeasured import note_unmeasured, unmeasured_days
from jobs.stages.plan_slices import plan_slices
from jobs.stages.slice_events import slice_events
from jobs.stages.slicing.planned import is_sliced
from jobs.stages.statistics import statistics
from jobs.stages.validate import validate
from jobs.tasks.stored_workload import workload_of_run
from jobs.workload.compiled import compile_workload

if TYPE_CHECKING:
    from jobs.lake.session import LateSession
    from jobs.quality.judges import Judges


def begin(
    name: str,
    first: date,
    last: date,
    run_id: str,
    *,
    session: LateSession,
    lake: Path,
    progress: Progress,
    judges: Judges | None = None,
) -> Run:
    """A run of the stored workload, with its tables created. Raises WorkloadError, SchemaChanged."""
    workload = workload_of_run(name, run_id, lake)
    compiled = compile_workload(workload)
    run = Run(workload, compiled, first, last, run_id, session, lake, progress, judges=judges)
    create(workload.name, run_tables(workload, compiled), lake)
    return run


def load(run: Run) -> None:
    """Load the run's days, and the days before that its queries reach, the lake lacks and a source has.

    Raises GateFailure only if the gate refused every day of the run; else the run's last task does.
    """
    ledger = read_ledger(run.lake, run.workload.name)
    refuse_mixed_days(ledger, run.workload, run.days)
    if others := set(outdated_days(ledger, run.workload)) - set(run.days):
        run.progress.note(f"{shown_days(others)}: to be loaded again; `trendmill status` says why and how")
    _load(run, _loads(run))
    refused = refused_days(run)
    if len(refused) == len(run.days):
        raise GateFailure(refused)


def load_again(run: Run, days: Collection[date]) -> tuple[date, ...]:
    """Load those of the days that a source still has, and nothing else. Returns them, ascending."""
    present = tuple(sorted(day for day in days if has_day(run.session, run.workload, day)))
    refuse_mixed_days(read_ledger(run.lake, run.workload.name), run.workload, present)
    if present:
        _load(run, [present])
    return present


def _load(run: Run, steps: Iterable[tuple[date, ...]]) -> None:
    with journal(run) as kept:
        for days in steps:
            part = replace(run, loads=days)
            kept.perform("ingest", ingest, part, days)
            kept.perform("validate", validate, part, days)


def _loads(run: Run) -> Iterator[tuple[date, ...]]:
    """The days to load, step by step: reaches in events or time-points depend on how much the loaded days contain."""
    questions, bounds = questions_of(run.asked, run.workload.limits), bounds_of(run.workload)

    def missing() -> tuple[date, ...]:
        ledger = read_ledger(run.lake, run.workload.name)
        return warm_up(questions, run.days, ledger, bounds, lambda day: has_day(run.session, run.workload, day))

    yield tuple(sorted({*missing(), *run.days}))
    while more := missing():
        yield more


def slice_(run: Run) -> None:
    """Count, plan, and write the slices of all events that will be read."""
    refuse_mixed_days(read_ledger(run.lake, run.workload.name), run.workload)
    run = with_scope(run)
    assert run.scope is not None
    with journal(run) as kept:
        kept.perform("statistics", statistics, run)
        if run.scope.evaluations:
            kept.perform("plan_slices", plan_slices, run)
            kept.perform("slice_events", slice_events, run)


def evaluate(run: Run) -> None:
    """Evaluate the scope. Slices that another run replaced meanwhile are made again."""
    refuse_mixed_days(read_ledger(run.lake, run.workload.name), run.workload)
    run = with_scope(run)
    assert run.scope is not None
    if run.scope.evaluations and not is_sliced(run):
        slice_(run)
    note_unmeasured(run, days_evaluated(run)[-MOST_DAYS:])
    with journal(run) as kept:
        kept.perform("evaluate", evaluate_slices, run, run.scope.days)
        if run.scope.evaluations or unmeasured_days(run):
            kept.perform("compare", compare, run)


TASKS: dict[str, Callable[[Run], None]] = {"load": load, "slice": slice_, "evaluate": evaluate}
"""The Spark tasks of a run, in order."""


def with_scope(run: Run) -> Run:
    """The run with its scope, computed from the present lake."""
    if run.scope is not None:
        return run
    ledger = read_ledger(run.lake, run.workload.name)
    loaded = loaded_by(run.lake, run.workload.name, run.run_id)
    questions = questions_of(run.asked, run.workload.limits)
    scope = evaluate_after_loading(questions, run.first, run.last, loaded, ledger, bounds_of(run.workload))
    return replace(run, scope=scope)


def stale_scope(run: Run) -> Scope:
    """The scope of all results in the lake that the present lake and workload would no longer give."""
    ledger = read_ledger(run.lake, run.workload.name)
    return evaluate_stale(questions_of(run.asked, run.workload.limits), ledger, bounds_of(run.workload))


def left_stale(run: Run) -> dict[str, tuple[date, ...]]:
    """The queries that were not selected and whose results of the run's days the present lake and workload would no
    longer give, each with these days."""
    others = {name: query for name, query in run.compiled.items() if name not in run.asked}
    ledger = read_ledger(run.lake, run.workload.name)
    scope = evaluate_stale(questions_of(others, run.workload.limits), ledger, bounds_of(run.workload))
    stale = {name: tuple(day for day in scope.days_of(name) if run.first <= day <= run.last) for name in others}
    return {name: days for name, days in stale.items() if days}


def refused_days(run: Run) -> dict[date, str]:
    """The run's own days that the gate refused in this run, with the reason."""
    refused = refused_by(run.lake, run.workload.name, run.run_id)
    return {day: reason for day, reason in refused.items() if run.first <= day <= run.last}
