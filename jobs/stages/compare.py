"""Stage `compare`: compares strategies of slicing and of load shedding on the day's real events.

Slicing strategies are compared on the events that each plan slices. The loads of unused strategies are counted without
running them; the loads of other numbers of slices are predicted. Seconds are measured only for the plan in use. Events
are counted on the last days of the run that fit into one slice (`limits.slice_rows`), usually on all days; of a day
that does not fit, on one of every few (jobs/stages/measuring/sliced_log.py).

Each plan gives one experiment, for all its days, recorded under the plan on the run's last day. Of this day is also
planned what 1 to 1,024 workers would give (jobs/stages/measuring/more_workers.py). Shedding
(jobs/stages/measuring/shed.py) gives one experiment a day, whichever run made it. Reads `events`,
`slicing_plans` and `slice_runs`; replaces the run's experiments in `experiments`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

from cep_core.experiments.slice_counts import predicted_loads
from cep_core.experiments.slicing_rows import compare_strategies
from cep_core.experiments.slicing_strategies import IN_USE
from cep_core.shedding.operator_run import TooManyPartialMatches
from cep_core.slicing import Plan
from cep_core.slicing.slicing_plan import Prediction
from jobs.lake.conditions import equal, one_of
from jobs.lake.dataset import read_table
from jobs.lake.write import replace
from jobs.runs.ledger import read_ledger
from jobs.runs.recorded_days import Ledger
from jobs.runs.run import Run, StageOutcome
from jobs.stages.measuring.experiment_rows import SCHEMA, recorded
from jobs.stages.measuring.more_workers import EXPERIMENT as WORKERS
from jobs.stages.measuring.more_workers import recorded_for
from jobs.stages.measuring.shed import EXPERIMENT as SHEDDING
from jobs.stages.measuring.shed import MOST_DAYS, days_evaluated, shed_on
from jobs.stages.measuring.sliced_log import sliced_log
from jobs.stages.measuring.unmeasured import forget_unmeasured, unmeasured_days
from jobs.stages.slicing.counting.event_counts import atoms_counted
from jobs.stages.slicing.event_samples import EventSamples
from jobs.stages.slicing.planned import planned, plans_of_day
from jobs.stages.slicing.planning import seed_text, widest

EXPERIMENT = "slicing:"
"""An experiment's name is this prefix and the plan's id."""

PLANNED = "planned"
"""The name under which predictions for other numbers of slices are recorded."""

MEASURED = {
    "maximum load": "maximum_load",
    "replication": "replication",
    "imbalance": "imbalance",
    "slices": "slices",
}
"""The counts of each strategy, and their names in the table."""


def compare(run: Run) -> StageOutcome:
    """Compare for every plan of the run, and for every day on which queries that ask for shedding were evaluated.

    Days that were evaluated earlier, without being measured, are measured too. If there is nothing else, the run's
    comparisons of slicing stay as they are.
    """
    assert run.scope is not None
    plans = planned(run) if run.scope.evaluations else []
    days = sorted({*days_evaluated(run), *unmeasured_days(run)})
    ledger = read_ledger(run.lake, run.workload.name)
    atoms = [atom for plan in plans for atom in plan.atoms]
    samples = EventSamples(run.lake / run.workload.name / "events", [*atoms, *atoms_counted(run.compiled)])
    events_read, slicing = _slicing_rows(run, ledger, plans, samples)
    if plans:
        slicing += recorded_for(run, ledger, samples)
    mine = {"day": run.last, "run_id": run.run_id}
    measured = [pa.Table.from_pylist([{**row, **mine} for row in slicing], SCHEMA)]
    trained = []
    for done, day in enumerate(latest := days[-MOST_DAYS:]):
        run.progress.advance(done, len(latest), f"shedding on {day}")
        try:
            training, rows = shed_on(run, ledger, day)
        except TooManyPartialMatches as problem:
            run.progress.note(f"shedding on {day} is not compared: {problem}")
            trained.append(f"{day} not compared: {problem}")
            continue
        trained.append(f"{day} trained on {len(training.days)} of {training.asked} days")
        measured.append(recorded(rows, day, run.run_id, SHEDDING))
    rows = pa.concat_tables(measured).combine_chunks()
    replace(rows, run.table("experiments"), _replaced(run, days))
    forget_unmeasured(run)
    message = "; ".join([f"plans against their rivals: {len(plans)}", *(["shedding: " + trained[-1]] if days else [])])
    return StageOutcome(events_read, rows.num_rows, message, details={"shedding": trained} if days else {})


def _replaced(run: Run, days: Sequence[date]) -> str:
    """The rows to replace: of slicing the run's own comparisons, if it has evaluated, of shedding those of the days.

    If these days hold nothing else, as on most nights, the condition is whole days: Delta replaces a partition without
    reading its files.
    """
    assert run.scope is not None
    own = {run.last} if run.scope.evaluations else set()
    touched = sorted({*own, *days})
    folder = run.lake / run.workload.name / "experiments"
    stored = read_table(folder, kinds := ["day", "run_id", "experiment"], touched)
    kept = [
        row
        for row in ([] if stored is None else stored.group_by(kinds).aggregate([]).to_pylist())
        if not (
            row["day"] in days
            if row["experiment"] == SHEDDING
            else own and row["day"] == run.last and (row["run_id"] == run.run_id or row["experiment"] == WORKERS)
        )
    ]
    if not kept:
        return one_of("day", touched)
    shedding = equal("experiment", SHEDDING)
    measured = f"{one_of('day', days)} AND {shedding}"
    if not own:
        return measured
    workers = equal("experiment", WORKERS)
    mine = f"{equal('day', run.last)} AND ({equal('run_id', run.run_id)} OR {workers}) AND NOT {shedding}"
    return f"({mine}) OR ({measured})"


def _slicing_rows(
    run: Run, ledger: Ledger, plans: Sequence[Plan], samples: EventSamples
) -> tuple[int, list[dict[str, Any]]]:
    """Events read and rows, for every plan. The other strategies include yesterday's plan for the same queries."""
    yesterday = {plan.queries: plan for plan in plans_of_day(run, run.first - timedelta(days=1))}
    rows: list[dict[str, Any]] = []
    events_read = 0
    for done, plan in enumerate(plans):
        run.progress.advance(done, len(plans), ", ".join(plan.queries))
        log = sliced_log(run, ledger, plan, samples)
        events, interval = log.events, log.interval
        events_read += events.num_rows
        if log.every > 1:
            run.progress.note(f"{', '.join(plan.queries)}: strategies are compared on every {log.every}th event")
        reach = log.reach(widest([run.compiled[name].evaluator.reach for name in plan.queries]))
        compared = compare_strategies(
            plan,
            events,
            run.workload.slicing.slices,
            seed_text(run.workload, plan.queries),
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
        rows += _predicted(plan, predicted_loads(plan, events, seed_text(run.workload, plan.queries), reach, interval))
    rows += _seconds(run, plans)
    return events_read, rows


def _predicted(plan: Plan, loads: Mapping[int, Prediction]) -> list[dict[str, Any]]:
    """What the planner predicts for other numbers of slices."""
    return [
        {
            "experiment": EXPERIMENT + plan.plan_id,
            "strategy": PLANNED,
            "parameters": json.dumps({"slices": slices}),
            "seed": None,
            "metric": metric,
            "value": value,
            "unit": unit,
        }
        for slices, costs in loads.items()
        for metric, value, unit in (
            ("predicted_load", costs.maximum_load, "share of events"),
            ("predicted_replication", costs.replication, "copies per event"),
            ("lower_bound", costs.lower_bound, "share of events"),
        )
    ]


def _seconds(run: Run, plans: Sequence[Plan]) -> list[dict[str, Any]]:
    """Seconds of the plan in use over all of its queries: for all slices, and for the slowest if each was evaluated by
    itself."""
    folder = run.lake / run.workload.name / "slice_runs"
    stored = read_table(folder, ["run_id", "plan_id", "slice", "seconds", "together"], [run.last])
    rows = [row for row in ([] if stored is None else stored.to_pylist()) if row["run_id"] == run.run_id]
    seconds_of_plan = []
    for plan in plans:
        by_slice: dict[int, float] = {}
        apart = True
        for row in rows:
            if row["plan_id"] == plan.plan_id:
                by_slice[row["slice"]] = by_slice.get(row["slice"], 0.0) + row["seconds"]
                apart = apart and row["together"] == 1
        for metric, value in (
            ("slowest_slice", max(by_slice.values(), default=0.0) if apart else None),
            ("all_slices", sum(by_slice.values())),
        ):
            seconds_of_plan.append(
                {
                    "experiment": EXPERIMENT + plan.plan_id,
                    "strategy": IN_USE.name,
                    "parameters": json.dumps({"variables": list(plan.variables)}),
                    "seed": None,
                    "metric": metric,
                    "value": value,
                    "unit": "s",
                }
            )
    return seconds_of_plan
