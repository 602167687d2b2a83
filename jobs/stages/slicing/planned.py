"""The stored plans of a run. Later stages and tasks use them and make none of their own."""

from __future__ import annotations

import json
from datetime import date

from deltalake import DeltaTable

from cep_core.slicing import Plan
from jobs.lake.dataset import read_table
from jobs.runs.run import Run
from jobs.runs.scope import Evaluation
from jobs.stages.slicing.time_points import are_read, has_own_points


def planned(run: Run) -> list[Plan]:
    """The stored plans of this run, ordered by their first query."""
    return [plan for plan, run_id in _stored(run, run.last) if run_id == run.run_id]


def evaluations_by(run: Run, plan: Plan) -> list[Evaluation]:
    """The run's evaluations by this plan."""
    assert run.scope is not None
    interval = run.workload.operating_days.interval
    return [own for name in plan.queries for own in run.scope.of(name) if plan.covers(interval(own.day))]


def read_by(run: Run, plan: Plan) -> tuple[date, ...]:
    """The days that the run's evaluations by this plan read, ascending."""
    return tuple(sorted({day for evaluation in evaluations_by(run, plan) for day in evaluation.inputs}))


def plans_of_day(run: Run, day: date) -> list[Plan]:
    """The stored plans of runs that ended with `day` by which a result of that day was evaluated, by first query."""
    stored = read_table(run.lake / run.workload.name / "result_days", ["query", "run_id"], [day])
    evaluated = {(row["query"], row["run_id"]) for row in ([] if stored is None else stored.to_pylist())}
    interval = run.workload.operating_days.interval(day)
    return [
        plan
        for plan, run_id in _stored(run, day)
        if plan.covers(interval) and any((query, run_id) in evaluated for query in plan.queries)
    ]


def _stored(run: Run, day: date) -> list[tuple[Plan, str]]:
    stored = read_table(run.lake / run.workload.name / "slicing_plans", ["run_id", "plan"], [day])
    rows = [] if stored is None else stored.to_pylist()
    plans = [(Plan.from_dict(json.loads(row["plan"])), row["run_id"]) for row in rows]
    return sorted(plans, key=lambda stored_plan: (stored_plan[0].queries, stored_plan[0].plan_id))


def is_sliced(run: Run) -> bool:
    """Whether plans and slices of everything that the run's scope evaluates are in the lake."""
    assert run.scope is not None
    plans = planned(run)
    interval = run.workload.operating_days.interval
    queries = {evaluation.query for evaluation in run.scope.evaluations}
    is_planned = all(
        any(own.query in plan.queries and plan.covers(interval(own.day)) for plan in plans)
        for own in run.scope.evaluations
    )
    if not is_planned or (are_read(run, queries) and not has_own_points(run)):
        return False
    folder = run.lake / run.workload.name / "_work" / "slices"
    if not (folder / "_delta_log").is_dir():
        return False
    present = {partition["plan_id"] for partition in DeltaTable(folder).partitions()}
    return bool(plans) and {plan.plan_id for plan in plans} <= present
