"""Hypothesis strategies of formulas that nothing keeps safe: what rewriting is for."""

from __future__ import annotations

from hypothesis import strategies as st

from cep_core.language.temporal.formulas import (
    Aggregation,
    Always,
    And,
    Comparison,
    Equiv,
    Eventually,
    Exists,
    Forall,
    Formula,
    Historically,
    Implies,
    Next,
    Not,
    Once,
    Or,
    Predicate,
    Prev,
    Release,
    Since,
    Trigger,
    Until,
)
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.terms import Arithmetic, Constant, Variable
from cep_core.language.temporal.walk import free_variables
from cep_core.testing.naming import names_apart
from cep_core.testing.signatures import schema_of

SCHEMA = schema_of(P="i", R="ii", T="")
FIRST, SECOND = Variable("i"), Variable("j")
GUARD = Predicate("R", (FIRST, SECOND), ("i_1", "i_2"))
ATOMS = [
    GUARD,
    Predicate("R", (SECOND, FIRST), ("i_1", "i_2")),
    *(Predicate("P", (variable,), ("i_1",)) for variable in (FIRST, SECOND, FIRST, SECOND)),
    Predicate("T", (), ()),
    Comparison("<", FIRST, Constant(1)),
    Comparison("=", FIRST, SECOND),
    Comparison("=", SECOND, Arithmetic("+", FIRST, Constant(1))),
    Comparison("=", FIRST, Constant(0)),
]
bounded = st.builds(
    lambda low, length: Interval(low, low + length), st.sampled_from([0, 0, 1]), st.sampled_from([0, 2, 10])
)
intervals = bounded | st.sampled_from([Interval(), Interval(1)])


def _quantified(kind: type[Exists] | type[Forall], body: Formula, name: str) -> Formula:
    return kind((name,), body) if name in free_variables(body) else body


def _counted(body: Formula) -> Formula:
    free = free_variables(body)
    return Aggregation(SECOND, "CNT", Variable(free[0]), (FIRST,) if "i" in free[1:] else (), body) if free else body


def _larger(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    names = st.sampled_from(["i", "j"])
    return st.one_of(
        st.builds(Not, parts),
        *(st.builds(kind, parts, parts) for kind in (And, Or, And, Implies, Equiv)),
        *(st.builds(_quantified, st.just(kind), parts, names) for kind in (Exists, Forall)),
        *(st.builds(kind, intervals, parts) for kind in (Prev, Next, Once, Historically)),
        *(st.builds(kind, bounded, parts) for kind in (Eventually, Always)),
        *(st.builds(kind, intervals, parts, parts) for kind in (Since, Trigger)),
        *(st.builds(kind, bounded, parts, parts) for kind in (Until, Release)),
        st.builds(_counted, parts),
    )


_parts: st.SearchStrategy[Formula] = st.recursive(st.sampled_from(ATOMS), _larger, max_leaves=3)
any_formulas = st.recursive(st.sampled_from(ATOMS), _larger, max_leaves=4).map(names_apart)
"""Mostly unsafe, often also after rewriting. Variables i and j are free or, with a number behind them, bound."""


def _open(body: Formula) -> Formula:
    """What lacks both variables, whatever the body restricts."""
    return Or(body, Not(GUARD))


SHAPES: dict[str, st.SearchStrategy[Formula]] = {
    "without_double_negation": st.builds(lambda a: Not(Not(a)), _parts),
    "negated_disjunction_split": st.builds(lambda a, b: And(GUARD, Not(Or(a, b))), _parts, _parts)
    | st.builds(lambda a: Not(Or(Not(GUARD), a)), _parts),
    "negated_conjunction_split": st.builds(lambda: Not(And(Not(GUARD), Not(GUARD)))),
    "conjuncts_in_order": st.builds(lambda a, b: And(Not(a), And(b, GUARD)), _parts, _parts),
    "left_side_bound": st.builds(
        lambda kind, interval, a, negated: kind(interval, Not(_open(a)) if negated else _open(a), GUARD),
        st.sampled_from([Since, Until]),
        intervals,
        _parts,
        st.booleans(),
    ),
    "disjuncts_bound": st.builds(lambda a, b: And(GUARD, Or(_open(a), b)), _parts, _parts),
    "negation_bound": st.builds(lambda a: And(GUARD, Not(_open(a))), _parts),
    "quantified_body_bound": st.builds(lambda a: And(GUARD, Exists(("j",), _open(a))), _parts),
    "neighbour_bound": st.builds(
        lambda kind, interval, a: And(GUARD, kind(interval, _open(a))), st.sampled_from([Prev, Next]), intervals, _parts
    ),
    "window_bound": st.builds(
        lambda kind, interval, a: And(GUARD, kind(interval, _open(a))),
        st.sampled_from([Once, Eventually]),
        bounded,
        _parts,
    ),
    "right_side_bound": st.builds(
        lambda kind, interval, a, b: And(GUARD, kind(interval, a, _open(b))),
        st.sampled_from([Since, Until]),
        bounded,
        _parts,
        _parts,
    ),
}
"""For each rule, by its name, formulas to which it mostly applies."""
guarded_formulas = st.one_of(*SHAPES.values()).map(names_apart)
"""Beside what binds i and j: mostly safe after rewriting, and rarely before."""
