"""Each abbreviation becomes what it stands for, everywhere in a formula, and nothing else changes."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.errors import Position
from cep_core.language.temporal.formulas import (
    Always,
    And,
    Core,
    Equiv,
    Eventually,
    Exists,
    Forall,
    Formula,
    Historically,
    Implies,
    Let,
    Not,
    Once,
    Or,
    Predicate,
    Release,
    Since,
    Trigger,
    Until,
)
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.sugar import without_sugar
from cep_core.language.temporal.terms import Variable
from cep_core.language.temporal.walk import free_variables, walk

SOON = Interval(1, 5)
P, Q = Predicate("P", (Variable("x"),)), Predicate("Q", (Variable("x"),))
EXPANSIONS = [
    (Implies(P, Q), Or(Not(P), Q)),
    (Equiv(P, Q), And(Or(Not(P), Q), Or(P, Not(Q)))),
    (Forall(("x",), P), Not(Exists(("x",), Not(P)))),
    (Historically(SOON, P), Not(Once(SOON, Not(P)))),
    (Always(SOON, P), Not(Eventually(SOON, Not(P)))),
    (Trigger(SOON, P, Q), Not(Since(SOON, Not(P), Not(Q)))),
    (Release(SOON, P, Q), Not(Until(SOON, Not(P), Not(Q)))),
]
KINDS = {type(formula): (formula, expanded) for formula, expanded in EXPANSIONS}


@pytest.mark.parametrize(("formula", "expanded"), EXPANSIONS, ids=[kind.__name__ for kind in KINDS])
def test_an_abbreviation_is_its_expansion(formula: Formula, expanded: Formula) -> None:
    """TRIGGER and RELEASE are duals (checklist B4)."""
    assert without_sugar(formula) == expanded
    assert without_sugar(Once(SOON, Not(formula))) == Once(SOON, Not(expanded))
    assert without_sugar(Let("D", ("x",), formula, formula)) == Let("D", ("x",), expanded, expanded)


def test_made_parts_have_the_place_of_their_operator() -> None:
    at = Position(3, 7, 9)
    made = without_sugar(Historically(SOON, P, at))
    assert [part.at for part in walk(made)] == [at, at, at, P.at]


FORMULAS = st.recursive(
    st.sampled_from([P, Q]),
    lambda parts: st.one_of(
        st.builds(Not, parts),
        *(st.builds(kind, parts, parts) for kind in (And, Or, Implies, Equiv)),
        st.builds(Forall, st.just(("x",)), parts),
        *(st.builds(kind, st.just(SOON), parts) for kind in (Once, Always, Historically)),
        *(st.builds(kind, st.just(SOON), parts, parts) for kind in (Since, Trigger, Release)),
    ),
    max_leaves=6,
)


@given(FORMULAS)
def test_what_is_left_is_core_and_has_the_same_free_variables(formula: Formula) -> None:
    core = without_sugar(formula)
    assert all(isinstance(part, get_args(Core)) for part in walk(core))
    assert set(free_variables(core)) == set(free_variables(formula))
    assert without_sugar(core) == core
