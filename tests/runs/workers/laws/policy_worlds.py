"""Random first-order policies of a workload over random logs, plans for them, and what workers need of both."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

import pyarrow as pa
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.logs.time_points import offsets_of
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import QueryError, QueryErrors
from cep_core.language.evaluator import RESULT, TOTALS, Evaluator
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.settings import Settings
from cep_core.language.temporal.formulas import Exists, Formula, Not, Predicate
from cep_core.language.temporal.walk import free_variables, with_operands
from cep_core.slicing import make_plan, statistics_of
from cep_core.slicing.planner import Plan
from cep_core.testing.formulas import safe_formulas
from cep_core.testing.signatures import drawn_points, signatures
from cep_core.testing.unsliced import unsliced
from jobs.stages.evaluating.assignment import Assignment, QueryText, compiled, schema_to_values
from jobs.stages.slicing.seen import Seen
from tests.runs.lake.toy_calendar import ToyCalendar
from tests.runs.workers.slicing import all_points

FEW = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
LENGTH = 8
"""Of an operating day, in the log's unit."""
CALENDAR = ToyCalendar(date(2013, 1, 1), LENGTH)
OF_WORKLOADS = re.compile(r"lacks '\w+', so no sub-log has its events|NEXT without an upper bound|two columns named")
"""What a workload refuses of formulas that are drawn for whole logs, with a `for each` that knows nothing of them."""
DAYS = tuple(range(-LENGTH, 7 * LENGTH + 1, LENGTH))
"""Boundaries of days that hold every stamp of a drawn log, and what becomes certain a little later."""


@dataclass(frozen=True)
class World:
    """A policy over a log whose every time-point holds a Tick, which no formula reads."""

    schema: LogSchema
    query: QueryText
    events: pa.Table

    @property
    def evaluator(self) -> Evaluator:
        return compiled(self.query, schema_to_values(self.schema))

    def whole(self, days: tuple[int, ...], suffix: str = RESULT) -> pa.Table:
        return unsliced(self.evaluator, self.events, all_points(self.events), days, suffix)

    def assignment(
        self, plan: Plan, blocks: tuple[tuple[int, ...], ...], limit: int, since: tuple[int, ...] | None = None
    ) -> Assignment:
        starts = {} if since is None else {self.query.name: since}
        values = schema_to_values(self.schema)
        return Assignment((plan.to_dict(),), (self.query,), {self.query.name: blocks}, values, limit, starts)


def events_of(points: list[tuple[int, list[tuple[object, ...]]]], schema: LogSchema, by: str) -> pa.Table:
    names = sorted({name for own in schema.types.values() for name in own})
    types = {name: own[name].type for own in schema.types.values() for name in own}
    rows = []
    for batch, (ts, events) in enumerate(points):
        for kind, *values in [("Tick",), *events]:
            named = zip([name for name in schema.types[str(kind)] if name != "batch"], values, strict=True)
            rows.append(
                {"event_type": kind, "ts": ts, "seq": len(rows), "pos": len(rows), "batch": batch, **dict(named)}
            )
    fixed = {"event_type": pa.string(), **dict.fromkeys(("ts", "seq", "pos"), pa.int64())}
    own = {name: ARROW_TYPES[types[name]] for name in names}
    table = pa.Table.from_pylist(rows, pa.schema((fixed | own).items()))
    return table.append_column("offset", pa.array(offsets_of(table, by)))


def with_ticks(schema: LogSchema) -> LogSchema:
    """The schema with an event type of its own for points, and a number of points; one type for each attribute."""
    batch = {"batch": Attribute("batch", AttributeType.INT, False)}
    types = {
        event_type: {f"{a.type[0]}{a.name}": Attribute(f"{a.type[0]}{a.name}", a.type) for a in own.values()} | batch
        for event_type, own in schema.types.items()
    }
    return LogSchema({**types, "Tick": batch})


def renamed(formula: Formula, plain: LogSchema) -> Formula:
    """The formula with the attributes of `with_ticks`."""
    if isinstance(formula, Predicate) and formula.names is not None:
        own = plain.attributes_of(formula.event_type)
        return replace(formula, names=tuple(f"{own[name].type[0]}{name}" for name in formula.names))
    return with_operands(formula, lambda part: renamed(part, plain))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    [world] = draw(policies_of_a_log("policy"))
    return world


@st.composite
def policies_of_a_log(draw: st.DrawFn, *names: str) -> list[World]:
    """Policies with these names over one log."""
    plain = draw(signatures())
    schema = with_ticks(plain)
    queries = [drawn_query(draw, plain, schema, name) for name in names]
    points = draw(drawn_points(plain))
    events = events_of(points, schema, draw(st.sampled_from(["by_timestamp", "by_event", "batch"])))
    worlds = [World(schema, query, events) for query in queries]
    for world in worlds:
        try:
            evaluator = world.evaluator
        except QueryError as error:
            refusals = error.errors if isinstance(error, QueryErrors) else (error,)
            if not all(OF_WORKLOADS.search(refusal.message) for refusal in refusals):
                raise
            assume(False)
        assume(len(evaluator.schema) >= 2)
    return worlds


def drawn_query(draw: st.DrawFn, plain: LogSchema, schema: LogSchema, name: str) -> QueryText:
    """Half of the policies have an outermost EXISTS, or the negation of one, and may be sliced before it projects."""
    formula = draw(safe_formulas(plain, depth=draw(st.integers(0, 2)), computing=False, sugar=draw(st.booleans())))
    projected = bool(free_variables(formula)) and draw(st.booleans())
    carried = [key for own in schema.types.values() for key in own if key != "batch"]
    split = "" if projected else draw(st.sampled_from(["", "", *carried]))
    header = f"-- for each: {split}\n" if split else ""
    if projected:
        hidden = draw(st.sets(st.sampled_from(free_variables(formula)), min_size=1))
        formula = Exists(tuple(sorted(hidden)), formula)
        if not free_variables(formula) and draw(st.booleans()):
            formula = Not(formula)
    written = formula_text(renamed(formula, plain))
    if not projected and draw(st.integers(0, 2)) == 0:
        header += "-- policy: must hold\n"
        condition = formula_text(renamed(draw(safe_formulas(plain, depth=1, computing=False)), plain))
        written = f"({draw(st.sampled_from([condition, written]))}) IMPLIES NOT ({written})"
    text = f"{header}-- What is wrong?\n{written}\n"
    most = draw(st.sampled_from([None, None, 2]))
    explained = draw(st.sampled_from([0, 1, 2, 2])) if projected else 2
    return QueryText(name, f"policies/{name}.mfotl", text, Settings(max_violations=most, explained=explained))


def plan_of(world: World, draw: st.DrawFn, events: pa.Table) -> Plan:
    """A plan of random slices, seeds, heavy values, ranges and names; if it may be, before EXISTS projects."""
    opened = getattr(world.evaluator, "opened", None)
    seen = Seen.whole(world.query.name, (opened or world.evaluator).atoms)
    names = [f"v{number}" for number, _ in enumerate(seen.variables)] if draw(st.booleans()) else list(seen.variables)
    called = dict(zip(seen.variables, names, strict=True))
    atoms = [
        replace(atom, variables=tuple((attribute, called[own]) for attribute, own in atom.variables))
        for atom in seen.atoms
    ]
    slices = draw(st.integers(1, 6))
    bounded = world.evaluator.reach.time is not None
    plan = make_plan(
        {world.query.name: atoms},
        names,
        statistics_of(events, atoms),
        slices,
        draw(st.text(max_size=2)),
        world.evaluator.reach,
        (DAYS[0], DAYS[-1]),
        stamps=events["ts"].to_numpy(),
        ranges=draw(st.integers(1, slices)) if bounded else 1,
        heavy=draw(st.sampled_from([None, (), tuple(names)])),
    )
    return replace(plan, names={world.query.name: seen.variables})


def work_of(world: World, draw: st.DrawFn) -> tuple[Plan, tuple[tuple[int, ...], ...], Assignment]:
    """A plan, one or two blocks of days, and what workers need; with any limit of rows, any slices together."""
    plan = plan_of(world, draw, world.events)
    middle = draw(st.integers(1, len(DAYS) - 2))
    blocks = draw(st.sampled_from([(DAYS,), (DAYS[: middle + 1], DAYS[middle:])]))
    assignment = world.assignment(plan, blocks, draw(st.sampled_from([1, 4, 1000])))
    return plan, blocks, replace(assignment, together=draw(st.sampled_from([0, 6, 1000])))


def content(table: pa.Table) -> tuple[object, ...]:
    return table.to_pylist(), (table.schema.metadata or {}).get(TOTALS)
