"""What more workers would give: a day's predicted wall time with 1 to 1,024 of them, from what the day's run measured.

Four parts. Applications start. The driver does its part alone: the gate, plans, results merged and written, strategies
compared. Workers divide what is evenly divided: rows are read and sorted, counted, cut into slices. And they evaluate
slices, at least one for each worker, by the plans that the planner would make for so many: the day's largest slice
bounds this part from below, and copies make it dearer as a whole.

A second of a worker is a second of a core of the machine that measured. The lake's and the network's own speed are
not in it, nor pages, which are as many for a small log. Cost: one planning for each number of slices.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from cep_core.language.explanation import Section
from cep_core.slicing import Plan
from jobs.exits import WrongWorkload
from jobs.lake.dataset import read_table
from jobs.runs.ledger import bounds_of, questions_of, read_ledger
from jobs.runs.scope import evaluate_day
from jobs.stages.slicing.event_counts import atoms_counted
from jobs.stages.slicing.lake_counts import LakeCounts
from jobs.stages.slicing.planning import Planning
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload

WORKERS = tuple(2**power for power in range(11))

START = 45.0
"""Seconds that no number of workers shortens: Spark starts, and each stage's code is compiled and its Python workers
begin. Measured with one executor and a million rows (docs/cluster.md)."""

ROW = 2.7e-6 + 0.7e-6
"""Core-seconds for each event of the day that workers read, sort, write and count (docs/cluster.md)."""

COPY = 7.6e-6
"""Core-seconds for each copy of an event that workers cut into a slice (docs/cluster.md)."""

ALONE = ("validate", "plan_slices", "compare")
"""Stages of the journal that the driver does alone, besides what of `evaluate` is not in slices."""

NOTHING_GAINED = 0.05
"""More workers gain nothing where the best of all numbers is at most this share below."""


@dataclass(frozen=True)
class Work:
    """A day's work: seconds of the driver `alone`; the day's own events; by query, those it reads, also of the days
    before, and core-seconds for each."""

    alone: float
    loaded: int
    read: Mapping[str, float]
    seconds: Mapping[str, float]

    def evaluation(self, plan: Plan) -> float:
        """Core-seconds of a plan's queries if nothing were sliced."""
        return sum(self.read.get(name, 0.0) * self.seconds.get(name, 0.0) for name in plan.queries)

    def copies(self, plan: Plan) -> float:
        """The events that a plan's slices hold together."""
        assert plan.predicted is not None
        return max(self.read.get(name, 0.0) for name in plan.queries) * plan.predicted.replication


@dataclass(frozen=True)
class Wall:
    """Predicted seconds with so many workers. `slowest`: the queries of the slice that takes longest.

    `held`: whether the others wait for that slice.
    """

    workers: int
    start: float
    alone: float
    divided: float
    evaluate: float
    slowest: tuple[str, ...]
    held: bool

    @property
    def total(self) -> float:
        return self.start + self.alone + self.divided + self.evaluate


def wall(work: Work, plans: Sequence[Plan], workers: int) -> Wall:
    """The day with so many workers, sliced by these plans. Workers take slices as they become free."""
    largest: dict[tuple[str, ...], float] = {}
    together = 0.0
    for plan in plans:
        assert plan.predicted is not None
        largest[plan.queries] = work.evaluation(plan) * plan.predicted.maximum_load
        together += work.evaluation(plan) * plan.predicted.replication
    slowest = max(largest, key=lambda queries: largest[queries], default=())
    longest, even = largest.get(slowest, 0.0), together / workers
    divided = (work.loaded * ROW + sum(map(work.copies, plans)) * COPY) / workers
    return Wall(workers, START, work.alone, divided, max(longest, even), slowest, longest > even)


def enough(walls: Sequence[Wall]) -> Wall:
    """The fewest workers beyond which nothing is gained."""
    best = min(each.total for each in walls)
    return next(each for each in walls if each.total * (1 - NOTHING_GAINED) <= best)


def more_workers(workload: Workload, compiled: Mapping[str, WorkloadQuery], lake: Path, day: date) -> Section:
    """The predicted wall times of a day. Raises WrongWorkload if the lake has no measurement of it."""
    ledger = read_ledger(lake, workload.name)
    counts = LakeCounts(workload, lake, atoms_counted(compiled))
    scope = evaluate_day(questions_of(compiled, workload.limits), day, ledger, bounds_of(workload))

    def plans(slices: int) -> list[Plan]:
        cut = replace(workload.slicing, slices=max(slices, workload.slicing.slices))
        return Planning(replace(workload, slicing=cut), compiled, scope, counts).plans()

    work = measured(workload, lake, day, counts.total((day,)))
    walls = [wall(work, plans(workers), workers) for workers in WORKERS]
    return Section(f"workers for {day}", tuple(_lines(walls)), [dict(vars(each), total=each.total) for each in walls])


def measured(workload: Workload, lake: Path, day: date, loaded: int) -> Work:
    """The work of a day, as its last evaluation measured it. `loaded`: the day's own events."""
    home = lake / workload.name
    columns = ["query", "run_id", "plan_id", "slice", "events", "seconds"]
    table = read_table(home / "slice_runs", columns, [day])
    rows = [] if table is None else table.to_pylist()
    if not rows:
        raise WrongWorkload(
            f"nothing of {day} was measured; to evaluate it: trendmill run {workload.name} --from {day}"
        )
    replication = _replications(home, {row["plan_id"] for row in rows})
    held: dict[str, float] = defaultdict(float)
    seconds: dict[str, float] = defaultdict(float)
    copies: dict[str, float] = {}
    for row in rows:
        held[row["query"]] += row["events"]
        seconds[row["query"]] += row["seconds"]
        copies[row["query"]] = replication.get(row["plan_id"], 1.0)
    return Work(
        _alone(home, day, sum(seconds.values())),
        loaded,
        {query: number / copies[query] for query, number in held.items()},
        {query: seconds[query] / number for query, number in held.items() if number},
    )


def _replications(home: Path, plan_ids: set[str]) -> dict[str, float]:
    """The copies of an event that the planner predicted for stored plans."""
    table = read_table(home / "slicing_plans", ["plan_id", "predicted_replication"])
    rows = [] if table is None else table.to_pylist()
    return {row["plan_id"]: row["predicted_replication"] or 1.0 for row in rows if row["plan_id"] in plan_ids}


def _alone(home: Path, day: date, in_slices: float) -> float:
    """The seconds of the driver's own stages, of the last run of each, and what of `evaluate` is not `in_slices`."""
    table = read_table(home / "runs", ["stage", "status", "seconds", "started_at"], [day])
    rows = [] if table is None else table.to_pylist()
    last: dict[str, float] = {}
    for row in sorted(rows, key=lambda row: row["started_at"]):
        if row["status"] == "done":
            last[row["stage"]] = row["seconds"]
    return sum(last.get(stage, 0.0) for stage in ALONE) + max(0.0, last.get("evaluate", 0.0) - in_slices)


def _lines(walls: Sequence[Wall]) -> Iterable[str]:
    yield "workers  start  driver  divided  evaluate  seconds"
    for each in walls:
        held = f"   waits for a slice of {', '.join(each.slowest)}" if each.held else ""
        parts = f"{each.start:7.0f}{each.alone:8.0f}{each.divided:9.0f}{each.evaluate:10.1f}{each.total:9.0f}"
        yield f"{each.workers:7,}{parts}{held}"
    best = enough(walls)
    why = (
        f"every worker waits for the largest slice of {', '.join(best.slowest)}"
        if best.held and best.evaluate > best.start + best.alone
        else "start and driver take the rest"
    )
    yield f"beyond {best.workers:,} worker{'s' if best.workers > 1 else ''} nothing is gained: {why}"
