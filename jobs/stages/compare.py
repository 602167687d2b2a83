"""Stage `compare`: slicing strategies side by side, counted on the real events that each plan slices.

Loads of strategies that were not used are counted, never run; seconds are measured for the plan in use alone. Counted
on the last days of the run that hold no more events than one slice may (`limits.slice_rows`): on all of them, as a
rule.

One experiment is one plan's, of however many days; it is found by the plan, on whose day, the run's last, it is
recorded. Reads `events`, `slicing_plans` and `slice_runs`; replaces the run's experiments in `experiments`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

from cep_core.experiments.slicing import compare_strategies
from cep_core.slicing import Plan
from jobs.lake.dataset import read_table
from jobs.lake.reading import log_order
from jobs.lake.write import replace
from jobs.runs.ledger import read_ledger
from jobs.runs.run import Run, StageOutcome
from jobs.stages.own_rows import own_rows
from jobs.stages.plan_slices import reads_of, seed_text, widest
from jobs.stages.planned import planned, plans_of_day

EXPERIMENT = "slicing:"
"""Before the plan's id: the experiment's name."""

IN_USE = "plan in use"

MEASURED = {
    "maximum load": "maximum_load",
    "replication": "replication",
    "imbalance": "imbalance",
    "slices": "slices",
}
"""What is counted of each strategy, and its name in the table."""


def compare(run: Run) -> StageOutcome:
    """Count the strategies for every plan of the run, yesterday's plan for the same queries included."""

    assert run.scope is not None
    plans = planned(run)
    yesterday = {plan.queries: plan for plan in plans_of_day(run, run.first - timedelta(days=1))}
    rows: list[dict[str, Any]] = []
    events_read = 0
    for done, plan in enumerate(plans):
        run.progress.advance(done, len(plans), ", ".join(plan.queries))
        events, interval = _events(run, plan)
        events_read += events.num_rows
        reach = widest([run.compiled[name].evaluator.reach for name in plan.queries])
        compared = compare_strategies(
            plan,
            events,
            run.workload.slicing.slices,
            seed_text(run, plan.queries),
            reach,
            interval,
            yesterday.get(plan.queries),
        )
        measured = [
            row for row in compared.to_pylist() if row["metric"] in MEASURED and row["strategy"] != "lower bound"
        ]
        rows += [
            {**row, "metric": MEASURED[row["metric"]], "experiment": EXPERIMENT + plan.plan_id} for row in measured
        ]
    rows += _seconds(run, plans)
    schema = run.spark.table(run.table("experiments")).schema
    values = [tuple({**row, "day": run.last, "run_id": run.run_id}[name] for name in schema.names) for row in rows]
    mine = own_rows(run, "experiments", "run_id", [run.run_id])
    replace(run.spark.createDataFrame(values, schema), run.table("experiments"), mine)
    return StageOutcome(events_read, len(rows), f"{len(plans)} plan(s) against their rivals")


def _events(run: Run, plan: Plan) -> tuple[pa.Table, tuple[int, int]]:
    """The events that a plan slices, in the log's order, and the log time in which its results become certain."""
    from pyspark.sql import functions as f

    assert run.scope is not None
    evaluated = sorted({e.day for name in plan.queries for e in run.scope.of(name)})
    days = _last_that_fit(run, reads_of(run.scope, plan.queries))
    attributes = sorted({a for atom in plan.atoms for a, _ in (*atom.variables, *atom.constants)})
    types = sorted({atom.event_type for atom in plan.atoms})
    found = (
        run.spark.table(run.table("events"))
        .where(f.col("day").isin(list(days)) & f.col("event_type").isin(types))
        .select("event_type", "ts", "seq", *attributes)
        .toArrow()
    )
    calendar = run.workload.operating_days
    inside = [day for day in evaluated if day >= days[0]] or evaluated[-1:]
    return log_order(found), (calendar.interval(inside[0])[0], calendar.interval(inside[-1])[1])


def _last_that_fit(run: Run, days: Sequence[date]) -> list[date]:
    """The last of `days` that together hold at most `limits.slice_rows` events, but at least one day."""
    ledger, left = read_ledger(run.lake, run.workload.name), run.workload.limits.slice_rows
    fitting: list[date] = []
    for day in reversed(days):
        left -= ledger.days[day].events if day in ledger.days else 0
        if left < 0 and fitting:
            break
        fitting.insert(0, day)
    return fitting


def _seconds(run: Run, plans: Sequence[Plan]) -> list[dict[str, Any]]:
    """Seconds of the plan in use: of its slowest slice and of all, over all of its queries."""
    folder = run.lake / run.workload.name / "slice_runs"
    stored = read_table(folder, ["run_id", "plan_id", "slice", "seconds"], [run.last])
    rows = [row for row in ([] if stored is None else stored.to_pylist()) if row["run_id"] == run.run_id]
    found = []
    for plan in plans:
        by_slice: dict[int, float] = {}
        for row in rows:
            if row["plan_id"] == plan.plan_id:
                by_slice[row["slice"]] = by_slice.get(row["slice"], 0.0) + row["seconds"]
        for metric, value in (
            ("slowest_slice", max(by_slice.values(), default=0.0)),
            ("all_slices", sum(by_slice.values())),
        ):
            found.append(
                {
                    "experiment": EXPERIMENT + plan.plan_id,
                    "strategy": IN_USE,
                    "parameters": json.dumps({"variables": list(plan.variables)}),
                    "seed": None,
                    "metric": metric,
                    "value": value,
                    "unit": "s",
                }
            )
    return found
