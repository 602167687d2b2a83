"""The plan by which each query of a workload slices one operating day, to explain it; without Spark.

Where the day was evaluated this is the stored plan; else it is the plan that a run for this day alone would make of the
events in the lake. Cost: two small tables; or the attributes that bind variables, of all days that the queries read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from cep_core.language.explanation import Section
from cep_core.slicing import Plan
from jobs.exits import WrongWorkload
from jobs.lake.dataset import read_table
from jobs.runs.ledger import bounds_of, questions_of, read_ledger
from jobs.runs.scope import evaluate_day
from jobs.stages.slicing.counting.event_counts import atoms_counted
from jobs.stages.slicing.counting.lake_counts import LakeCounts
from jobs.stages.slicing.planning import Planning
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload


def slicing_sections(
    workload: Workload, compiled: Mapping[str, WorkloadQuery], lake: Path, day: date
) -> dict[str, Section]:
    """For each query, how its events of a day are sliced. Raises WrongWorkload if the lake has no events of the day."""
    ledger = read_ledger(lake, workload.name)
    if not ledger.holds(day):
        raise WrongWorkload(
            f"the lake holds no events of {day}; to load and evaluate it: trendmill run {workload.name} --from {day}"
        )
    plans = _stored(workload, lake, day)
    origins = dict.fromkeys(plans, "by this plan the day was evaluated")
    if not compiled.keys() <= plans.keys():
        scope = evaluate_day(questions_of(compiled, workload.limits), day, ledger, bounds_of(workload))
        counts = LakeCounts(workload, lake, atoms_counted(compiled))
        for plan in Planning(workload, compiled, scope, counts).plans():
            for name in plan.queries:
                if name not in plans:
                    plans[name], origins[name] = plan, "a run for this day would make this plan"
    return {name: _section(name, plans[name], origins[name], day) for name in compiled if name in plans}


def _stored(workload: Workload, lake: Path, day: date) -> dict[str, Plan]:
    """The plans by which the day's results were evaluated, by query."""
    home, interval = lake / workload.name, workload.operating_days.interval(day)
    stored = read_table(home / "slicing_plans", ["run_id", "queries", "first_day", "last_day", "plan"])
    results = read_table(home / "result_days", ["query", "run_id"], [day])
    evaluated = {(row["query"], row["run_id"]) for row in ([] if results is None else results.to_pylist())}
    plans = {}
    for row in [] if stored is None else stored.to_pylist():
        if row["first_day"] <= day <= row["last_day"]:
            names = [name for name in row["queries"] if (name, row["run_id"]) in evaluated]
            plan = Plan.from_dict(json.loads(row["plan"])) if names else None
            if plan is not None and plan.covers(interval):
                plans.update(dict.fromkeys(names, plan))
    return plans


def _section(query: str, plan: Plan, origin: str, day: date) -> Section:
    others = [name for name in plan.queries if name != query]
    called = ", ".join(
        f"{own} ({name})" for own, name in zip(plan.names_of(query), plan.variables, strict=True) if own != name
    )
    lines = (
        f"{origin}: {plan.plan_id}",
        *([f"shared with {', '.join(others)}"] if others else []),
        *([f"its own names of the variables: {called}"] if called else []),
        *plan.describe(),
    )
    return Section(f"slicing on {day}", lines, {"day": day.isoformat(), **plan.to_dict()})
