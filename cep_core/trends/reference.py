"""Trend aggregation by definition: enumerate every match, then aggregate. Small, slow, and independent of the kernels.

It covers all patterns with vertex, equivalence and edge predicates, under skip-till-any-match (docs/semantics.md, 2-4).
Exponential time.
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, permutations
from typing import Any

from cep_core.aggregates.count import COUNT_TRENDS
from cep_core.events.schema import Ties
from cep_core.language.patterns.bind.alike import alike_units
from cep_core.language.patterns.bind.naming import RIGHT
from cep_core.language.patterns.query import Adjacency, EdgePredicate, Query, ReturnItem
from cep_core.language.patterns.tree import (
    Alternative,
    AnyOf,
    Arithmetic,
    Between,
    Comparison,
    Conjunction,
    Expression,
    In,
    IsNull,
    Kleene,
    Literal,
    Logical,
    Negation,
    Negative,
    Not,
    Pattern,
    Reference,
    Unit,
    Which,
    WholeSum,
)
from cep_core.language.patterns.tree import Sequence as Seq

Event = Mapping[str, Any]
Binding = tuple[tuple[str, int], ...]
"""The (variable, event) pairs of a trend, in its order."""
Path = tuple[tuple[str, int] | Not, ...]
"""The pairs of a trend, with the negations between them."""
Environment = Mapping[tuple[str, Which], Event]

SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPUTE: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def aggregate(query: Query, events: Sequence[Event]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The aggregates by (group..., window start), then by column, as exact integers and fractions."""
    size = query.window.size
    slide = query.window.slide or size
    rows: dict[tuple[Any, ...], list[Binding]] = defaultdict(list)
    times = [place if query.window.events else event["ts"] for place, event in enumerate(events)]
    for k in range((min(times) - size) // slide, max(times) // slide + 1) if events else ():
        inside = [i for i, ts in enumerate(times) if k * slide <= ts < k * slide + size]
        for binding in trends(query, events, inside):
            rows[(*group(query, events, binding), k * slide)].append(binding)
    return {
        key: {item.column: value(item, bindings, events) for item in query.returns if item.aggregate is not None}
        for key, bindings in rows.items()
    }


def trends(query: Query, events: Sequence[Event], inside: Sequence[int]) -> Iterable[Binding]:
    """Every match among the events `inside`. For AND: every unordered pair of different matches, joined into one."""
    if not isinstance(query.pattern, Conjunction):
        return matches(query, query.pattern, events, inside)
    pairs: dict[frozenset[Binding], Binding] = {}
    for left in matches(query, query.pattern.left, events, inside):
        for right in matches(query, query.pattern.right, events, inside):
            plain = tuple((variable.removesuffix(RIGHT), i) for variable, i in right)
            if left != plain and satisfies(query, events, (*left, *right)):
                pairs[frozenset({left, plain})] = (*left, *right)
    return pairs.values()


def matches(query: Query, pattern: Pattern, events: Sequence[Event], inside: Sequence[int]) -> Iterable[Binding]:
    """Every match of a pattern of the query among the events `inside`."""
    ordered = query.schema.ties is Ties.ORDERED

    def follows(later: int | None, earlier: int | None) -> bool:
        if later is None or earlier is None:  # there is no event: the edge of the window
            return True
        return later > earlier if ordered else bool(events[later]["ts"] > events[earlier]["ts"])

    def extend(pattern: Pattern, before: Path) -> Iterator[Path]:
        """Every path that continues `before` with a match of the pattern. Negations are not checked yet."""
        if isinstance(pattern, Unit):
            for i in inside:
                fits = events[i]["event_type"] == pattern.event_type
                if fits and follows(i, nearest(reversed(before))):
                    yield (*before, (pattern.variable, i))
        elif isinstance(pattern, Not):
            yield (*before, pattern)
        elif isinstance(pattern, Seq):
            front = {before}
            for element in pattern.elements:
                front = {after for path in front for after in extend(element, path)}
            yield from front
        elif isinstance(pattern, Alternative):
            for option in pattern.options:
                yield from extend(option, before)
        elif isinstance(pattern, Kleene):
            front = {before}
            for _ in range(pattern.least):
                front = {after for path in front for after in extend(pattern.body, path)}
            yield from front
            repeats = pattern.least
            while front and (pattern.most is None or repeats < pattern.most):
                front = {
                    after
                    for path in front
                    for after in extend(pattern.body, path)
                    if len(bound(after)) > len(bound(path))
                }
                yield from front
                repeats += 1
        elif isinstance(pattern, AnyOf):
            for units in permutations(pattern.units, pattern.n):
                for chosen in combinations(inside, pattern.n):
                    pairs = list(zip(units, chosen, strict=True))
                    fits = all(events[i]["event_type"] == unit.event_type for unit, i in pairs)
                    if fits and follows(chosen[0], nearest(reversed(before))):
                        yield (*before, *((unit.variable, i) for unit, i in pairs))
        else:
            raise TypeError(f"the reference does not know {type(pattern).__name__}")

    def undisturbed(path: Path, before: int | None, after: int | None, outer: Binding) -> bool:
        """Whether no negation of a path has a match between its neighbours.

        At the ends of the path, `before` and `after` take the place of a missing neighbour.
        """
        for k, step in enumerate(path):
            if not isinstance(step, Not):
                continue
            previous, following = nearest(reversed(path[:k])), nearest(path[k + 1 :])
            low = before if previous is None else previous
            high = after if following is None else following
            for negated in extend(step.body, ()):
                match = bound(negated)
                if not match:  # an empty path is not a match
                    continue
                between = follows(match[0][1], low) and follows(high, match[-1][1])
                if between and satisfies(query, events, (*outer, *match)) and undisturbed(negated, low, high, outer):
                    return False
        return True

    alike = alike_units(query)
    unique: dict[frozenset[tuple[str | int, int]], Binding] = {}
    for path in extend(pattern, ()):
        binding = bound(path)
        if binding and satisfies(query, events, binding) and undisturbed(path, None, None, binding):
            unique[frozenset((alike.get(variable, variable), i) for variable, i in binding)] = binding
    return unique.values()


def bound(path: Path) -> Binding:
    """The bound events of a path, without its negations."""
    return tuple(step for step in path if not isinstance(step, Not))


def nearest(path: Iterable[tuple[str, int] | Not]) -> int | None:
    """The first event of a path; None if there is none."""
    return next((step[1] for step in path if not isinstance(step, Not)), None)


def satisfies(query: Query, events: Sequence[Event], binding: Binding) -> bool:
    """Whether a binding meets the vertex, equivalence and edge predicates."""
    for vertex in query.vertex_predicates:
        for variable, i in binding:
            if variable == vertex.variable and not judge(vertex.expression, {(variable, Which.EACH): events[i]}):
                return False
    for key in query.key_classes:
        values = {events[i][attribute] for member, attribute in key.members for v, i in binding if v == member}
        if len(values) > 1 or None in values:
            return False
    return all(edge_holds(edge, events, binding) for edge in query.edge_predicates)


def edge_holds(edge: EdgePredicate, events: Sequence[Event], binding: Binding) -> bool:
    """Whether an edge predicate holds for every pair of neighbours in a binding that it applies to."""
    if edge.adjacency is Adjacency.BINDING:
        binding = tuple(pair for pair in binding if pair[0] == edge.source)
    which = Which.PREVIOUS if edge.source == edge.target else Which.EACH
    for (source, i), (target, j) in pairwise(binding):
        applies = (source, target) == (edge.source, edge.target)
        environment = {(source, which): events[i], (target, Which.EACH): events[j]}
        if applies and not judge(edge.expression, environment):
            return False
    return True


def judge(expression: Expression, here: Environment) -> Any:
    """The value of an expression; None if unknown."""
    match expression:
        case Literal():
            return expression.value
        case Reference():
            return here[expression.variable, expression.which][expression.attribute]
        case Arithmetic():
            left, right = judge(expression.left, here), judge(expression.right, here)
            return None if left is None or right is None else whole(COMPUTE[expression.operator](left, right))
        case Negative():
            operand = judge(expression.operand, here)
            return None if operand is None else whole(-operand)
        case WholeSum():
            terms = [(judge(term, here), minus) for term, minus in expression.terms]
            summands = [-term if minus else term for term, minus in terms if term is not None]
            return expression.limit + sum(summands) if len(summands) == len(terms) else None
        case Comparison():
            left, right = judge(expression.left, here), judge(expression.right, here)
            return None if left is None or right is None else SIGNS[expression.operator](place(left), place(right))
        case Logical():
            values = [judge(operand, here) for operand in expression.operands]
            decisive = expression.operator == "or"
            return decisive if decisive in values else None if None in values else not decisive
        case Negation():
            truth = judge(expression.operand, here)
            return None if truth is None else not truth
        case IsNull() if expression.operand is not None:
            return judge(expression.operand, here) is None
        case Between(operand, low, high, at):
            inside = Comparison(">=", operand, low, at), Comparison("<=", operand, high, at)
            return judge(Logical("and", inside, at), here)
        case In(operand, values, at):
            return judge(Logical("or", tuple(Comparison("=", operand, value, at) for value in values), at), here)
        case _:
            raise TypeError(f"the reference does not know {type(expression).__name__}")


def place(value: Any) -> tuple[bool, Any]:
    """The key that orders values: NaN equals NaN and is the greatest. Python compares integers with floats exactly."""
    return (True, 0) if isinstance(value, float) and math.isnan(value) else (False, value)


def whole(number: int | float) -> int | float | None:
    """The number; None (unknown) for an integer beyond 64 bits."""
    return None if isinstance(number, int) and not -(2**63) <= number < 2**63 else number


def group(query: Query, events: Sequence[Event], binding: Binding) -> tuple[Any, ...]:
    """The values of the grouped attributes. All events that have one share its value; None if no event has it."""
    classes = {key.name: key.members for key in query.key_classes}
    return tuple(
        next((events[i][attribute] for member, attribute in classes[name] for v, i in binding if v == member), None)
        for name in query.group_by
    )


def value(item: ReturnItem, bindings: list[Binding], events: Sequence[Event]) -> Any:
    """An aggregate over all trends of a group and window."""
    if item.aggregate == COUNT_TRENDS:
        return len(bindings)
    occurrences = [events[i] for binding in bindings for variable, i in binding if variable in item.variables]
    assert item.aggregate is not None
    return item.aggregate.define([1 if item.argument is None else event[item.argument] for event in occurrences])
