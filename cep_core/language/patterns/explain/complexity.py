"""What a matching query costs in principle: its complexity class, and the runs that an event-by-event engine makes.

The class (SASE++, section 3, Theorems 3.1-3.4) is that of deciding whether there is any match. The number of runs
(section 4, Table 3) is for an engine that finds all matches one by one; our engine does not do this (`explain`,
algorithm).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cep_core.language.patterns.query import Query, Strategy
from cep_core.language.patterns.tree import Expression, Kleene, Not, Pattern, PrefixAggregate, Reference, Which
from cep_core.language.patterns.walk import parts_of, walk


@dataclass(frozen=True)
class Complexity:
    """A complexity class, and the features of the query that cause it."""

    name: str
    cause: str


_BY_STRATEGY = {
    Strategy.STRICT: Complexity("NC1", "a closure that carries values along, under strict contiguity"),
    Strategy.PARTITION: Complexity("NC1", "a closure that carries values along, under partition contiguity"),
    Strategy.NEXT: Complexity("DSPACE[log n]", "a closure that carries values along, under skip till next match"),
    Strategy.ANY: Complexity("NSPACE[log n]", "a closure that carries values along, under skip till any match"),
}


def complexity_of(query: Query) -> Complexity:
    """The complexity class of deciding whether there is a match.

    It is an upper bound, reached by some query with the same features.
    """
    closures = sum(1 for _ in _closures(query.pattern))
    if not closures:
        return Complexity("AC0", "neither a closure nor an aggregate over one")
    if not any(_carries(part) for expression in _conditions(query) for part in walk(expression)):
        return Complexity("regular", "a closure, and no condition that compares its events with each other")
    return _BY_STRATEGY[query.strategy]


def runs_formula(query: Query) -> str:
    """The bound on the runs of an event-by-event engine; x is the number of events of one type in a window.

    With imprecise time, the confidence of each run must be computed as well.
    """
    length, closures = components(query.pattern)
    if query.strategy is not Strategy.ANY:
        return "x: a run for each start event"
    if not closures:
        return f"(x^{length + 1} - 1) / (x - 1)"
    power = "" if closures == 1 else str(closures)
    return f"(x^{length - closures + 1} - 1) / (x - 1) * 2^({power}x)"


def predicted_runs(query: Query, x: int) -> int:
    """The bound of `runs_formula` as a number, for x > 1 events of each type.

    >>> from cep_core.language.patterns.bind.binding import bind
    >>> from cep_core.language.patterns.bind.inference import schema_mentioned_by
    >>> from cep_core.language.patterns.text.parsing import parse
    >>> texts = ["PATTERN SEQ(A, B, C) WITHIN 9", "PATTERN SEQ(A, B+, C) WITHIN 9"]
    >>> [predicted_runs(bind(text, schema_mentioned_by(parse(text))), 3) for text in texts]
    [40, 104]
    """
    length, closures = components(query.pattern)
    if query.strategy is not Strategy.ANY:
        return x
    return (x ** (length - closures + 1) - 1) // (x - 1) * 2 ** (closures * x)


def components(pattern: Pattern) -> tuple[int, int]:
    """How many components a match has, and how many of them are closures."""
    closures = sum(1 for _ in _closures(pattern))
    return sum(1 for _ in _units(pattern)), closures


def _units(pattern: Pattern) -> Iterator[Pattern]:
    if not isinstance(pattern, Not):
        parts = parts_of(pattern)
        if not parts:
            yield pattern
        for part in parts:
            yield from _units(part)


def _closures(pattern: Pattern) -> Iterator[Pattern]:
    """The unbounded repetitions outside negated elements."""
    if isinstance(pattern, Not):
        return
    if isinstance(pattern, Kleene) and pattern.most is None:
        yield pattern
    for part in parts_of(pattern):
        yield from _closures(part)


def _conditions(query: Query) -> Iterator[Expression]:
    yield from (predicate.expression for predicate in query.edge_predicates)
    yield from (predicate.expression for predicate in query.match_predicates)


def _carries(part: Expression) -> bool:
    """Whether a part of a condition needs a value of earlier events of a closure."""
    return isinstance(part, PrefixAggregate) or (isinstance(part, Reference) and part.which is not Which.EACH)
