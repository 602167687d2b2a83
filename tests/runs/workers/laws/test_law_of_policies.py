"""The law of slicing for first-order policies (S1, S3, S7, S29-S35): any cut of the work gives the unsliced result."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.logs.time_points import offsets_of
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import QueryError, QueryErrors
from cep_core.language.evaluator import CERTAIN, RESULT, TOTALS, Evaluator, of_table
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.settings import Settings
from cep_core.language.temporal.formulas import Exists, Formula, Not, Predicate
from cep_core.language.temporal.walk import free_variables, with_operands
from cep_core.monitoring.shared.why.proof import ProofTree
from cep_core.monitoring.shared.why.proving import ProofMaker
from cep_core.slicing import make_plan, statistics_of
from cep_core.slicing.planner import Plan
from cep_core.slicing.ranges import BEGINNING
from cep_core.testing.formulas import safe_formulas
from cep_core.testing.signatures import drawn_points, signatures
from cep_core.testing.unsliced import unsliced
from jobs.runs.scope import Bounds, Ledger, LoadedDay, first_read
from jobs.stages.evaluating.assignment import Assignment, QueryText, compiled, schema_to_values
from jobs.stages.slicing.seen import Seen
from tests.runs.workers.slicing import all_points, explained, merged
from tests.slicing.laws.only_read import only_read

FEW = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
LENGTH = 8
"""Of an operating day, in the log's unit."""
START = date(2013, 1, 1)
OF_WORKLOADS = re.compile(r"lacks '\w+', so no sub-log has its events|NEXT without an upper bound|two columns named")
"""What a workload refuses of formulas that are drawn for whole logs, with a `for each` that knows nothing of them."""
DAYS = tuple(range(-LENGTH, 7 * LENGTH + 1, LENGTH))
"""Boundaries of days that hold every stamp of a drawn log, and what becomes certain a little later."""


class ToyCalendar:
    def interval(self, day: date) -> tuple[int, int]:
        begin = (day - START).days * LENGTH
        return begin, begin + LENGTH

    def day_of(self, ts: int) -> date:
        return START + timedelta(days=ts // LENGTH)


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


@FEW
@given(worlds(), st.data())
def test_sliced_is_unsliced(world: World, data: st.DataObject) -> None:
    """Rows, their order and exact totals: by shares, seeds, heavy values, ranges, row limits, blocks of days, and by
    which slices are evaluated together."""
    plan, blocks, assignment = work_of(world, data.draw)
    held = only_read(world.evaluator, world.events)
    for suffix in (table.suffix for table in world.evaluator.tables):
        tables = merged(assignment, plan, held, all_points(world.events), world.query.name, suffix)
        assert [content(table) for table in tables] == [content(world.whole(days, suffix)) for days in blocks]


@FEW
@given(worlds(), st.data(), st.integers(1, 12))
def test_large_proofs_are_told_alike_in_any_slices(world: World, data: st.DataObject, most: int) -> None:
    """As far as their parts are small, if a proof may look at few claims."""
    assume(getattr(world.evaluator, "opened", None) is None)  # these count the claims of all slices together
    plan = plan_of(world, data.draw, world.events)
    assignment = world.assignment(plan, (DAYS,), data.draw(st.sampled_from([4, 1000])))
    small_proof = ProofMaker.small_proof

    def proof_of_few(maker: ProofMaker, *claim: Any) -> ProofTree | None:
        return small_proof(maker, *claim[:-1], most)

    with mock.patch.object(ProofMaker, "small_proof", proof_of_few):
        [table] = merged(assignment, plan, world.events, all_points(world.events), world.query.name, "_why")
        assert table.to_pylist() == world.whole(DAYS, "_why").to_pylist()


EQUATED = (
    "P(x) AND NOT (EXISTS z. Q(z, _) AND z = x)",
    "P(x) AND NOT (EXISTS z, w. Q(z, w) AND (ONCE P(w)) AND z = x)",
    "P(x) AND NOT (EXISTS w, z. Q(z, w) AND z = x AND P(w))",
    "P(x) AND NOT (EXISTS z. z = 1 AND Q(z, x))",
    "P(x) AND NOT (EXISTS w. (EXISTS v. Q(w, v) AND v = x) AND P(w))",
    "P(x) AND NOT ONCE (EXISTS z. (EXISTS v. v = z AND Q(z, v)) AND z = x)",
    "P(x) AND (FORALL z. (Q(z, _) AND x = z) IMPLIES (z = 0 AND P(z)))",
    "P(x) AND NOT (EXISTS n, z. (n <- CNT w; z Q(z, w)) AND z = x AND n > 1)",
    "EXISTS y. P(y) AND NOT (EXISTS z. Q(z, x) AND z = y) AND P(x)",
)
"""A name that is bound equals one that is free, or a constant: slices have no other events."""


@FEW
@given(
    st.sampled_from(EQUATED),
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from("PPQ"), st.integers(0, 2), st.integers(0, 2)), max_size=9),
    st.integers(1, 4),
    st.text(max_size=1),
)
def test_causes_are_those_of_one_slice_where_bound_names_are_equated(
    formula: str, drawn: list[tuple[int, str, int, int]], slices: int, seed: str
) -> None:
    own = {name: Attribute(name, AttributeType.INT) for name in "ab"}
    schema = LogSchema({"P": {"a": own["a"]}, "Q": own, "Tick": {}})
    rows = [{"event_type": "Tick", "ts": 0}, *({"event_type": k, "ts": ts, "a": a, "b": b} for ts, k, a, b in drawn)]
    fields = {"event_type": pa.string(), **dict.fromkeys(("ts", "a", "b"), pa.int64())}
    log = pa.Table.from_pylist(sorted(rows, key=lambda row: row["ts"]), pa.schema(fields.items()))
    for name in ("seq", "pos"):
        log = log.append_column(name, pa.array(range(log.num_rows)))
    log = log.append_column("offset", pa.array([0] * log.num_rows))
    text = f"-- What is wrong?\n{formula}\n"
    world = World(schema, QueryText("p", "policies/p.mfotl", text, Settings(explained=5)), log)
    atoms = (getattr(world.evaluator, "opened", None) or world.evaluator).atoms
    names = Seen.whole("p", atoms).variables
    plan = make_plan({"p": atoms}, names, statistics_of(log, atoms), slices, seed, world.evaluator.reach)
    assignment = world.assignment(plan, (DAYS,), 1000)
    [table] = merged(assignment, plan, log, all_points(log), "p", "_why")
    assert table.to_pylist() == world.whole(DAYS, "_why").to_pylist()


@FEW
@given(policies_of_a_log("first", "second"), st.data())
def test_two_policies_in_one_plan_are_as_apart(worlds: list[World], data: st.DataObject) -> None:
    """S35: a plan over the variables that both bind, and slices with the events of both."""
    atoms = {world.query.name: world.evaluator.atoms for world in worlds}
    bound = [{name for atom in own for _, name in atom.variables} for own in atoms.values()]
    every = tuple(atom for own in atoms.values() for atom in own)
    statistics = statistics_of(worlds[0].events, every)
    names, slices, seed = sorted(bound[0] & bound[1]), data.draw(st.integers(1, 6)), data.draw(st.text(max_size=2))
    plan = make_plan(atoms, names, statistics, slices, seed, heavy=data.draw(st.sampled_from([(), tuple(names)])))
    blocks = {world.query.name: (DAYS,) for world in worlds}
    queries = tuple(world.query for world in worlds)
    assignment = Assignment((plan.to_dict(),), queries, blocks, schema_to_values(worlds[0].schema), 4, {})
    for world in worlds:
        [table] = merged(assignment, plan, world.events, all_points(world.events), world.query.name)
        assert content(table) == content(world.whole(DAYS))


@FEW
@given(worlds(), st.data())
def test_a_day_alone_is_its_part_of_the_whole(world: World, data: st.DataObject) -> None:
    """Each day is evaluated by itself, from the days that its reach asks for: warm-up is the cut of the whole run."""
    calendar, ts = ToyCalendar(), world.events["ts"].to_numpy()
    names = [calendar.day_of(moment) for moment in DAYS[:-1]]
    loaded = {}
    for day, (begin, end) in zip(names, pairwise(DAYS), strict=True):
        inside = (ts >= begin) & (ts < end)
        loaded[day] = LoadedDay("digest", False, int(inside.sum()), len(np.unique(ts[inside])))
    bounds = Bounds(calendar, names[0], None)
    number = data.draw(st.integers(0, len(names) - 1))
    day, own = names[number], DAYS[number : number + 2]
    begin = calendar.interval(first_read(world.evaluator.reach, day, Ledger(loaded), bounds))[0]
    read = world.events.filter(pa.array((ts >= begin) & (ts < own[1])))
    plan = plan_of(world, data.draw, read)
    assignment = world.assignment(plan, (own,), 1000, (begin,))
    for suffix in (table.suffix for table in world.evaluator.tables):
        [table] = merged(assignment, plan, only_read(world.evaluator, read), all_points(read), world.query.name, suffix)
        whole = world.whole(DAYS, suffix)
        certain = whole[CERTAIN].to_numpy()
        assert table.to_pylist() == whole.filter(pa.array((certain >= own[0]) & (certain < own[1]))).to_pylist()


@FEW
@given(st.data())
def test_the_first_rows_are_explained_from_their_own_events(data: st.DataObject) -> None:
    """Together or, where the events in reach are too many, each by itself; a row with too many has its first claim."""
    schema = LogSchema({name: {"a": Attribute("a", AttributeType.INT)} for name in "PQ"})
    drawn = data.draw(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("PQ"), st.integers(0, 2)), min_size=1))
    rows = [{"event_type": k, "ts": ts, "a": a, "offset": 0} for ts, k, a in sorted(drawn)]
    log = pa.Table.from_pylist(
        rows, pa.schema([("event_type", pa.string()), *((n, pa.int64()) for n in ("ts", "a", "offset"))])
    )
    log = log.append_column("seq", pa.array(range(log.num_rows)))
    text = "-- What is wrong?\nNOT (EXISTS x. P(x) AND ONCE[0,1] Q(x))\n"
    world = World(schema, QueryText("p", "policies/p.mfotl", text, Settings(explained=3)), log)
    [table] = [table for table in world.evaluator.tables if table.suffix == "_why"]
    assert table.explain is not None
    violations = world.evaluator.merge(of_table(world.evaluator.evaluate(log, None, all_points(log))))
    ts = log["ts"].to_numpy()
    alone = {row["ts"]: int(((ts >= row["ts"] - 1) & (ts <= row["ts"])).sum()) for row in violations.to_pylist()}
    most = data.draw(st.integers(0, len(ts)))
    batches = explained(world.evaluator, table, violations, DAYS, BEGINNING, log, all_points(log), most)
    claims = table.merge(batches, DAYS).to_pylist()
    for row in world.whole(DAYS, "_why").to_pylist():
        own = [claim for claim in claims if claim["ts"] == row["ts"]]
        assert row in own if alone[row["ts"]] <= most else [claim["node"] for claim in own] == [0]
