"""Stage `plan_slices`: plans how the events that a run will read are cut into slices (paper 01; docs/semantics.md 6).

What is planned, and which queries and days share a plan: jobs/stages/slicing/planning.py. Statistics are exact counts
of the events that the plan will slice, made in this process, piece by piece
(jobs/stages/slicing/counting/lake_counts.py) or, on a cluster, by Spark (jobs/stages/slicing/counting/event_counts.py).

Reads `events`; writes `slicing_plans` of the run's last day. Cost: four aggregations over the days read.
"""

from __future__ import annotations

import json

import pyarrow as pa

from cep_core.slicing import Plan
from jobs.lake.write import replace
from jobs.runs.run import Run, StageOutcome
from jobs.stages.held_rows import passes_events
from jobs.stages.own_rows import own_rows
from jobs.stages.slicing.counting.event_counts import EventCounts, atoms_counted
from jobs.stages.slicing.counting.lake_counts import LakeCounts
from jobs.stages.slicing.planned import evaluations_by
from jobs.stages.slicing.planning import Planning


def plan_slices(run: Run) -> StageOutcome:
    """Plan the run's evaluations. Other runs' plans stay, because results of other days or queries need them."""
    assert run.scope is not None
    plans = Planning(run.workload, run.compiled, run.scope, _counts(run)).plans()
    rows = pa.Table.from_pylist([_row(run, plan) for plan in plans], SCHEMA)
    of_run = own_rows(run, "slicing_plans", "run_id", [run.run_id])
    replace(rows, run.table("slicing_plans"), of_run)
    shown = "; ".join(f"{', '.join(plan.queries)}: {_shown(plan)}" for plan in plans)
    return StageOutcome(rows_in=len(run.scope.evaluations), rows_out=len(plans), message=shown)


def _counts(run: Run) -> EventCounts | LakeCounts:
    """Who counts the events to plan: this process or, on a cluster, Spark."""
    assert run.scope is not None
    if passes_events(run):
        return LakeCounts(run.workload, run.lake, atoms_counted(run.compiled))
    return EventCounts(run)


SCHEMA = pa.schema(
    [
        ("day", pa.date32()),
        ("run_id", pa.string()),
        ("plan_id", pa.string()),
        ("queries", pa.list_(pa.string())),
        ("first_day", pa.date32()),
        ("last_day", pa.date32()),
        ("variables", pa.list_(pa.string())),
        ("slices", pa.int32()),
        ("time_ranges", pa.int32()),
        ("shares", pa.string()),
        ("seeds", pa.string()),
        ("heavy_values", pa.string()),
        ("bound", pa.float64()),
        ("predicted_load", pa.float64()),
        ("predicted_replication", pa.float64()),
        ("lower_bound", pa.float64()),
        ("plan", pa.string()),
    ]
)
"""The columns of `slicing_plans`."""


def _row(run: Run, plan: Plan) -> dict[str, object]:
    content = plan.to_dict()
    days = [evaluation.day for evaluation in evaluations_by(run, plan)]
    predicted = plan.predicted
    return {
        "day": run.last,
        "run_id": run.run_id,
        "plan_id": plan.plan_id,
        "queries": list(plan.queries),
        "first_day": min(days),
        "last_day": max(days),
        "variables": list(plan.variables),
        "slices": plan.slices,
        "time_ranges": max(1, len(plan.ranges)),
        "shares": json.dumps(
            {",".join(sorted(cube.heavy)): dict(zip(plan.variables, cube.shares, strict=True)) for cube in plan.cubes}
        ),
        "seeds": json.dumps(
            {",".join(sorted(cube.heavy)): dict(zip(plan.variables, cube.seeds, strict=True)) for cube in plan.cubes}
        ),
        "heavy_values": json.dumps(content["heavy"]),
        "bound": predicted and predicted.bound,
        "predicted_load": predicted and predicted.maximum_load,
        "predicted_replication": predicted and predicted.replication,
        "lower_bound": predicted and predicted.lower_bound,
        "plan": json.dumps(content),
    }


def _shown(plan: Plan) -> str:
    """A plan in a few words.

    >>> from cep_core.events.schema import AttributeType
    >>> from cep_core.slicing import Cube
    >>> _shown(Plan(("q",), (), ("x",), (AttributeType.INT,), (Cube(frozenset(), (4,), (None,)),)))
    '4 by x'
    """
    by = f"{plan.cells} by {' x '.join(plan.variables)}" if plan.variables else ""
    many = max(1, len(plan.ranges))
    ranges = f"{many} time range{'s' if many > 1 else ''}" if many > 1 or not by else ""
    return ", ".join(part for part in (by, ranges) if part)
