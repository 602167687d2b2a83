"""Hypothesis strategies of propositional formulas: past and future operators nested, intervals of all shapes."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from cep_core.language.temporal.formulas import (
    Always,
    And,
    Equiv,
    Eventually,
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
    Truth,
    Until,
)
from cep_core.testing.formulas import bounded_intervals, intervals

ATOMS = ("p", "q", "r")
"""The names of atoms that formulas and traces share."""

_PAST = (Once, Prev, Historically)
_FUTURE = (Eventually, Next, Always)


def propositional_formulas(
    *,
    atoms: Sequence[str] = ATOMS,
    depth: int = 4,
    sugar: bool = False,
    future: bool = True,
    unbounded_future: bool = False,
) -> st.SearchStrategy[Formula]:
    """Resolved formulas whose operators are nested up to `depth`.

    `sugar`: with IMPLIES, EQUIV, HISTORICALLY, ALWAYS, TRIGGER and RELEASE, which must be removed before evaluation.
    `future`: with operators that look ahead; `unbounded_future`: also without an upper bound.
    """
    simple = st.sampled_from([Predicate(name) for name in atoms])
    formulas: st.SearchStrategy[Formula] = st.one_of(simple, simple, simple, st.booleans().map(Truth))
    for _ in range(depth):
        formulas = st.one_of(
            simple, _around(formulas, sugar, future, intervals if unbounded_future else bounded_intervals)
        )
    return formulas


def _around(
    inner: st.SearchStrategy[Formula], sugar: bool, future: bool, ahead: st.SearchStrategy[object]
) -> st.SearchStrategy[Formula]:
    """Formulas with one more operator than `inner`; `ahead`: the intervals of operators that look ahead."""
    choices: list[st.SearchStrategy[Formula]] = [
        inner.map(Not),
        st.builds(And, inner, inner),
        st.builds(Or, inner, inner),
        st.builds(Since, intervals, inner, inner),
    ]
    choices += [st.builds(operator, intervals, inner) for operator in (_PAST if sugar else _PAST[:2])]
    if future:
        choices.append(st.builds(Until, ahead, inner, inner))
        choices += [st.builds(operator, ahead, inner) for operator in (_FUTURE if sugar else _FUTURE[:2])]
    if sugar:
        choices += [st.builds(operator, inner, inner) for operator in (Implies, Equiv)]
        choices.append(st.builds(Trigger, intervals, inner, inner))
    if sugar and future:
        choices.append(st.builds(Release, ahead, inner, inner))
    return st.one_of(choices)
