"""A pattern as a signed sum of diagrams with one path for each binding. The sum of their counts counts its trends.

Nearly always the sum has one diagram. It needs more if two readings of one binding pass different negations: which
reading is valid then depends on the events, and one diagram cannot tell. The choices of the pattern are then counted
one by one, and the bindings that several choices share are subtracted (GRETA, section 9, Disjunction: COUNT(P) +
COUNT(Q) - COUNT(both)). This takes 2^choices - 1 diagrams.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice, product

from cep_core.language.patterns.automata.binding_sets import MOST_UNROLLED, common, least
from cep_core.language.patterns.automata.diagram import Diagram, TooManyStates
from cep_core.language.patterns.automata.glushkov import diagram_of
from cep_core.language.patterns.automata.passed_negations import Ambiguous
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Alternative, Kleene, Pattern, Sequence
from cep_core.trends.plan.trend_plan import alike_of, later

MOST_CHOICES = 6


@dataclass(frozen=True)
class Term:
    """The bindings of a diagram, added (`sign` 1) or subtracted (-1)."""

    sign: int
    diagram: Diagram


def terms_of(query: Query) -> tuple[Term, ...]:
    """The terms of a query's pattern. The pattern is not an AND. Raises NotSupportedYet.

    >>> import pyarrow as pa
    >>> from cep_core.events.table import log_schema_of
    >>> from cep_core.language.patterns.bind.binding import bind
    >>> schema = log_schema_of(pa.table({"event_type": list("ABC"), "ts": [1, 2, 3], "seq": [1, 2, 3]}))
    >>> def signs(pattern: str) -> list[int]:
    ...     return [term.sign for term in terms_of(bind(f"RETURN COUNT(*) PATTERN {pattern} WITHIN 9", schema))]
    >>> signs("SEQ(A+, B) OR SEQ(A, B+)"), signs("SEQ(A, NOT C, B) OR SEQ(A, B+)")
    ([1], [1, 1, -1])
    """
    at = query.pattern.at
    try:
        try:
            return (Term(1, _one_path_each(query, query.pattern)),)
        except Ambiguous:
            choices = list(islice(_choices(query.pattern), MOST_CHOICES + 1))
            if not 1 < len(choices) <= MOST_CHOICES:
                raise
            return reduce(
                lambda known, more: (*known, more, *(_negative(term) for term in intersection(known, (more,), query))),
                [Term(1, _one_path_each(query, choice)) for choice in choices],
                (),
            )
    except TooManyStates as limit:
        raise later(query, "a pattern that unrolls to too many states", limit.at) from None
    except Ambiguous:
        raise later(query, "a pattern whose readings of one binding pass different negations or ties", at) from None


def intersection(left: Iterable[Term], right: Iterable[Term], query: Query) -> tuple[Term, ...]:
    """The terms of the bindings that both sums have."""
    at = query.pattern.at
    try:
        terms = [Term(a.sign * b.sign, common(a.diagram, b.diagram, at)) for a, b in product(left, right)]
    except TooManyStates as limit:
        raise later(query, "patterns that have too many states in common", limit.at) from None
    return tuple(term for term in terms if term.diagram.start)


def _one_path_each(query: Query, pattern: Pattern) -> Diagram:
    return least(diagram_of(pattern, alike_of(query), most_states=MOST_UNROLLED), pattern.at)


def _negative(term: Term) -> Term:
    return replace(term, sign=-term.sign)


def _choices(pattern: Pattern) -> Iterable[Pattern]:
    """Patterns without a choice outside of closures. Together they have the matches of the pattern."""
    match pattern:
        case Alternative():
            for option in pattern.options:
                yield from _choices(option)
        case Sequence():
            for elements in product(*(tuple(_choices(element)) for element in pattern.elements)):
                yield Sequence(elements, pattern.at)
        case Kleene(least=0, most=1):
            yield Sequence((), pattern.at)
            yield from _choices(pattern.body)
        case _:
            yield pattern
