"""The days that a run would load and evaluate, each with the reason: the rules of a run, applied to the lake's ledger.

What a day holds is only known when it is loaded. A day that is new, or whose files or definition changed, is taken to
have other events than before, and as many as the lake's days have on average; any other keeps its events. Cost: that of
`trendmill status`; no event is read, and no file but those that the lake's days were loaded from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from jobs.runs.changed_files import changed_files
from jobs.runs.ledger import bounds_of, questions_of, read_ledger
from jobs.runs.outdated_loads import outdated_days, refuse_mixed_days
from jobs.runs.recorded_days import Ledger, LoadedDay, Recorded
from jobs.runs.run import days_between, shown_days
from jobs.runs.scope import Bounds, Evaluation, Scope, ScopedQuery, evaluate_after_loading, evaluate_stale, warm_up
from jobs.runs.source_days import is_gone
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload

_TO_LOAD = "to be loaded"
"""The digest of a day whose events are not known yet."""


@dataclass(frozen=True)
class Asked:
    """What is asked of a run; `first` None: what is stale. `tasks`: those that it does."""

    tasks: Collection[str]
    first: date | None = None
    last: date | None = None


@dataclass(frozen=True)
class ComingWork:
    """What a run would load and evaluate."""

    loads: Mapping[date, str]
    """Each day with its reason, ascending."""
    gone: tuple[date, ...]
    """Days that should be loaded again, and whose files are gone."""
    scope: Scope
    reasons: Mapping[tuple[str, date], str]
    """Why each (query, day) of the scope is evaluated."""
    ledger: Ledger
    """The lake as it would be after loading."""

    def events(self, days: Iterable[date]) -> int:
        """How many events some days have, or may have."""
        return sum(self.ledger.days[day].events for day in days if day in self.ledger.days)


def coming_work(workload: Workload, asked: Asked, compiled: Mapping[str, WorkloadQuery], lake: Path) -> ComingWork:
    """The work of a run that evaluates these queries. Raises WrongWorkload where the run would refuse to load."""
    ledger, bounds = read_ledger(lake, workload.name), bounds_of(workload)
    questions = questions_of(compiled, workload.limits)
    loads, gone = _loads(workload, asked, questions, ledger, bounds, lake)
    refuse_mixed_days(ledger, workload, loads)
    after = _after(ledger, loads)
    if not {"slice", "evaluate"} & {*asked.tasks}:
        scope = Scope()
    elif asked.first is None or asked.last is None:
        scope = evaluate_stale(questions, after, bounds)
    else:
        scope = evaluate_after_loading(questions, asked.first, asked.last, loads, after, bounds)
    reasons = {
        (each.query, each.day): _why(each, ledger.results.get((each.query, each.day)), questions[each.query], loads)
        for each in scope.evaluations
    }
    return ComingWork(loads, gone, scope, reasons, after)


def _loads(
    workload: Workload,
    asked: Asked,
    questions: Mapping[str, ScopedQuery],
    ledger: Ledger,
    bounds: Bounds,
    lake: Path,
) -> tuple[dict[date, str], tuple[date, ...]]:
    """The days to load with their reasons, and the days that cannot be loaded again."""
    stale = asked.first is None or asked.last is None
    if "load" not in asked.tasks and not stale:
        return {}, ()
    own = () if asked.first is None or asked.last is None else days_between(asked.first, asked.last)
    changed = changed_files(lake, workload, ledger.days.keys() - set(ledger.expired))
    outdated = outdated_days(ledger, workload)
    if stale:
        wanted = sorted({*changed, *outdated}) if "load" in asked.tasks else []
        gone = tuple(day for day in wanted if is_gone(workload, day))
        return {day: _why_load(day, ledger, changed, outdated) for day in wanted if day not in gone}, gone
    loads = {day: _why_load(day, ledger, changed, outdated) for day in own}
    while True:
        after = _after(ledger, loads)
        early = warm_up(questions, own, after, bounds, lambda day: not is_gone(workload, day))
        if not early:
            return dict(sorted(loads.items())), tuple(day for day in own if is_gone(workload, day))
        loads |= dict.fromkeys(early, "new, and within reach of what is evaluated")


def _why_load(day: date, ledger: Ledger, changed: Mapping[date, Sequence[str]], outdated: Collection[date]) -> str:
    if day not in ledger.days:
        return "new"
    if not ledger.holds(day):
        return "refused by the gate before" if ledger.days[day].refused else "without events so far"
    if day in changed:
        return f"other bytes in {', '.join(changed[day])}"
    if day in outdated:
        return "its last load did not end" if ledger.days[day].unfinished else "loaded by another definition"
    return "asked for, though it is loaded"


def _after(ledger: Ledger, loads: Mapping[date, str]) -> Ledger:
    """The ledger after the loads, as far as it can be foreseen."""
    held = [loaded for loaded in ledger.days.values() if loaded.digest is not None]
    events = round(sum(loaded.events for loaded in held) / len(held)) if held else 0
    points = round(sum(loaded.points for loaded in held) / len(held)) if held else 0
    days = dict(ledger.days)
    for day, why in loads.items():
        loaded = days.get(day)
        if loaded is None or loaded.digest is None:
            days[day] = LoadedDay(_TO_LOAD, events=events, points=points)
        elif why.startswith(("other bytes", "loaded by another")) or loaded.refused:
            days[day] = replace(loaded, digest=_TO_LOAD, refused=False)
    return Ledger(days, ledger.results)


def _why(evaluation: Evaluation, recorded: Recorded | None, question: ScopedQuery, loads: Collection[date]) -> str:
    """Why a result is not the one that would be found."""
    if recorded is None:
        return "no result yet"
    if recorded.definition != question.definition:
        return "edited since"
    differing = {
        day for day in {*recorded.inputs, *evaluation.inputs} if recorded.inputs.get(day) != evaluation.inputs.get(day)
    }
    if not differing:
        return "no result within the former budget of work"
    to_load, before = sorted(differing & {*loads}), sorted(differing - {*loads})
    reasons = [f"reads {shown_days(to_load)}, to be loaded"] if to_load else []
    return "; ".join([*reasons, *([f"{shown_days(before)} changed since"] if before else [])])
