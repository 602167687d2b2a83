"""Stage `plan_slices`: plans how the events that a run will read are cut into slices (paper 01; docs/semantics.md 6).

First every query is planned alone: it slices on the variables that have more than one coordinate in its plan. Queries
that slice on the same variables, bound by the same attributes, then share one plan. Queries without such a variable get
time ranges. Statistics are exact counts of the events that the plan will slice (jobs/stages/slicing/event_counts.py).

Reads `events`; writes `slicing_plans` of the run's last day. Cost: two aggregations over the days read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_

import pyarrow as pa

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom, Reach
from cep_core.slicing import Plan, make_plan
from cep_core.slicing.hashing import common_type
from jobs.lake.write import replace
from jobs.runs.run import Run, StageOutcome
from jobs.runs.scope import Scope
from jobs.stages.own_rows import own_rows
from jobs.stages.slicing.event_counts import Days, EventCounts

WORTH_SHARING = 0.1
"""The largest share by which a query's predicted maximum load may rise in a shared plan."""


Bound = tuple[tuple[str, tuple[str, ...]], ...]
"""Slicing variables, each with the attributes that bind it."""


@dataclass(frozen=True)
class Group:
    """Queries that share a plan, the variables it slices on, and the days that it reads."""

    queries: tuple[str, ...]
    variables: tuple[str, ...]
    reads: Days


def plan_slices(run: Run) -> StageOutcome:
    """Plan the run's evaluations. Other runs' plans stay, because results of other days or queries need them."""
    assert run.scope is not None
    plans = plans_of(run, run.scope)
    rows = pa.Table.from_pylist([_row(run, run.scope, plan) for plan in plans], SCHEMA)
    of_run = own_rows(run, "slicing_plans", "run_id", [run.run_id])
    replace(rows, run.table("slicing_plans"), of_run)
    shown = "; ".join(f"{', '.join(plan.queries)}: {_shown(plan)}" for plan in plans)
    return StageOutcome(rows_in=len(run.scope.evaluations), rows_out=len(plans), message=shown)


def plans_of(run: Run, scope: Scope) -> list[Plan]:
    """The plans for a scope, ordered by their first query."""
    counted = EventCounts(run)
    alone = [
        Group((name,), variables_of(run.compiled[name].evaluator.atoms), reads_of(scope, [name]))
        for name in sorted({evaluation.query for evaluation in scope.evaluations})
    ]
    counted.count(group.reads for group in alone)
    sliced_on = _sliced_on(run, scope, alone, counted)
    shared = [
        Group(tuple(names), tuple(variable for variable, _ in bound), reads_of(scope, names))
        for bound, names in sliced_on.items()
    ]
    counted.count(group.reads for group in shared)
    return sorted((_plan(run, scope, group, counted) for group in shared), key=lambda plan: plan.queries)


def _sliced_on(run: Run, scope: Scope, alone: Sequence[Group], counted: EventCounts) -> dict[Bound, list[str]]:
    """Queries by the variables that they slice on, with the attributes that bind these.

    A query joins others that slice on fewer of its variables, if that costs little: it saves a copy of the events. In
    policies, variables of one name may be bound by different attributes; such policies have nothing to share.
    """
    plans = {group: _plan(run, scope, group, counted) for group in alone}
    own = {group: bound_by(run.compiled[group.queries[0]].evaluator.atoms) for group in alone}
    effective = {group: _of(own[group], effective_variables(plan)) for group, plan in plans.items()}
    sliced_on: dict[Bound, list[str]] = {}
    for group, plan in plans.items():
        options = {effective[group]: plan}
        for fewer in set(effective.values()):
            if fewer and set(fewer) < set(effective[group]):
                names = tuple(variable for variable, _ in fewer)
                options[fewer] = _plan(run, scope, with_(group, variables=names), counted)
        affordable = _load(plan) * (1 + WORTH_SHARING)
        chosen = min(
            (bound for bound, option in options.items() if _load(option) <= affordable),
            key=lambda bound: (len(bound), _load(options[bound]), bound),
        )
        sliced_on.setdefault(chosen, []).extend(group.queries)
    return sliced_on


def _load(plan: Plan) -> float:
    return plan.predicted.maximum_load if plan.predicted else 1.0


def variables_of(atoms: Iterable[Atom]) -> tuple[str, ...]:
    """The slicing variables of a query, sorted."""
    return tuple(sorted({variable for atom in atoms for _, variable in atom.variables}))


def bound_by(atoms: Iterable[Atom]) -> dict[str, tuple[str, ...]]:
    """Each slicing variable of a query with the attributes that bind it, both sorted.

    >>> bound_by([Atom("A", (("dest", "x"),)), Atom("B", (("origin", "x"), ("line", "l")))])
    {'l': ('line',), 'x': ('dest', 'origin')}
    """
    attributes: dict[str, set[str]] = {}
    for atom in atoms:
        for attribute, variable in atom.variables:
            attributes.setdefault(variable, set()).add(attribute)
    return {variable: tuple(sorted(names)) for variable, names in sorted(attributes.items())}


def _of(bound: Mapping[str, tuple[str, ...]], variables: Iterable[str]) -> Bound:
    return tuple((variable, bound[variable]) for variable in variables)


def effective_variables(plan: Plan) -> tuple[str, ...]:
    """The variables along which a plan really slices."""
    return tuple(
        name for index, name in enumerate(plan.variables) if any(cube.shares[index] > 1 for cube in plan.cubes)
    )


def reads_of(scope: Scope, queries: Iterable[str]) -> Days:
    """The days that some queries' evaluations read, ascending."""
    return tuple(sorted({day for name in queries for evaluation in scope.of(name) for day in evaluation.inputs}))


def seed_text(run: Run, queries: Iterable[str]) -> str:
    """The seed of a plan's hash functions: workload and queries, never the log."""
    return "\n".join([run.workload.name, *sorted(queries)])


def widest(reaches: Sequence[Reach]) -> Reach:
    """The smallest reach that covers all of these.

    >>> widest([Reach(time=5, points=1), Reach(time=7)])
    Reach(time=7, points=1, events=0)
    """
    times = [reach.time for reach in reaches]
    bounded = [time for time in times if time is not None]
    return Reach(
        None if len(bounded) < len(times) else max(bounded),
        max(reach.points for reach in reaches),
        max(reach.events for reach in reaches),
    )


def _plan(run: Run, scope: Scope, group: Group, counted: EventCounts) -> Plan:
    calendar = run.workload.operating_days
    atoms = {name: run.compiled[name].evaluator.atoms for name in group.queries}
    days = [evaluation.day for name in group.queries for evaluation in scope.of(name)]
    reach = widest([run.compiled[name].evaluator.reach for name in group.queries])
    # Time-stamps let the planner weigh quiet and busy hours. If the log is too long for this process, its events count
    # as evenly spread.
    weighed = reach.points or reach.events or counted.total(group.reads) <= run.workload.limits.slice_rows
    return make_plan(
        atoms,
        group.variables,
        counted.statistics(group.reads, [atom for query_atoms in atoms.values() for atom in query_atoms]),
        run.workload.slicing.slices,
        seed_text=seed_text(run, group.queries),
        reach=reach,
        interval=(calendar.interval(min(days))[0], calendar.interval(max(days))[1]),
        types=_types(run.workload.attributes, atoms, group.variables),
        stamps=counted.stamps(group.reads) if weighed else None,
    )


def _types(
    attributes: Mapping[str, AttributeType], atoms: Mapping[str, Sequence[Atom]], variables: Sequence[str]
) -> dict[str, AttributeType]:
    """The common type of the attributes that bind each variable, as the schema declares them."""
    bound: dict[str, list[pa.DataType]] = {name: [] for name in variables}
    for query_atoms in atoms.values():
        for atom in query_atoms:
            for attribute, variable in atom.variables:
                if variable in bound:
                    bound[variable].append(ARROW_TYPES[attributes[attribute]])
    return {name: common_type(types) for name, types in bound.items()}


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


def _row(run: Run, scope: Scope, plan: Plan) -> dict[str, object]:
    content = plan.to_dict()
    days = [evaluation.day for name in plan.queries for evaluation in scope.of(name)]
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

    >>> from cep_core.slicing import Cube
    >>> _shown(Plan(("q",), (), ("x",), (AttributeType.INT,), (Cube(frozenset(), (4,), (None,)),)))
    '4 by x'
    """
    by = f"{plan.cells} by {' x '.join(plan.variables)}" if plan.variables else ""
    ranges = f"{len(plan.ranges)} time range(s)" if len(plan.ranges) > 1 or not by else ""
    return ", ".join(part for part in (by, ranges) if part)
