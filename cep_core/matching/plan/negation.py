"""Compiles the negated elements of a pattern: what each forbids, and what its conditions compare.

A negated element keeps the conditions that are only about its own events. Every other condition compares one of its
events with events of the match; this is a test. If every test is `left op right` between the event and a neighbour of
the gap, edges of the event graph can judge the negation (`negation_edges`). Matches are then counted without listing
them. Any other negation is judged on listed matches (`negation_listed`).
"""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.events.schema import Ties
from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.automata.automaton import Automaton, automaton_of
from cep_core.language.patterns.bind.alike import alike_units
from cep_core.language.patterns.bind.classification import separated
from cep_core.language.patterns.query import Adjacency, EdgePredicate, Query, Strategy
from cep_core.language.patterns.tree import Comparison, Expression, IsNull, Not, PrefixAggregate, Reference, Which
from cep_core.language.patterns.walk import units_of, variables_of, walk
from cep_core.matching.plan.conditions import Conditions, check_judgeable, separated_edge


@dataclass(frozen=True)
class Test:
    """A condition on an event of the negated element and events of the match."""

    variable: str
    others: tuple[str, ...]
    expression: Expression


@dataclass(frozen=True)
class NeighbourTest:
    """`left op right`: left reads an event of the match's variable `other`, right reads an event of `variable`."""

    variable: str
    other: str
    comparison: Comparison


@dataclass(frozen=True)
class Place:
    """The gap of a negated element: between two states, before the first (`source` None) or after the last."""

    source: int | None
    target: int | None


@dataclass(frozen=True)
class NegatedElement:
    """One negated element."""

    body: Not
    automaton: Automaton
    conditions: Conditions
    """The conditions on neighbouring events of the element itself."""
    inner: tuple[NegatedElement, ...]
    """The negated elements inside it."""
    tests: tuple[Test, ...]
    places: tuple[Place, ...]
    by_place: dict[Place, tuple[NeighbourTest, ...]] | None
    """The tests at each place, if all of them compare with its source or all with its target; otherwise None."""

    @property
    def countable(self) -> bool:
        """Whether edges of the event graph can judge it."""
        return self.by_place is not None

    def describe(self, strategy: Strategy) -> str:
        """How it is judged, as `explain` prints it."""
        names = ", ".join(self.automaton.variables)
        if strategy is not Strategy.ANY:
            return f"NOT {names}: drops the runs that pass it; cost: its candidates between the events of each match"
        if self.countable:
            return f"NOT {names}: a comparison of neighbours, so that matches are counted without listing them"
        return f"NOT {names}: judged on listed matches, since no neighbour alone answers its conditions"


def negations_of(query: Query, automaton: Automaton) -> tuple[NegatedElement, ...]:
    """The negated elements of an automaton, by number. Raises NotSupportedYet if one cannot be judged yet."""
    return tuple(_compiled(query, automaton, number) for number in range(len(automaton.negations)))


def _compiled(query: Query, outer: Automaton, number: int) -> NegatedElement:
    body = outer.negations[number]
    automaton = automaton_of(body.body, alike_units(query))
    if automaton.loose and query.schema.ties is not Ties.ORDERED:
        raise NotSupportedYet("ANY inside a NOT is not supported yet where events may be concurrent", body.at)
    if automaton.before or automaton.after:
        raise NotSupportedYet("a NOT at the edge of a negated sequence is not supported yet", body.at)
    inner = negations_of(query, automaton)
    for part in inner:
        if not part.countable:
            at = part.tests[0].expression.at
            raise NotSupportedYet("this test of a negation within a negation is not supported yet", at)
    own = set(automaton.variables)
    nested = {unit.variable for part in inner for unit in units_of(part.body)}
    edges: list[tuple[EdgePredicate, tuple[Comparison, ...]]] = []
    tests: list[Test] = []
    neighbours: dict[int, EdgePredicate] = {id(edge.expression): edge for edge in query.edge_predicates}
    expressions = [predicate.expression for predicate in query.edge_predicates]
    expressions += [predicate.expression for predicate in query.match_predicates]
    for expression in expressions:
        names = set(variables_of(expression))
        if not names & own or names & nested:
            continue
        if names <= own:
            edges.append(_own(expression, neighbours.get(id(expression)), query, automaton))
        else:
            tests.append(_test(expression, own, query))
    tests += _equalities(query, own, body.at)
    places = (
        *(Place(None, t) for t, passed in outer.before.items() if number in passed),
        *(Place(s, t) for (s, t), passed in outer.between.items() if number in passed),
        *(Place(s, None) for s, passed in outer.after.items() if number in passed),
    )
    by_place: dict[Place, tuple[NeighbourTest, ...]] | None = {}
    for place in places:
        at_place = _beside(tests, place, outer, query)
        if at_place is None or by_place is None:
            by_place = None
        else:
            by_place[place] = at_place
    conditions = Conditions(tuple(edges), (), ())
    return NegatedElement(body, automaton, conditions, inner, tuple(tests), places, by_place)


def _own(
    expression: Expression, predicate: EdgePredicate | None, query: Query, automaton: Automaton
) -> tuple[EdgePredicate, tuple[Comparison, ...]]:
    """A condition on the element's own events; it must compare neighbours."""
    comparisons = () if predicate is None else separated_edge(predicate, query)
    if (
        predicate is None
        or not comparisons
        or (predicate.adjacency is Adjacency.BINDING and automaton.comes_back(predicate.source))
    ):
        raise NotSupportedYet("this condition inside a negated element is not supported yet", expression.at)
    return predicate, comparisons


def _test(expression: Expression, own: set[str], query: Query) -> Test:
    names = variables_of(expression)
    variables = [name for name in names if name in own]
    plainly = all(
        part.which is Which.EACH if isinstance(part, Reference) else False
        for part in walk(expression)
        if isinstance(part, Reference | PrefixAggregate) and part.variable in own
    )
    if len(variables) > 1 or not plainly:
        raise NotSupportedYet("this test of a negated element is not supported yet", expression.at)
    check_judgeable(expression)
    return Test(variables[0], tuple(name for name in names if name not in own), expression)


def _equalities(query: Query, own: set[str], at: Position) -> list[Test]:
    """Tests for the non-partitioning equivalences: the element's event must have the value of the match."""
    tests = []
    for key in query.key_classes:
        inside = [member for member in key.members if member[0] in own]
        if key.slices or not inside:
            continue
        if len(inside) > 1:
            message = f"an equivalence inside a negated sequence that some match does not bind: {key.name}"
            raise NotSupportedYet(f"{message} is not supported yet", at)
        ((variable, attribute),) = inside
        mine = Reference(variable, attribute, Which.EACH, at)
        for positive in query.positive:
            for other, name in key.members:
                if other == positive.name:
                    theirs = Reference(other, name, Which.EACH, at)
                    tests.append(Test(variable, (other,), Comparison("=", mine, theirs, at)))
    return tests


def _beside(tests: list[Test], place: Place, outer: Automaton, query: Query) -> tuple[NeighbourTest, ...] | None:
    """The tests that apply at a place, if all compare with the source or all with the target; otherwise None."""
    lists = {variable.name for variable in query.variables if variable.kleene}
    at_place: list[NeighbourTest] = []
    sides: set[str] = set()
    for test in tests:
        if any(isinstance(part, IsNull) and part.variable is not None for part in walk(test.expression)):
            return None
        if any(_never_with(name, place, outer) for name in test.others):
            continue  # a condition that mentions an absent event is ignored
        if len(test.others) > 1 or test.others[0] in lists:
            return None
        neighbour = test.others[0]
        names = {state: outer.variables[state] for state in (place.source, place.target) if state is not None}
        plain = separated(test.expression, (neighbour, Which.EACH))
        beside = EdgePredicate(neighbour, test.variable, Adjacency.NEIGHBOUR, test.expression, plain)
        comparisons = separated_edge(beside, query)
        if neighbour not in names.values() or not comparisons:
            return None
        sides.add(neighbour)
        at_place += [NeighbourTest(test.variable, neighbour, comparison) for comparison in comparisons]
    return tuple(at_place) if len(sides) < 2 else None


def _never_with(variable: str, place: Place, outer: Automaton) -> bool:
    """Whether every match that passes the place leaves the variable unbound."""
    if variable not in outer.variables:
        return False
    states = [s for s, name in enumerate(outer.variables) if name == variable]
    if place.source in states or place.target in states:
        return False
    follows = place.target is not None and outer.reaches(place.target, variable)
    leads = place.source is not None and any(
        place.source in outer.successors[s] or outer.reaches(s, outer.variables[place.source]) for s in states
    )
    return not follows and not leads
