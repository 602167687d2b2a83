"""Hypothesis strategies: random patterns, conditions and whole queries, as written (before binding)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from cep_core.language.errors import Position
from cep_core.language.patterns.query import Skip, Strategy
from cep_core.language.patterns.syntax import (
    AttributeName,
    Item,
    SpanUnit,
    TrendAggregate,
    WrittenConfidence,
    WrittenQuery,
    WrittenSkip,
    WrittenSpan,
)
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
    Like,
    Literal,
    Logical,
    Negation,
    Negative,
    Not,
    Pattern,
    PrefixAggregate,
    Reference,
    Sequence,
    Span,
    Unit,
    Which,
)

AT = Position(1, 1)

TYPES = ("A", "B", "C", "Stock", "Über")
VARIABLES = ("a", "A", "b", "S", "last", "i", "n")
ATTRIBUTES = ("x", "y", "price", "within", "count")
QUANTIFIERS = ((1, None), (0, None), (0, 1), (2, 2), (2, None), (1, 3))


def units(*, named: bool = True) -> st.SearchStrategy[Unit]:
    variables = st.sampled_from(("", *VARIABLES)) if named else st.just("")
    return st.builds(Unit, st.sampled_from(TYPES), variables, st.just(AT))


def _closures(patterns: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    return st.builds(lambda body, bounds: Kleene(body, *bounds, AT), patterns, st.sampled_from(QUANTIFIERS))


def patterns() -> st.SearchStrategy[Pattern]:
    """Any pattern that can be written, sense or nonsense."""

    def larger(smaller: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
        several = st.lists(smaller, min_size=2, max_size=3).map(tuple)
        listed = st.lists(smaller, min_size=1, max_size=4).map(tuple)
        chosen = st.lists(units(), min_size=1, max_size=4).flatmap(
            lambda patterns_: st.builds(AnyOf, st.integers(1, len(patterns_)), st.just(tuple(patterns_)), st.just(AT))
        )
        return st.one_of(
            st.builds(Sequence, listed, st.just(AT)),
            _closures(smaller),
            st.builds(Alternative, several, st.just(AT)),
            st.builds(Conjunction, smaller, smaller, st.just(AT)),
            st.builds(Not, smaller, st.just(AT)),
            chosen,
        )

    return st.recursive(units(), larger, max_leaves=8)


def positive_patterns(types: tuple[str, ...] = ("A", "B", "C")) -> st.SearchStrategy[Pattern]:
    """Patterns of SEQ and `+` over unnamed units: what every engine evaluates."""

    def larger(smaller: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
        listed = st.lists(smaller, min_size=2, max_size=3).map(tuple)
        return st.one_of(st.builds(Sequence, listed, st.just(AT)), smaller.map(lambda body: Kleene(body, 1, None, AT)))

    leaves = st.builds(Unit, st.sampled_from(types), st.just(""), st.just(AT))
    return st.recursive(leaves, larger, max_leaves=4)


def unrolled_patterns(types: tuple[str, ...] = ("A", "B", "C")) -> st.SearchStrategy[Pattern]:
    """Patterns without AND over unnamed units, small enough to list their words: negated elements stand in SEQ."""
    leaves = st.builds(Unit, st.sampled_from(types), st.just(""), st.just(AT))
    negations = st.builds(Not, leaves.map(lambda unit: replace(unit, event_type="N")), st.just(AT))

    def larger(smaller: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
        elements = st.lists(smaller | smaller | negations, min_size=1, max_size=3).map(tuple)
        options = st.lists(smaller, min_size=2, max_size=3).map(tuple)
        chosen = st.lists(leaves, min_size=1, max_size=3).flatmap(
            lambda members: st.builds(AnyOf, st.integers(1, len(members)), st.just(tuple(members)), st.just(AT))
        )
        sequences = st.builds(Sequence, elements, st.just(AT))
        return st.one_of(sequences, sequences, _closures(smaller), st.builds(Alternative, options, st.just(AT)), chosen)

    return st.recursive(leaves, larger, max_leaves=6)


def literals() -> st.SearchStrategy[Literal]:
    values = st.one_of(
        st.integers(-(2**63), 2**63 - 1) | st.just(-(2**63)),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=6),
        st.booleans(),
        st.none(),
    )
    return st.builds(Literal, values, st.just(AT))


def references() -> st.SearchStrategy[Reference]:
    bare = st.builds(Reference, st.just(""), st.sampled_from(ATTRIBUTES[:3]), st.just(Which.EACH), st.just(AT))
    which = st.sampled_from([which for which in Which if which is not Which.AT])
    named = st.builds(Reference, st.sampled_from(VARIABLES), st.sampled_from(ATTRIBUTES), which, st.just(AT))
    indexed = st.builds(
        Reference,
        st.sampled_from(VARIABLES),
        st.sampled_from(ATTRIBUTES),
        st.just(Which.AT),
        st.just(AT),
        st.integers(1, 9),
    )
    return st.one_of(bare, named, indexed)


def prefix_aggregates() -> st.SearchStrategy[PrefixAggregate]:
    functions = st.sampled_from(("count", "min", "max", "sum", "avg", "first", "last"))
    attributes = st.sampled_from(ATTRIBUTES)
    return st.one_of(
        st.builds(
            PrefixAggregate, functions, st.sampled_from(VARIABLES), st.sampled_from(Span), attributes, st.just(AT)
        ),
        st.builds(
            PrefixAggregate,
            st.just("count"),
            st.sampled_from(VARIABLES),
            st.sampled_from(Span),
            st.none(),
            st.just(AT),
        ),
    )


def expressions() -> st.SearchStrategy[Expression]:
    """Any expression that can be written, well typed or not."""

    def larger(smaller: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        several = st.lists(smaller, min_size=2, max_size=3).map(tuple)
        values = st.lists(literals(), min_size=1, max_size=3).map(tuple)
        texts = st.text(st.sampled_from("ab%_'\" "), max_size=4)
        # the sign of a number is part of the number
        signed = smaller.filter(lambda e: not (isinstance(e, Literal) and type(e.value) in (int, float)))
        return st.one_of(
            st.builds(Arithmetic, st.sampled_from("+-*/%"), smaller, smaller, st.just(AT)),
            st.builds(Negative, signed, st.just(AT)),
            st.builds(Comparison, st.sampled_from(("=", "!=", "<", "<=", ">", ">=")), smaller, smaller, st.just(AT)),
            st.builds(Logical, st.sampled_from(("and", "or")), several, st.just(AT)),
            st.builds(Negation, smaller, st.just(AT)),
            st.builds(In, smaller, values, st.just(AT)),
            st.builds(Between, smaller, smaller, smaller, st.just(AT)),
            st.builds(Like, smaller, texts, st.just(AT)),
            st.builds(IsNull, smaller, st.none(), st.just(AT)),
        )

    leaves = st.one_of(literals(), references(), prefix_aggregates())
    return st.recursive(leaves, larger, max_leaves=8)


def attribute_names() -> st.SearchStrategy[AttributeName]:
    return st.builds(AttributeName, st.sampled_from(("", *VARIABLES)), st.sampled_from(ATTRIBUTES[:3]), st.just(AT))


def spans() -> st.SearchStrategy[WrittenSpan]:
    numbers = st.one_of(st.integers(1, 10**6), st.sampled_from((0.5, 1.5, 1e-7, 1e20)))
    return st.builds(WrittenSpan, numbers, st.one_of(st.none(), st.sampled_from(SpanUnit)), st.just(AT))


def items() -> st.SearchStrategy[Item]:
    targets = st.sampled_from(TYPES)
    aggregates = st.one_of(
        st.builds(TrendAggregate, st.just("count"), st.one_of(st.none(), targets), st.none(), st.just(AT)),
        st.builds(
            TrendAggregate,
            st.sampled_from(("min", "max", "sum", "avg")),
            targets,
            st.sampled_from(ATTRIBUTES),
            st.just(AT),
        ),
    )
    aliases = st.one_of(st.none(), st.sampled_from(("total", "n", "i")))
    return st.builds(Item, st.one_of(aggregates, expressions()), aliases, st.just(AT))


def conjuncts() -> st.SearchStrategy[Expression]:
    """Conditions of WHERE one by one: a conjunction at the top would be taken apart by the parser."""
    return expressions().filter(lambda e: not (isinstance(e, Logical) and e.operator == "and"))


def queries() -> st.SearchStrategy[WrittenQuery]:
    """Any query that can be written."""
    skips = st.one_of(
        st.builds(WrittenSkip, st.sampled_from((Skip.PAST_LAST, Skip.TO_NEXT)), st.none(), st.just(AT)),
        st.builds(WrittenSkip, st.sampled_from((Skip.TO_FIRST, Skip.TO_LAST)), st.sampled_from(VARIABLES), st.just(AT)),
    )
    thresholds = st.floats(0, 1, allow_subnormal=False).map(abs)
    confidences = st.builds(WrittenConfidence, st.sampled_from((">", ">=")), thresholds, st.just(AT))
    return st.builds(
        WrittenQuery,
        pattern=patterns(),
        within=spans(),
        slide=st.one_of(st.none(), spans()),
        strategy=st.one_of(st.none(), st.sampled_from(Strategy)),
        equivalences=st.lists(attribute_names(), max_size=3).map(tuple),
        conditions=st.lists(conjuncts(), max_size=3).map(tuple),
        group_by=st.lists(attribute_names(), max_size=2).map(tuple),
        returns=st.lists(items(), max_size=3).map(tuple),
        skip=st.one_of(st.none(), skips),
        confidence=st.one_of(st.none(), confidences),
    )
