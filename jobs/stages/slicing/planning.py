"""Plans for what a run evaluates: what each query slices on, which queries share a plan, and for which days.

1. Each query is planned alone. It slices on the variables that have more than one coordinate in its plan. Where it may
   be sliced before its outermost EXISTS projects, it is if that lowers the predicted maximum load by 10 % or more.
2. Queries whose variables are bound by the same attributes of the same event types share a plan (`seen`). A query joins
   others that slice on fewer of its variables, if that costs little: it saves a copy of the events.
3. Many days are planned in periods where that lowers the sum over periods of the largest slice's events by 10 % or
   more: the log drifts. Each evaluated day belongs to one plan of a query.

Cost: counting each set of days that is planned by itself once; a plan for each query, for each shared group, and for
each half, quarter, eighth and sixteenth of the days, where their largest slices could be so much smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom, Reach
from cep_core.language.open_form import OpenForm
from cep_core.slicing import Plan, Statistics, make_plan
from cep_core.slicing.hashing import common_type
from jobs.runs.scope import Scope
from jobs.stages.slicing.counting.event_counts import Days, atoms_counted
from jobs.stages.slicing.seen import Attributes, Seen, in_one_vocabulary
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload

WORTH_SHARING = 0.1
"""The largest share by which a query's predicted maximum load may rise in a shared plan."""
WORTH_CHANGING = 0.1
"""The least share by which stripping EXISTS must lower the predicted load, or several periods the largest slices."""
MOST_HALVINGS = 4
"""How often the days of a run may be halved: at most 16 periods."""


class Counts(Protocol):
    """Exact counts of the events of sets of days."""

    def count(self, spans: Iterable[tuple[Days, Sequence[Atom]]]) -> None:
        """Count these sets of days together, each for the plans over these atoms that will be asked for."""

    def statistics(self, days: Days, atoms: Sequence[Atom]) -> Statistics:
        """The statistics of these days' events for plans over these atoms."""

    def stamps(self, days: Days) -> npt.NDArray[np.int64]:
        """The ascending time-stamps of all events of these days."""

    def total(self, days: Days) -> int:
        """How many events these days have."""


@dataclass(frozen=True)
class Group:
    """Queries that share a plan, and the days for which it evaluates them, ascending."""

    members: tuple[Seen, ...]
    days: Days

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(member.query for member in self.members)

    @property
    def halves(self) -> tuple[Group, Group]:
        """The earlier and the later days."""
        middle = len(self.days) // 2
        return replace(self, days=self.days[:middle]), replace(self, days=self.days[middle:])


@dataclass(frozen=True)
class Planning:
    """Plans the evaluations of a scope."""

    workload: Workload
    compiled: Mapping[str, WorkloadQuery]
    scope: Scope
    counted: Counts

    def plans(self) -> list[Plan]:
        """All plans, by their first query and period."""
        queries = sorted({evaluation.query for evaluation in self.scope.evaluations})
        self.counted.count(self._reading((name,), self._days([name])) for name in queries)
        groups = self._groups([self._seen(name) for name in queries])
        self.counted.count(self._reading(part.queries, part.days) for group in groups for part in _parts(group))
        plans = [plan for group in groups for plan in self._in_periods(group)]
        return sorted(plans, key=lambda plan: (plan.queries, plan.period or (0, 0)))

    def reads(self, queries: Iterable[str], days: Iterable[date]) -> Days:
        """The days that these queries' evaluations of these days read, ascending."""
        wanted = set(days)
        evaluations = (evaluation for name in queries for evaluation in self.scope.of(name))
        return tuple(sorted({day for own in evaluations if own.day in wanted for day in own.inputs}))

    def _reading(self, queries: Iterable[str], days: Iterable[date]) -> tuple[Days, Sequence[Atom]]:
        """The days that these queries' evaluations of these days read, and all atoms of the queries."""
        names = tuple(queries)
        return self.reads(names, days), atoms_counted({name: self.compiled[name] for name in names})

    def _days(self, queries: Iterable[str]) -> Days:
        return tuple(sorted({evaluation.day for name in queries for evaluation in self.scope.of(name)}))

    def _seen(self, query: str) -> tuple[Seen, Plan]:
        """How the slicer sees a query, with its plan alone."""
        days = self._days([query])
        evaluator = self.compiled[query].evaluator
        closed = Seen.whole(query, evaluator.atoms)
        plan = self._plan(Group((closed,), days))
        opened: OpenForm | None = getattr(evaluator, "opened", None)
        if opened is None:
            return closed, plan
        open_form = Seen.whole(query, opened.atoms, opened.hidden)
        option = self._plan(Group((open_form,), days))
        gains = load(option) <= load(plan) * (1 - WORTH_CHANGING) and load(plan) > 0
        return (open_form, option) if gains and open_form.hides(effective_variables(option)) else (closed, plan)

    def _groups(self, alone: Sequence[tuple[Seen, Plan]]) -> list[Group]:
        """Queries that share a plan; each slices on those of its variables along which its own plan slices."""
        own = [(seen.on(effective_variables(plan)), plan) for seen, plan in alone]
        bounds = {seen.bound for seen, _ in own}
        groups: list[list[Seen]] = []
        for seen, plan in own:
            chosen = self._joining(seen, plan, bounds)
            fitting = (group for group in groups if all(chosen.agrees(member) for member in group))
            group = next(fitting, None)
            if group is None:
                groups.append([chosen])
            else:
                group.append(chosen)
        return [Group(tuple(group), self._days(member.query for member in group)) for group in groups]

    def _joining(self, seen: Seen, plan: Plan, bounds: Iterable[tuple[Attributes, ...]]) -> Seen:
        """The query sliced on few variables, as others are, where that costs little."""
        options = [(seen, plan)]
        for bound in bounds:
            fewer = seen.on_bound(bound) if 0 < len(bound) < len(seen.variables) else None
            if fewer is not None:
                options.append((fewer, self._plan(Group((fewer,), self._days([seen.query])))))
        affordable = load(plan) * (1 + WORTH_SHARING)
        return min(
            (option for option in options if load(option[1]) <= affordable),
            key=lambda option: (len(option[0].variables), load(option[1]), option[0].bound),
        )[0]

    def _in_periods(self, group: Group) -> list[Plan]:
        """The plan for all days of a group, or plans for several periods."""
        parts, events = self._best(group, MOST_HALVINGS)
        if len(parts) == 1:
            return [parts[0][1]]
        plan = self._plan(group)
        together = load(plan) * self._events(group, plan)
        reason = (
            f"one of {len(parts)} periods: their largest slices hold {events:,.0f} events in all, with one plan "
            f"{together:,.0f}"
        )
        interval = self.workload.operating_days.interval
        return [
            replace(
                plan,
                period=(interval(part.days[0])[0], interval(part.days[-1])[1]),
                decisions=(*plan.decisions, reason),
            )
            for part, plan in parts
        ]

    def _best(self, group: Group, halvings: int) -> tuple[list[tuple[Group, Plan]], float]:
        """The best periods of a group with their plans, and the sum of the events of their largest slices.

        However days are halved, the largest slices hold a slice's share of all events together: where the plan for all
        days comes near that, nothing is counted for periods.
        """
        plan = self._plan(group)
        total = self._events(group, plan)
        events = load(plan) * total
        nothing_gained = events * (1 - WORTH_CHANGING) < total / self.workload.slicing.slices
        if not halvings or len(group.days) < 2 or nothing_gained:
            return [(group, plan)], events
        earlier, later = (self._best(half, halvings - 1) for half in group.halves)
        if earlier[1] + later[1] <= events * (1 - WORTH_CHANGING) and events:
            return [*earlier[0], *later[0]], earlier[1] + later[1]
        return [(group, plan)], events

    def _events(self, group: Group, plan: Plan) -> int:
        """How many events the plan slices."""
        return self.counted.statistics(self.reads(group.queries, group.days), plan.atoms).total(plan.atoms)

    def _plan(self, group: Group) -> Plan:
        calendar, first = self.workload.operating_days, group.members[0]
        atoms, reads = in_one_vocabulary(group.members), self.reads(group.queries, group.days)
        reach = widest([self.compiled[name].evaluator.reach for name in group.queries])
        # Time-stamps let the planner weigh quiet and busy hours. If the log is too long for this process, its events
        # count as evenly spread.
        weighed = reach.points or reach.events or self.counted.total(reads) <= self.workload.limits.slice_rows
        plan = make_plan(
            atoms,
            first.variables,
            self.counted.statistics(reads, [atom for own in atoms.values() for atom in own]),
            self.workload.slicing.slices,
            seed_text=seed_text(self.workload, group.queries),
            reach=reach,
            interval=(calendar.interval(group.days[0])[0], calendar.interval(group.days[-1])[1]),
            types=_types(self.workload.attributes, atoms, first.variables),
            stamps=self.counted.stamps(reads) if weighed else None,
        )
        others = {seen.query: seen.variables for seen in group.members if seen.variables != first.variables}
        projected = [f"{seen.query} is sliced before EXISTS projects" for seen in group.members if seen.is_projected]
        return replace(plan, names=others, decisions=(*plan.decisions, *projected))


def _parts(group: Group, halvings: int = MOST_HALVINGS) -> Iterator[Group]:
    """The group, and all periods for which it may be planned apart."""
    yield group
    if halvings and len(group.days) > 1:
        for half in group.halves:
            yield from _parts(half, halvings - 1)


def load(plan: Plan) -> float:
    """The predicted maximum load."""
    return plan.predicted.maximum_load if plan.predicted else 1.0


def effective_variables(plan: Plan) -> tuple[str, ...]:
    """The variables along which a plan really slices."""
    return tuple(
        name for index, name in enumerate(plan.variables) if any(cube.shares[index] > 1 for cube in plan.cubes)
    )


def seed_text(workload: Workload, queries: Iterable[str]) -> str:
    """The seed of a plan's hash functions: workload and queries, never the log."""
    return "\n".join([workload.name, *sorted(queries)])


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
