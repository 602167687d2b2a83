"""Hypothesis strategies: random formulas and terms as written, every node and every form of a name, number or text."""

from __future__ import annotations

from hypothesis import strategies as st

from cep_core.language.first_order.text.words import AGGREGATIONS, BINARY, CONNECTIVES, FUNCTIONS, UNARY
from cep_core.language.temporal.formulas import (
    Aggregation,
    Comparison,
    Exists,
    Forall,
    Formula,
    Let,
    Matches,
    Not,
    Predicate,
    Truth,
)
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.interval_error import interval_fault
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable

NAMES = ("x", "y", "_z", "x-5", "a/b:c", "it's", 'q"r"', "2nd", "AND_x", "ANDx", "e5", "r", "tp", "größe")
INT64 = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.sampled_from("ab \"'\\\n#-(*)%_ü"), max_size=6)

names = st.sampled_from(NAMES)
variables = st.builds(Variable, names)
constants = st.builds(Constant, st.one_of(st.integers(-3, 3), INT64, FLOATS, TEXTS))


def _larger_terms(parts: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(Arithmetic, st.sampled_from(("+", "-", "*", "/", "MOD")), parts, parts),
        st.builds(Minus, parts),
        st.builds(Call, st.sampled_from(FUNCTIONS), parts),
    )


terms: st.SearchStrategy[Term] = st.recursive(
    st.one_of(variables, st.just(Variable("_")), constants, st.builds(Regexp, TEXTS)), _larger_terms, max_leaves=4
)


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    units = st.sampled_from(("", "", "s", "m", "h", "d"))
    low, high = draw(st.integers(0, 5)), draw(st.none() | st.integers(0, 90))
    low_unit, high_unit = draw(units), draw(units)
    is_open = high is not None and draw(st.booleans())
    interval = Interval(low, high, low_unit, high_unit if high is not None else "", draw(st.booleans()), is_open)
    return Interval() if interval_fault(interval) else interval


@st.composite
def predicates(draw: st.DrawFn) -> Predicate:
    arguments = tuple(draw(st.lists(terms, max_size=3)))
    attributes = draw(st.permutations(NAMES))[: len(arguments)]
    named = bool(arguments) and draw(st.booleans())
    return Predicate(draw(names), arguments, tuple(attributes) if named else None)


groups = st.lists(st.none() | terms.filter(lambda term: term != Variable("_")), max_size=2).map(tuple)
atoms: st.SearchStrategy[Formula] = st.one_of(
    predicates(),
    st.builds(Comparison, st.sampled_from(("=", "<", "<=", ">", ">=", "SUBSTRING")), terms, terms),
    st.builds(Matches, terms, terms, groups),
    st.builds(Truth, st.booleans()),
)
some_names = st.lists(names, min_size=1, max_size=2).map(tuple)
some_variables = st.lists(variables, max_size=2).map(tuple)


def _larger(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    return st.one_of(
        st.builds(Not, parts),
        *(st.builds(kind, parts, parts) for kind in CONNECTIVES.values()),
        *(st.builds(kind, some_names, parts) for kind in (Exists, Forall)),
        *(st.builds(kind, intervals(), parts) for kind in dict.fromkeys(UNARY.values())),
        *(st.builds(kind, intervals(), parts, parts) for kind in BINARY.values()),
        st.builds(Aggregation, variables, st.sampled_from(AGGREGATIONS), variables, some_variables, parts),
        st.builds(Let, names, st.lists(names, max_size=2).map(tuple), parts, parts),
    )


formulas: st.SearchStrategy[Formula] = st.recursive(atoms, _larger, max_leaves=8)
