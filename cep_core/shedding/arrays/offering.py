"""Prepares a pattern query for an operator: which events fit which step, partitions, windows, comparisons.

It supports chains of units: types in sequence, `A+` and `A{n}` inside it, `ANY(n, ...)` over different types, and `NOT`
of one type between two of them. The selection strategy is skip-till-next-match or skip-till-any-match. Conditions are
on single events, equivalences, or comparisons with the event bound before. Anything else is refused, with its place.

Events of other types meet no partial match of the query. `WITHIN n EVENTS` counts the events that the operator is
offered. Cost: linear in events and conditions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags, Ints
from cep_core.language.bound_query import AGGREGATION, MATCHING
from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.language.patterns.facts.compiled import refusals_in
from cep_core.language.patterns.query import EdgePredicate, KeyClass, Query, Strategy
from cep_core.language.patterns.tree import AnyOf, Expression, Kleene, Not, Pattern, Sequence, Unit
from cep_core.language.patterns.values.exact_order import equal_codes
from cep_core.language.patterns.values.expressions import column, holds
from cep_core.language.patterns.walk import variables_of
from cep_core.matching.plan.conditions import Conditions, conditions_of, evaluate_conditions
from cep_core.shedding.arrays.open_windows import WindowSpec
from cep_core.shedding.arrays.stream import Offered
from cep_core.shedding.machine import Machine, Start


@dataclass(frozen=True)
class _Step:
    """One step of the chain: one variable, or any variable of a group."""

    variables: tuple[str, ...]
    loops: bool = False
    group: int = -1
    """The number of the ANY that the step belongs to; -1: none."""
    forbidden: tuple[str, ...] = ()
    """The negated variables just before the step."""


def relevant_types(query: Query) -> tuple[str, ...]:
    """The event types that an operator of the query is offered."""
    return tuple(sorted({variable.event_type for variable in query.variables}))


def offered(query: Query, events: pa.Table, *, name: str, weight: float = 1.0) -> Offered:
    """A matching query over events of its types, in (ts, seq) order. Raises NotSupportedYet."""
    with refusals_in(query):
        return _offered(query, events, name, weight)


def machine_of(query: Query) -> Machine:
    """The state machine that an operator would run for a query. Raises NotSupportedYet if no operator can."""
    if query.kind not in (AGGREGATION, MATCHING):  # of another language: only its kind and its head can be read
        message = f"shedding a query of kind '{query.kind}' is not supported yet"
        raise NotSupportedYet(message, query.head, text=query.text, path=query.path)
    names = {a.name: a for t in relevant_types(query) for a in query.schema.attributes_of(t).values()}
    types = {"int": pa.int64(), "float": pa.float64(), "string": pa.string(), "bool": pa.bool_()}
    columns = {name: pa.array([], types[attribute.type.value]) for name, attribute in names.items()}
    empty = pa.table({"event_type": pa.array([], pa.string()), "ts": pa.array([], pa.int64()), **columns})
    return offered(query, empty.append_column("seq", pa.array([], pa.int64())), name="query").machine


def _offered(query: Query, events: pa.Table, name: str, weight: float) -> Offered:
    if query.confidence is not None:
        raise NotSupportedYet("shedding a query WITH CONFIDENCE is not supported yet", query.pattern.at)
    if query.aggregation:
        raise NotSupportedYet("shedding an aggregation is not supported yet", query.pattern.at)
    if query.strategy not in (Strategy.NEXT, Strategy.ANY) or query.skip is not None:
        raise NotSupportedYet(f"shedding is supported under {Strategy.NEXT} and {Strategy.ANY} only", query.pattern.at)
    steps = _steps(query.pattern)
    chain = _chain(steps)
    _check_conditions(query, steps)
    tests = evaluate_conditions(_edge_conditions(query, chain), chain, lambda _: events)
    masks = _masks(query, events)
    fits = np.stack([np.logical_or.reduce([masks[v] for v in step.variables]) for step in steps], axis=1)
    fits[:, 0] &= tests.starts[:, 0]
    fits[:, -1] &= tests.accepts[:, -1]
    groups = _groups(steps)
    kills = None
    if any(step.forbidden for step in steps):
        kills = np.zeros(fits.shape, np.bool_)
        for number, step in enumerate(steps):
            for variable in step.forbidden:
                kills[:, number] |= masks[variable]
    sliding = query.window.slide is not None
    return Offered(
        name,
        Machine(
            len(steps),
            query.strategy,
            Start.EACH if sliding else Start.AT_OPENING,
            frozenset(number for number, step in enumerate(steps) if step.loops),
            groups,
        ),
        WindowSpec(query.window.size, query.window.events, query.window.slide, closed=not query.window.events),
        fits,
        weight,
        partition=_partition(query, events),
        kills=kills,
        member=_members(steps, masks, events.num_rows) if groups else None,
        entering={t: tests.comparisons[t - 1, t] for t in range(1, len(steps)) if (t - 1, t) in tests.comparisons},
        repeating={t: tests.comparisons[t, t] for t in range(len(steps)) if (t, t) in tests.comparisons},
    )


def _steps(pattern: Pattern) -> list[_Step]:
    elements = pattern.elements if isinstance(pattern, Sequence) else (pattern,)
    steps: list[_Step] = []
    forbidden: list[str] = []
    for number, element in enumerate(elements):
        match element:
            case Not(body=Unit() as body) if steps:
                forbidden.append(body.variable)
                continue
            case Unit():
                new = [_Step((element.variable,))]
            case Kleene(body=Unit() as body, least=least, most=None) if least >= 1:
                new = [_Step((body.variable,))] * (least - 1) + [_Step((body.variable,), loops=True)]
            case Kleene(body=Unit() as body, least=least, most=most) if least == most:
                new = [_Step((body.variable,))] * least
            case AnyOf() if len({unit.event_type for unit in element.units}) == len(element.units):
                variables = tuple(unit.variable for unit in element.units)
                new = [_Step(variables, group=number)] * element.n
            case _:
                raise NotSupportedYet("shedding this part of a pattern is not supported yet", element.at)
        new[0] = replace(new[0], forbidden=tuple(forbidden))
        forbidden = []
        steps += new
    if forbidden or steps[-1].loops:
        what = "a negation" if forbidden else "a closure"
        raise NotSupportedYet(f"shedding a pattern that ends with {what} is not supported yet", pattern.at)
    return steps


def _chain(steps: list[_Step]) -> Automaton:
    """One state for each step, in order. Leaving a loop comes before repeating it."""
    last = len(steps) - 1
    return Automaton(
        variables=tuple("|".join(step.variables) for step in steps),
        starts=(0,),
        successors=tuple(
            (*([number + 1] if number < last else []), *([number] if step.loops else []))
            for number, step in enumerate(steps)
        ),
        accepts=frozenset({last}),
    )


def _check_conditions(query: Query, steps: list[_Step]) -> None:
    """Refuses conditions on several events that mention a member of ANY or a negated event."""
    apart = {v for step in steps for v in step.forbidden}
    apart |= {v for step in steps if step.group >= 0 for v in step.variables}
    expressions = [predicate.expression for predicate in query.edge_predicates]
    expressions += [predicate.expression for predicate in query.match_predicates]
    for expression in expressions:
        if apart & set(variables_of(expression)):
            raise NotSupportedYet("shedding with this condition is not supported yet", expression.at)


def _edge_conditions(query: Query, chain: Automaton) -> Conditions:
    conditions = conditions_of(query, chain)
    if conditions.judged:
        raise NotSupportedYet(
            "shedding with a condition on more than an event and the one bound before is not supported yet",
            _place(conditions.judged[0]),
        )
    return conditions


def _place(judged: Expression | EdgePredicate | KeyClass) -> Position:
    return judged.expression.at if isinstance(judged, EdgePredicate) else judged.at


def _masks(query: Query, events: pa.Table) -> dict[str, Flags]:
    """Where each variable's type and vertex predicates hold."""
    types = column(events, "event_type")
    masks: dict[str, Flags] = {}
    for variable in query.variables:
        mask = pc.fill_null(pc.equal(types, variable.event_type), False).to_numpy(zero_copy_only=False)
        for predicate in query.vertex_predicates:
            if predicate.variable == variable.name:
                mask = mask & holds(predicate.expression, events)
        masks[variable.name] = mask
    return masks


def _groups(steps: list[_Step]) -> tuple[tuple[int, int], ...]:
    numbers = [step.group for step in steps]
    return tuple(
        (numbers.index(group), numbers.index(group) + numbers.count(group))
        for group in dict.fromkeys(numbers)
        if group >= 0
    )


def _members(steps: list[_Step], masks: dict[str, Flags], count: int) -> Ints:
    """[n] the number of the variable of ANY that an event fits. The variables of a group have different types."""
    members = np.zeros(count, np.int64)
    variables = dict.fromkeys(v for step in steps if step.group >= 0 for v in step.variables)
    for number, variable in enumerate(variables):
        members[masks[variable]] = number
    return members


def _partition(query: Query, events: pa.Table) -> Ints | None:
    """[n] the partition of each event by its type's key attributes; -1: of another type, or with a NULL key.

    None if all events are in one partition.
    """
    types = column(events, "event_type")
    relevant = pa.array(relevant_types(query), pa.string())
    in_partition = pc.is_in(types, value_set=relevant).to_numpy(zero_copy_only=False)
    if not query.key_classes and in_partition.all():
        return None
    codes: Ints = np.zeros(events.num_rows, np.int64)
    for key in query.key_classes:
        attribute_of: dict[str, str] = {}
        attribute_by_variable = dict(key.members)
        for variable in query.variables:
            attribute = attribute_by_variable.get(variable.name)
            if attribute is None or attribute_of.setdefault(variable.event_type, attribute) != attribute:
                raise NotSupportedYet("shedding with a key that not every event has is not supported yet", key.at)
        values = np.full(events.num_rows, -1, np.int64)
        by_attribute, _ = equal_codes([column(events, attribute) for attribute in attribute_of.values()])
        for event_type, type_codes in zip(attribute_of, by_attribute, strict=True):
            of_type = pc.fill_null(pc.equal(types, event_type), False).to_numpy(zero_copy_only=False)
            values = np.where(of_type, type_codes, values)
        in_partition = in_partition & (values >= 0)
        _, codes = np.unique(codes * (int(values.max(initial=0)) + 1) + np.maximum(values, 0), return_inverse=True)
    return np.where(in_partition, codes, -1).astype(np.int64)
