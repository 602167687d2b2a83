"""Rewriting keeps the meaning: each rule on its own, and all together, by enumeration."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings

from cep_core.events.logs.point_log import PointLog
from cep_core.language.first_order.rewriting.core import RULES, core_of
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.first_order.safety.restricted import lacking
from cep_core.language.temporal.formulas import And, Comparison, Formula, Implies
from cep_core.language.temporal.sugar import expansion, without_sugar
from cep_core.language.temporal.terms import Arithmetic, Constant
from cep_core.language.temporal.walk import free_variables, walk
from cep_core.monitoring.first_order.reference import satisfactions
from cep_core.testing.logs import log_of
from cep_core.testing.naming import names_apart
from cep_core.testing.signatures import drawn_logs
from tests.language.first_order.rewriting.drawn_formulas import (
    FIRST,
    GUARD,
    SCHEMA,
    SECOND,
    SHAPES,
    any_formulas,
    guarded_formulas,
)

LOGS = drawn_logs(SCHEMA, nulls=False, most=4)


def meaning(formula: Formula, log: PointLog) -> set[tuple[int, tuple[tuple[str, object], ...]]]:
    """Points and valuations, whatever the order of the free variables."""
    names = free_variables(formula)
    rows = satisfactions(formula, log)
    return {(point, tuple(sorted(zip(names, values, strict=True)))) for point, values in rows}


@given(any_formulas | guarded_formulas, LOGS)
def test_the_core_formula_has_the_meaning_of_the_written_one(formula: Formula, log: PointLog) -> None:
    for rewrite in (False, True):
        core = core_of(formula, rewrite=rewrite)
        assert set(free_variables(core)) == set(free_variables(formula))
        assert meaning(core, log) == meaning(formula, log)


ENDLESS = Implies(
    Comparison("=", FIRST, SECOND),
    And(GUARD, Comparison("=", SECOND, Arithmetic("+", FIRST, Constant(1)))),
)
"""Its values grow without end: the reference must end at the same ones without sugar."""


@given(any_formulas, LOGS)
@example(ENDLESS, log_of([(0, []), (1, [("P", 0)]), (2, [("R", 0, 0)])], SCHEMA))
def test_sugar_has_the_meaning_of_its_expansion(formula: Formula, log: PointLog) -> None:
    for part in walk(formula):
        if (expanded := expansion(part)) != part:
            assert meaning(expanded, log) == meaning(part, log)


@pytest.mark.parametrize("rule", RULES, ids=[rule.__name__ for rule in RULES])
def test_each_rule_keeps_the_meaning(rule: Callable[[Formula], Formula | None]) -> None:
    applied = 0

    @settings(max_examples=30)
    @given(SHAPES[rule.__name__].map(names_apart), LOGS)
    def keeps_the_meaning(formula: Formula, log: PointLog) -> None:
        nonlocal applied
        for part in walk(without_sugar(formula)):
            if (changed := rule(part)) is not None:
                applied += 1
                assert changed != part
                assert meaning(changed, log) == meaning(part, log)

    keeps_the_meaning()
    assert applied > 0


@given(guarded_formulas)
def test_rewriting_ends_with_a_formula_that_it_leaves_alone(formula: Formula) -> None:
    core = core_of(formula)
    assert core_of(core) == core


@given(any_formulas)
def test_a_safe_formula_lacks_nothing_and_stays(formula: Formula) -> None:
    plain = core_of(formula, rewrite=False)
    for part in walk(plain):
        if is_safe(part):
            assert not lacking(part)
            assert core_of(part) == part
