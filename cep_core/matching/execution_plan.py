"""SASE++'s own engine, run by run: NFA^b's primitives counted, each of the paper's optimisations on or off.

An event is offered to every run, which is extended, cloned or left alone (SASE++, sections 2.2 and 5.1). Under
skip-till-any-match a run that takes an event is cloned first, since it might have ignored it: the number of runs is
exponential in the events of a closure, which is what the paper's optimisations and our columnar engine avoid. Kept as
the measure of both: for tests, `explain` and benchmarks, not for answers.

Defined for a sequence of types and closures of types without negation. Cost: events times runs alive, in plain Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

import pyarrow as pa

from cep_core.events.schema import Ties
from cep_core.language.patterns.query import EdgePredicate, Query, Strategy
from cep_core.language.patterns.tree import (
    Expression,
    IsNull,
    Kleene,
    PrefixAggregate,
    Reference,
    Span,
    Unit,
    Which,
)
from cep_core.language.patterns.tree import Sequence as Seq
from cep_core.language.patterns.walk import rewrite, variables_of, walk
from cep_core.matching.interpreting import Bound, Columns, places_of, value_of
from cep_core.matching.quantities import running_variables

Binding = tuple[tuple[int, ...], ...]
"""For each component the rows bound to it."""


@dataclass(frozen=True)
class Optimisations:
    """What the engine does beyond the bare automaton."""

    push_vertex: bool = False
    """Conditions on one event filter before any run sees it."""
    partition: bool = False
    """Runs are kept by the value of an equivalence that every component has, and offered events of that value only."""
    prune_by_window: bool = False
    """A run is dropped as soon as an event lies beyond its window, not when it would be complete."""
    buffer: bool = False
    """Events wait until every component has one (ZStream)."""
    postpone: bool = False
    """One value-blind run for each first event; its subsets are enumerated under the conditions (section 5.1)."""
    on_the_fly: bool = False
    """With `postpone`: events are labelled or dropped as they arrive, by the class of each condition (section 5.2)."""
    collapse: bool = False
    """With `postpone`: the superset is the result, its subsets are not enumerated."""


@dataclass
class Primitives:
    """How often each primitive of a pattern execution plan was carried out, and what came of it."""

    edge_evaluations: int = 0
    initialisations: int = 0
    extensions: int = 0
    clonings: int = 0
    proceedings: int = 0
    terminations: int = 0
    cases: int = 0
    """Subsets enumerated by result construction."""
    tests: int = 0
    """Conditions evaluated there."""
    matches: int = 0

    @property
    def runs(self) -> int:
        """Every run that there ever was."""
        return self.initialisations + self.clonings


@dataclass(frozen=True)
class Component:
    """A component of the sequence."""

    variable: str
    event_type: str
    kleene: bool


@dataclass(frozen=True)
class Due:
    """A condition and when it is due: with each event of component `due`, or (`at_exit`) when that one is left."""

    expression: Expression
    running: tuple[str, ...]
    looks_back: bool
    due: int
    at_exit: bool
    vertex: bool
    consistency: str


@dataclass(frozen=True)
class Run:
    """A partial match."""

    bound: Binding
    """Up to the component that the run is in, which has an event."""
    last: int


@dataclass
class ExecutionPlan:
    """A query on the run-by-run engine; `counters` add up over `matches`.

    >>> from cep_core.events.table import log_schema_of, order
    >>> from cep_core.language.patterns.binding import bind
    >>> log = order(pa.table({"event_type": list("ABBBC"), "ts": range(5)}))
    >>> plan = ExecutionPlan(bind("PATTERN SEQ(A a, B+ b[], C c) WITHIN 10", log_schema_of(log)))
    >>> len(plan.matches(log)), plan.counters.runs
    (7, 15)
    """

    query: Query
    optimisations: Optimisations = Optimisations()
    counters: Primitives = field(default_factory=Primitives)

    def __post_init__(self) -> None:
        self.components = components_of(self.query)
        names = [component.variable for component in self.components]
        self.tests = [test for test in _tests(self.query, names) if not test.vertex]
        self.vertex_tests = [test for test in _tests(self.query, names) if test.vertex]
        keys = [[(names.index(v), x) for v, x in key.members] for key in self.query.key_classes]
        everywhere = [*range(len(names))]
        self.shared = [dict(key) for key in keys if sorted(component for component, _ in key) == everywhere]
        self.shared = self.shared if self.optimisations.partition else []
        self.keys = [key for key in keys if dict(key) not in self.shared]
        options = self.optimisations
        if self.query.strategy is not Strategy.ANY and (options.postpone or options.buffer):
            raise ValueError("only skip-till-any-match allows operations to be postponed")
        if self.query.strategy is not Strategy.ANY and not options.prune_by_window:
            raise ValueError("under one match for each start the window decides which events a run takes")
        if (options.on_the_fly or options.collapse) and not options.postpone:
            raise ValueError("on-the-fly evaluation and collapsed results go with postponing")

    def matches(self, events: pa.Table) -> list[Binding]:
        """All matches of a log in (ts, seq) order, or with `collapse` the supersets that stand for them."""
        from cep_core.matching.postponing import Postponing

        names = {name for test in (*self.tests, *self.vertex_tests) for name in _read(test)}
        names |= {x for key in self.query.key_classes for _, x in key.members}
        self.columns: Columns = {name: events[name].to_pylist() for name in names}
        self.types: list[str] = events["event_type"].to_pylist()
        self.ts: list[int] = events["ts"].to_pylist()
        found: list[Binding] = []
        for rows in self._partitions():
            if self.optimisations.postpone:
                found += Postponing(self).matches(rows)
            else:
                found += self._by_runs(rows)
        self.counters.matches += len(found)
        return sorted(found, key=lambda match: (match[-1][-1], match))

    # -------------------------------------------------------------- what an event may be bound to

    def later(self, one: int, other: int) -> bool:
        return one < other if self.query.schema.ties is Ties.ORDERED else self.ts[one] < self.ts[other]

    def inside(self, first: int, last: int) -> bool:
        """Whether two events fit the window."""
        window = self.query.window
        return last - first < window.size if window.events else self.ts[last] - self.ts[first] <= window.size

    def fits(self, row: int, component: int) -> bool:
        """Type, and what was pushed."""
        if self.types[row] != self.components[component].event_type:
            return False
        return not self.optimisations.push_vertex or self.vertex(row, component)

    def vertex(self, row: int, component: int) -> bool:
        bound = {self.components[component].variable: (row,)}
        return all(
            value_of(t.expression, self.columns, bound, {}) is True for t in self.vertex_tests if t.due == component
        )

    def passes(self, bound: Binding, component: int, *, leaves: int | None) -> bool:
        """Evaluates an edge: what is due with the last event of `component`, and at the exit of `leaves`."""
        self.counters.edge_evaluations += 1
        if not self.optimisations.push_vertex and not self.vertex(bound[component][-1], component):
            return False
        by_name = self.by_name(bound)
        return self.agree(bound) and all(
            self.holds(test, by_name, newest=not test.at_exit)
            for test in self.tests
            if (test.due == leaves if test.at_exit else test.due == component)
        )

    def mentioned(self, test: Due) -> tuple[str, ...]:
        return variables_of(test.expression)

    def by_name(self, bound: Binding) -> Bound:
        return {component.variable: rows for component, rows in zip(self.components, bound, strict=False)}

    def agree(self, bound: Binding) -> bool:
        """The equivalences among the events bound so far."""
        for key in self.keys:
            values = {
                self.columns[x][row] for component, x in key if component < len(bound) for row in bound[component]
            }
            if len(values) > 1 or None in values:
                return False
        return True

    def holds(self, test: Due, bound: Bound, *, newest: bool = False) -> bool:
        """A condition on a binding; `newest`: only what the last event of the component that it is due with adds."""
        due = self.components[test.due].variable
        for at in places_of(test.running, bound):
            if newest and due in at and at[due] != len(bound[due]) - 1:
                continue
            if test.looks_back and any(place == 0 for place in at.values()):
                continue
            if value_of(test.expression, self.columns, bound, at) is not True:
                return False
        return True

    def complete(self, bound: Binding) -> bool:
        """What is due when the last component is left."""
        last = len(self.components) - 1
        by_name = self.by_name(bound)
        return self.inside(bound[0][0], bound[-1][-1]) and all(
            self.holds(test, by_name) for test in self.tests if test.at_exit and test.due == last
        )

    def _partitions(self) -> Iterator[Sequence[int]]:
        """The rows that meet each other."""
        if not self.shared:
            yield range(len(self.types))
            return
        by_type: dict[str, list[tuple[str, ...]]] = {}
        for number, component in enumerate(self.components):
            own = tuple(key[number] for key in self.shared)
            by_type.setdefault(component.event_type, []).append(own)
        groups: dict[tuple[object, ...], list[int]] = {}
        for row, event_type in enumerate(self.types):
            for own in dict.fromkeys(by_type.get(event_type, ())):
                value = tuple(self.columns[x][row] for x in own)
                if None not in value:
                    groups.setdefault(value, []).append(row)
        yield from groups.values()

    # -------------------------------------------------------------- runs

    def _by_runs(self, rows: Sequence[int]) -> list[Binding]:
        runs: list[Run] = []
        found: list[Binding] = []
        recent: list[int] = []  # in the window, held back or not
        waiting: list[int] = []
        for row in rows:
            if not self.optimisations.buffer:
                runs = self._offer(row, runs, found)
                continue
            if any(self.fits(row, number) for number in range(len(self.components))):
                recent = [held for held in recent if self.inside(held, row)] + [row]
                waiting = [held for held in waiting if self.inside(held, row)] + [row]
            if self.fits(row, len(self.components) - 1) and self._all_there(recent):
                for held in waiting:
                    runs = self._offer(held, runs, found)
                waiting = []
        if self.query.strategy is not Strategy.ANY:
            found += [longest for run in runs for longest in self._longest(run)]
        return found

    def _all_there(self, recent: list[int]) -> bool:
        """Whether each component has an event in the window."""
        return all(any(self.fits(held, number) for held in recent) for number in range(len(self.components)))

    def _offer(self, row: int, runs: list[Run], found: list[Binding]) -> list[Run]:
        """The runs after an event."""
        alive: list[Run] = []
        any_match = self.query.strategy is Strategy.ANY
        for run in runs:
            if self.optimisations.prune_by_window and not self.inside(run.bound[0][0], row):
                self.counters.terminations += 1
                found += [] if any_match else self._longest(run)
                continue
            taken = list(self._moves(run, row))
            if any_match or not taken:
                if taken or self.query.strategy in (Strategy.ANY, Strategy.NEXT):
                    alive.append(run)  # the run that ignores the event
                else:
                    self.counters.terminations += 1
                    found += self._longest(run)
                    continue
            for bound in taken if any_match else taken[:1]:
                if any_match:
                    self.counters.clonings += 1
                self.counters.extensions += 1
                self._go_on(Run(bound, row), alive, found)
        if self.fits(row, 0) and self.passes(((row,),), 0, leaves=None):
            self.counters.initialisations += 1
            self._go_on(Run(((row,),), row), alive, found)
        return alive

    def _moves(self, run: Run, row: int) -> Iterator[Binding]:
        """What the run may become with the event: leaving a closure comes before staying in it."""
        at = len(run.bound) - 1
        if not self.later(run.last, row):
            return
        if self.query.strategy is Strategy.STRICT and row != run.last + 1:
            return
        if at + 1 < len(self.components) and self.fits(row, at + 1):
            bound = (*run.bound, (row,))
            if self.components[at].kleene:
                self.counters.proceedings += 1
            if self.passes(bound, at + 1, leaves=at):
                yield bound
        if self.components[at].kleene and self.fits(row, at):
            bound = (*run.bound[:-1], (*run.bound[-1], row))
            if self.passes(bound, at, leaves=None):
                yield bound

    def _go_on(self, run: Run, alive: list[Run], found: list[Binding]) -> None:
        """A run in its last component is a match; unless that is a closure it ends there."""
        last = len(self.components) - 1
        if len(run.bound) <= last:
            alive.append(run)
            return
        if self.query.strategy is Strategy.ANY:
            found += [run.bound] if self.complete(run.bound) else []
        elif not self.components[last].kleene:
            found += self._longest(run)
        if self.components[last].kleene:
            alive.append(run)
        else:
            self.counters.terminations += 1

    def _longest(self, run: Run) -> list[Binding]:
        """The longest part of an ended run that is a match, as a list of at most one."""
        if len(run.bound) < len(self.components):
            return []
        for length in range(len(run.bound[-1]), 0, -1):
            bound = (*run.bound[:-1], run.bound[-1][:length])
            if self.complete(bound):
                return [bound]
        return []


def components_of(query: Query) -> tuple[Component, ...]:
    """The components of a sequence; raises ValueError for another pattern."""
    elements = query.pattern.elements if isinstance(query.pattern, Seq) else (query.pattern,)
    found = []
    for element in elements:
        match element:
            case Unit():
                found.append(Component(element.variable, element.event_type, False))
            case Kleene(body=Unit() as unit, least=1, most=None):
                found.append(Component(unit.variable, unit.event_type, True))
            case _:
                raise ValueError("an execution plan is drawn for a sequence of types and closures of types")
    return tuple(found)


def _tests(query: Query, names: Sequence[str]) -> Iterator[Due]:
    lists = frozenset(variable.name for variable in query.variables if variable.kleene)
    for vertex in query.vertex_predicates:
        yield Due(vertex.expression, (vertex.variable,), False, names.index(vertex.variable), False, True, "both")
    said = [(said_of_match(edge, lists), "inconsistent") for edge in query.edge_predicates]
    said += [(predicate.expression, predicate.consistency) for predicate in query.match_predicates]
    for expression, consistency in said:
        due = max(names.index(name) for name in variables_of(expression))
        yield Due(
            expression,
            running_variables(expression, lists),
            any(looks_back(part) for part in walk(expression)),
            due,
            any(_whole(part) and part.variable == names[due] for part in walk(expression)),
            False,
            consistency,
        )


def said_of_match(edge: EdgePredicate, lists: frozenset[str]) -> Expression:
    """An edge predicate as a condition on the match: neighbours of two components are the last and the first."""
    if edge.source == edge.target:
        return edge.expression

    def named(part: Expression) -> Expression:
        if isinstance(part, Reference) and part.variable in lists:
            if part.variable == edge.source:
                return Reference(part.variable, part.attribute, Which.LAST, part.at)
            return Reference(part.variable, part.attribute, Which.AT, part.at, 1)
        return part

    return rewrite(edge.expression, named)


def looks_back(part: Expression) -> bool:
    """Whether a part of a condition is about events before the one that it runs through."""
    if isinstance(part, PrefixAggregate):
        return part.span is Span.BEFORE
    return isinstance(part, Reference) and part.which is Which.PREVIOUS


def _whole(part: Expression) -> TypeGuard[Reference | PrefixAggregate | IsNull]:
    """Whether a part can only be told when no more events of its variable come."""
    match part:
        case Reference(which=Which.LAST | Which.AT) | PrefixAggregate(span=Span.ALL) | IsNull(operand=None):
            return True
    return False


def _read(test: Due) -> Iterator[str]:
    for part in walk(test.expression):
        if isinstance(part, Reference | PrefixAggregate) and part.attribute is not None:
            yield part.attribute
