"""From a bound query to what the kernels are to do: a template as numbers, its compared edges, totals and minima.

GRETA, sections 4.1 and 6: edge predicates sit on the transitions of the template. Whatever no kernel evaluates is
refused here, by name and position, before any event is read (docs/semantics.md, 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from cep_core.events.schema import AttributeType, Ties
from cep_core.language.errors import NotSupportedYet, Position, QueryError
from cep_core.language.patterns.query import Adjacency, Aggregate, EdgePredicate, Query, ReturnItem, Strategy
from cep_core.language.patterns.template import Template, template_of
from cep_core.language.patterns.tree import (
    Alternative,
    AnyOf,
    Comparison,
    Conjunction,
    Kleene,
    Not,
    Pattern,
    Sequence,
)
from cep_core.language.patterns.walk import units_of
from cep_core.trends.graph import MOST_STATES, Automaton, automaton, bits
from cep_core.trends.negation import Guarded, guarded

T = TypeVar("T")

MATCHING_HINT = "use a matching query: RETURN without an aggregate over all trends"


@dataclass(frozen=True)
class ComparedEdge:
    """A template edge from state `source` to state `target` with its comparisons `left operator right`, all to hold."""

    source: int
    target: int
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True)
class Total:
    """A sum over all occurrences, in all trends, of events bound to `states` (bits): of 1, or of an attribute.

    `attribute` None counts occurrences; `values` True counts those whose attribute is known, else adds it up.
    """

    states: int
    attribute: str | None = None
    values: bool = False


@dataclass(frozen=True)
class Minimum:
    """The least, or largest, known value of an attribute over all occurrences of events bound to `states` (bits)."""

    states: int
    attribute: str
    largest: bool
    type: AttributeType


@dataclass(frozen=True)
class Item:
    """A column of the result with its places among the totals (`total`; AVG: divided by `divisor`) or minima.

    A sum of doubles also has the places of their MIN and MAX (`bounds`), which tell whether all were finite.
    """

    source: ReturnItem
    total: int = 0
    divisor: int = 0
    minimum: int = 0
    bounds: tuple[int, int] | None = None

    @property
    def is_extreme(self) -> bool:
        """Whether it is a MIN or a MAX."""
        return self.source.aggregate in (Aggregate.MIN, Aggregate.MAX)


@dataclass(frozen=True)
class Plan:
    """What an aggregation query computes. Total 0 of a window is its number of trends; `totals` are those from 1 on."""

    query: Query
    template: Template
    guarded: Guarded
    """The template with what its negations guard."""
    automaton: Automaton
    compared: tuple[ComparedEdge, ...]
    totals: tuple[Total, ...]
    minima: tuple[Minimum, ...]
    items: tuple[Item, ...]

    @property
    def size(self) -> int:
        """Length of a window, in the log's unit."""
        return self.query.window.size

    @property
    def slide(self) -> int:
        """Distance of windows, in the log's unit; tumbling without SLIDE."""
        return self.query.window.slide or self.query.window.size

    @property
    def ordered(self) -> bool:
        """Whether events of equal time may follow each other, by `seq`."""
        return self.query.schema.ties is Ties.ORDERED


def plan_of(query: Query) -> Plan:
    """The plan of an aggregation query. Raises NotSupportedYet, or QueryError for what aggregation refuses for good."""
    _check_shape(query)
    template = template_of(query)
    guards = guarded(query.pattern, lambda what, at: _later(query, what, at))
    if len(template.states) > MOST_STATES:
        raise _later(query, f"a pattern of more than {MOST_STATES} variables", query.pattern.at)
    number = {state: place for place, state in enumerate(template.states)}
    predicates = _predicates_by_edge(query, template)
    compared = tuple(
        ComparedEdge(number[source], number[target], tuple(_comparison(query, one) for one in found))
        for (source, target), found in predicates.items()
    )
    free = [edge for edge in template.edges if edge not in predicates and edge not in guards.between]
    totals: list[Total] = []
    minima: list[Minimum] = []
    items = [_item(item, number, totals, minima) for item in query.returns if item.aggregate is not None]
    return Plan(
        query,
        template,
        guards,
        automaton(
            len(number),
            [number[s] for s in template.start],
            [number[s] for s in template.end],
            [(number[p], number[q]) for p, q in free],
        ),
        compared,
        tuple(totals),
        tuple(minima),
        tuple(items),
    )


def _later(query: Query, what: str, at: Position, hint: str = "") -> NotSupportedYet:
    return NotSupportedYet(f"not supported yet: {what}", at, text=query.text, path=query.path, hint=hint)


def _never(query: Query, what: str, at: Position, hint: str = MATCHING_HINT) -> QueryError:
    return QueryError(what, at, text=query.text, path=query.path, hint=hint)


def _check_shape(query: Query) -> None:
    if not query.aggregation:
        raise ValueError("trend aggregation evaluates queries that RETURN an aggregate over all trends")
    if query.strategy is not Strategy.ANY:
        raise _later(query, f"trend aggregation under {query.strategy}", query.pattern.at)
    if query.window.events:
        raise _later(query, "trend aggregation WITHIN a number of events", query.pattern.at)
    if query.skip is not None:
        raise _later(query, "AFTER MATCH SKIP in a trend aggregation", query.pattern.at)
    _check_pattern(query, query.pattern)
    for key in query.key_classes:
        if not key.slices:
            raise _later(query, f"'{key.name}' of events that a trend may lack", key.at)
    negated = {variable.name for variable in query.variables if variable.negated}
    for edge in query.edge_predicates:
        if not negated.isdisjoint((edge.source, edge.target)):
            raise _later(query, "a comparison of events inside a NOT", edge.expression.at)
    for predicate in query.match_predicates:
        raise _never(query, "a condition on more than adjacent events of a trend", predicate.expression.at)


def _check_pattern(query: Query, pattern: Pattern) -> None:
    match pattern:
        case Not():
            _check_pattern(query, pattern.body)
        case Alternative():
            names = [unit.variable for unit in units_of(pattern)]
            if len(set(names)) < len(names):
                raise _later(query, "OR of branches that share a variable", pattern.at, "name the variables apart")
            for option in pattern.options:
                _check_pattern(query, option)
        case Conjunction():
            raise _later(query, "AND in a trend aggregation", pattern.at)
        case AnyOf():
            raise _later(query, "ANY in a trend aggregation", pattern.at)
        case Kleene():
            if pattern.least > 1 or pattern.most not in (1, None):
                raise _later(query, "a quantifier other than +, * and ? in a trend aggregation", pattern.at)
            _check_pattern(query, pattern.body)
        case Sequence():
            for element in pattern.elements:
                _check_pattern(query, element)


def _predicates_by_edge(query: Query, template: Template) -> dict[tuple[str, str], list[EdgePredicate]]:
    """The predicates of each template edge that carries any."""
    found: dict[tuple[str, str], list[EdgePredicate]] = {}
    for predicate in query.edge_predicates:
        source, target = predicate.source, predicate.target
        at = predicate.expression.at
        if predicate.adjacency is Adjacency.BINDING and not _neighbours(template, source):
            raise _never(query, f"other events may lie between {source}[i-1] and {source}[i]", at)
        found.setdefault((source, target), []).append(predicate)
    return found


def _neighbours(template: Template, state: str) -> bool:
    """Whether consecutive events of a closure's variable are always neighbours in the trend."""
    between = [other for other in template.successors(state) if other != state]
    return (state, state) in template.edges and not any(template.reaches(other, state) for other in between)


def _comparison(query: Query, predicate: EdgePredicate) -> Comparison:
    if predicate.separated is None:
        raise _later(
            query,
            "a condition between neighbours that is not one comparison",
            predicate.expression.at,
            "write it with the earlier event on one side and the later on the other",
        )
    return predicate.separated


def _item(item: ReturnItem, number: dict[str, int], totals: list[Total], minima: list[Minimum]) -> Item:
    """The item's places, which are shared with earlier items that need the same."""
    states = bits(number[variable] for variable in item.variables)
    match item.aggregate:
        case Aggregate.COUNT:
            return Item(item, total=_place(Total(states), totals) + 1)
        case Aggregate.SUM | Aggregate.AVG:
            total = _place(Total(states, item.argument), totals) + 1
            divisor = 0
            if item.aggregate is Aggregate.AVG:
                divisor = _place(Total(states, item.argument, values=True), totals) + 1
            bounds = None
            if item.type is AttributeType.FLOAT:
                bounds = (_place(_extreme(item, states, False), minima), _place(_extreme(item, states, True), minima))
            return Item(item, total=total, divisor=divisor, bounds=bounds)
        case Aggregate.MIN | Aggregate.MAX:
            return Item(item, minimum=_place(_extreme(item, states, item.aggregate is Aggregate.MAX), minima))
        case _:
            return Item(item)


def _extreme(item: ReturnItem, states: int, largest: bool) -> Minimum:
    assert item.argument is not None
    assert item.type is not None
    return Minimum(states, item.argument, largest, item.type)


def _place(wanted: T, places: list[T]) -> int:
    if wanted not in places:
        places.append(wanted)
    return places.index(wanted)
