"""What more workers would give: a day's predicted wall time with 1 to 1,024 of them, from what was measured of it.

The planner plans the day anew for the workload's slices and for each larger number of workers (`WORKERS`), as long as
each has `FEW` events, so that every worker has a slice. `compare` records these plans' costs, for the day's report;
`trendmill explain --workers` makes them for any day. They depend on the day's events alone. What evaluation and the
driver took comes from the run that evaluated the day (`slice_runs`, `runs`); `wall_time.py` adds up.

Cost: at most six plannings (of seventeen queries a second for 64 slices and nine for 1,024), with one count for all, of
one of every few events if there are more than `limits.slice_rows`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from cep_core.language.explanation import Section
from cep_core.slicing import Plan
from jobs.exits import WrongWorkload
from jobs.lake.dataset import read_table
from jobs.runs.ledger import bounds_of, questions_of, read_ledger
from jobs.runs.recorded_days import Ledger
from jobs.runs.run import Run
from jobs.runs.scope import evaluate_day
from jobs.stages.measuring.sliced_log import share_of
from jobs.stages.measuring.wall_time import FEW, WORKERS, Cut, Wall, Work, beyond, verdict, walls
from jobs.stages.slicing.counting.event_counts import atoms_counted
from jobs.stages.slicing.counting.lake_counts import LakeCounts
from jobs.stages.slicing.event_samples import EventSamples
from jobs.stages.slicing.planning import Planning
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload

Cuts = Mapping[int, Sequence[Cut]]
"""By number of workers: how the queries of a day would be cut."""

Rows = Sequence[Mapping[str, Any]]

Read = Callable[[str, Sequence[str], ds.Expression], Rows]
"""Rows of a table of the day's lake: its name, columns, and a condition."""

EXPERIMENT = "slicing:workers"
"""The experiment under which a day's cuts are recorded."""

METRICS = {"events": "events", "predicted_load": "share of events", "predicted_replication": "copies per event"}
"""What is recorded of a cut, with units."""

SLICE_RUNS = ("run_id", "query", "plan_id", "seconds", "copies")
RUNS = ("run_id", "stage", "seconds", "started_at", "day")
PLANS = ("plan_id", "predicted_replication")
"""The columns of tables from which a day's work is read."""

ALONE = {"validate", "plan_slices", "evaluate", "compare"}
"""Stages of the journal that the driver does alone; of `evaluate` what is not in slices."""


def cuts_of(
    workload: Workload,
    compiled: Mapping[str, WorkloadQuery],
    lake: Path,
    ledger: Ledger,
    day: date,
    samples: EventSamples | None = None,
) -> Callable[[int], list[Cut] | None]:
    """Plans how a number of workers would cut what the queries read of a day and before; None where each would have
    so few events that the workload's own slices do. `samples`: of the lake's events with all columns by which the
    queries slice, if others ask for them, too."""
    scope = evaluate_day(questions_of(compiled, workload.limits), day, ledger, bounds_of(workload))
    read = {each for evaluation in scope.evaluations for each in evaluation.inputs}
    events_read = sum(ledger.days[each].events for each in read if each in ledger.days)
    every = share_of(events_read, workload.limits.slice_rows)
    counts = LakeCounts(workload, lake, atoms_counted(compiled), every, samples)

    def cut(planning: Planning, plan: Plan) -> Cut:
        assert plan.predicted is not None
        days = planning.reads(plan.queries, (day,))
        events = every * counts.statistics(days, plan.atoms).total(plan.atoms)
        return Cut(plan.queries, events, plan.predicted.maximum_load, plan.predicted.replication)

    @cache
    def planned(slices: int) -> list[Cut]:
        slicing = replace(workload.slicing, slices=slices)
        planning = Planning(replace(workload, slicing=slicing), compiled, scope, counts)
        return [cut(planning, plan) for plan in planning.plans()]

    def planned_for(workers: int) -> list[Cut] | None:
        slices = max(workers, workload.slicing.slices)
        return planned(slices) if slices == workload.slicing.slices or events_read >= workers * FEW else None

    return planned_for


def recorded_for(run: Run, ledger: Ledger, samples: EventSamples) -> list[dict[str, Any]]:
    """The cuts of a run's last day that its report shows, as rows of `experiments`."""
    planned = cuts_of(run.workload, run.compiled, run.lake, ledger, run.last, samples)
    cuts = {workers: planned(workers) for workers in WORKERS}
    return recorded({workers: own for workers, own in cuts.items() if own is not None})


def recorded(cuts: Cuts) -> list[dict[str, Any]]:
    """Cuts as rows of `experiments`; `read_back` reads them.

    >>> cuts = {2: [Cut(("p", "q"), 10.0, 0.6, 1.5)]}
    >>> read_back(recorded(cuts)) == cuts
    True
    """
    return [
        {
            "experiment": EXPERIMENT,
            "strategy": "planned",
            "parameters": json.dumps({"workers": workers, "queries": list(cut.queries)}),
            "seed": None,
            "metric": metric,
            "value": value,
            "unit": METRICS[metric],
        }
        for workers, own in cuts.items()
        for cut in own
        for metric, value in zip(METRICS, (cut.events, cut.largest, cut.copies), strict=True)
    ]


def read_back(rows: Rows) -> dict[int, list[Cut]]:
    """The cuts of rows of `experiments`."""
    values: dict[tuple[int, tuple[str, ...]], dict[str, float]] = defaultdict(dict)
    for row in rows:
        parameters = json.loads(row["parameters"])
        values[parameters["workers"], tuple(parameters["queries"])][row["metric"]] = row["value"]
    cuts: dict[int, list[Cut]] = defaultdict(list)
    for (workers, queries), metrics in sorted(values.items()):
        cuts[workers].append(Cut(queries, *(metrics[metric] for metric in METRICS)))
    return dict(cuts)


def work_of(read: Read, day: date, loaded: float) -> Work | None:
    """The work of a day with so many events, as it was last measured; None if it was not.

    A run over several days has its slices with the last of them. Of its seconds an even share counts. Slices that were
    evaluated together read the copies among them once, so their seconds are those of fewer copies than the plan's.
    """
    evaluated = {row["run_id"] for row in read("result_days", ("run_id",), ds.field("day") == day)}
    of_runs = ds.field("run_id").isin(evaluated)
    slice_runs = read("slice_runs", SLICE_RUNS, (ds.field("day") >= day) & of_runs)
    if not slice_runs:
        return None
    days = Counter((row["run_id"], row["query"]) for row in read("result_days", ("run_id", "query"), of_runs))
    copies = {row["plan_id"]: row["predicted_replication"] or 1.0 for row in read("slicing_plans", PLANS, of_runs)}
    seconds: dict[str, float] = defaultdict(float)
    in_slices: dict[str, float] = defaultdict(float)
    for row in slice_runs:
        share = copies.get(row["plan_id"], 1.0) * max(1, days[row["run_id"], row["query"]])
        seconds[row["query"]] += row["seconds"] * (row.get("copies") or 1.0) / share
        in_slices[row["run_id"]] += row["seconds"]
    of_day = read("runs", RUNS, (ds.field("day") == day) & (ds.field("status") == "done"))
    last = {row["stage"]: row for row in sorted(of_day, key=lambda row: row["started_at"])}
    journal = read("runs", RUNS, ds.field("run_id").isin({row["run_id"] for row in last.values()}))
    alone = 0.0
    for stage in ALONE & last.keys():
        inside = in_slices[last[stage]["run_id"]] if stage == "evaluate" else 0.0
        own = {row["day"] for row in journal if (row["run_id"], row["stage"]) == (last[stage]["run_id"], stage)}
        alone += max(0.0, last[stage]["seconds"] - inside) / len(own)
    return Work(alone, loaded, seconds)


def more_workers(workload: Workload, compiled: Mapping[str, WorkloadQuery], lake: Path, day: date) -> Section:
    """The predicted wall times of a day. Raises WrongWorkload if the lake has no measurement of it."""
    ledger = read_ledger(lake, workload.name)
    work = work_of(_reader(lake / workload.name), day, ledger.days[day].events) if ledger.holds(day) else None
    if work is None:
        raise WrongWorkload(
            f"nothing of {day} was measured; to evaluate it: trendmill run {workload.name} --from {day}"
        )
    looked_at = walls(work, cuts_of(workload, compiled, lake, ledger, day))
    facts = [dict(vars(each), total=each.total) for each in looked_at]
    return Section(f"workers for {day}", tuple(_lines(looked_at)), facts)


def _reader(home: Path) -> Read:
    """Reads the tables of a workload's lake."""

    def read(name: str, columns: Sequence[str], where: ds.Expression) -> Rows:
        table = read_table(home / name, columns, where=where)
        return [] if table is None else table.to_pylist()

    return read


def _lines(looked_at: Sequence[Wall]) -> Iterable[str]:
    yield "workers  start  driver  divided  evaluate  seconds"
    for each in looked_at:
        held = f"   waits for a slice of {', '.join(each.slowest)}" if each.held else ""
        parts = f"{each.start:7.0f}{each.alone:8.0f}{each.divided:9.0f}{each.evaluate:10.1f}{each.total:9.0f}"
        yield f"{each.workers:7,}{parts}{held}"
    if rest := beyond(looked_at):
        yield rest
    yield verdict(looked_at)
