"""What rewriting makes of formulas that are unsafe as they are written (checklist B4)."""

from __future__ import annotations

import pytest

from cep_core.language.first_order.rewriting.core import core_of
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.walk import walk


def rewritten(text: str, *, rewrite: bool = True) -> str:
    return formula_text(core_of(parse(text, "p.mfotl").formula, rewrite=rewrite))


SAFE_AFTER = [
    ("NOT NOT P(x)", "P(x)"),
    ("NOT P(x) AND Q(x)", "Q(x) AND NOT P(x)"),
    ("x < 5 AND (y = x AND P(x))", "P(x) AND x < 5 AND y = x"),
    ("FORALL x. P(x) IMPLIES Q(x)", "NOT (EXISTS x. (P(x) AND NOT Q(x)))"),
    ("NOT (P(x) IMPLIES Q(x))", "P(x) AND NOT Q(x)"),
    ("NOT (NOT P(x) AND NOT Q(x))", "P(x) OR Q(x)"),
    (
        "P(x) AND NOT ((x = y IMPLIES Q(y)) AND NOT R(x, y))",
        "P(x) AND ((P(x) AND x = y AND NOT Q(y)) OR (P(x) AND R(x, y)))",
    ),
    ("R(x, y) AND NOT (P(x) OR Q(y))", "R(x, y) AND NOT P(x) AND NOT Q(y)"),
    (
        "(P(x) IMPLIES Q(x)) AND ONCE R(x, y)",
        "(ONCE R(x, y)) AND (((ONCE R(x, y)) AND NOT P(x)) OR ((ONCE R(x, y)) AND Q(x)))",
    ),
    # caveats of the suites: MonPoly's test 34, and a disjunction over what only the right side binds
    (
        "S(y) AND ((NOT P(y) AND Q(x)) SINCE[10,12] R(x, y))",
        "S(y) AND (((ONCE[0,12] R(x, y)) AND NOT P(y) AND Q(x)) SINCE[10,12] R(x, y))",
    ),
    ("(NOT (A(x) OR B(y))) SINCE C(x, y)", "((ONCE C(x, y)) AND NOT A(x) AND NOT B(y)) SINCE C(x, y)"),
    ("x < y UNTIL[2,5] R(x, y)", "((EVENTUALLY[0,5] R(x, y)) AND x < y) UNTIL[2,5] R(x, y)"),
    ("P(x) AND HISTORICALLY[0,5] Q(x)", "P(x) AND NOT (P(x) AND (ONCE[0,5] ((EVENTUALLY[0,5] P(x)) AND NOT Q(x))))"),
    ("P(x) AND ALWAYS[0,5] Q(x)", "P(x) AND NOT (P(x) AND (EVENTUALLY[0,5] ((ONCE[0,5] P(x)) AND NOT Q(x))))"),
    ("P(x) AND NEXT[1,2] NOT Q(x)", "P(x) AND (NEXT[1,2] ((PREV[1,2] P(x)) AND NOT Q(x)))"),
]


@pytest.mark.parametrize(("before", "after"), SAFE_AFTER, ids=[before for before, _ in SAFE_AFTER])
def test_formulas_become_safe(before: str, after: str) -> None:
    assert rewritten(before) == after
    assert is_safe(parse(after, "p.mfotl").formula)
    assert not is_safe(core_of(parse(before, "p.mfotl").formula, rewrite=False)), "and needed it"
    assert rewritten(after) == after


def test_a_safe_formula_stays_as_it_is_written() -> None:
    for text in ("P(x) AND NOT (Q(x) OR S(x))", "NOT (A(x) AND B(x)) SINCE B(x)", "P(x) AND (Q(y) AND R(x, y))"):
        assert rewritten(text) == rewritten(text, rewrite=False) == formula_text(parse(text, "p.mfotl").formula)


def test_without_rewriting_sugar_is_removed_and_quantifiers_of_nothing_are_dropped() -> None:
    assert rewritten("NOT NOT P(x) AND EXISTS y, z. R(x, y)", rewrite=False) == "NOT NOT P(x) AND (EXISTS y. R(x, y))"
    assert rewritten("FORALL x. P() IMPLIES Q()", rewrite=False) == "NOT NOT (NOT P() OR Q())"


def test_only_conjuncts_that_bind_what_is_lacking_are_repeated() -> None:
    text = "Big(x, y) AND Small(z) AND NOT (ONCE[0,5] NOT Q(z))"
    assert rewritten(text).count("Big") == 1
    needs_its_value = "P(x) AND S(v) AND y = x + 1 AND NOT (ONCE[0,5] NOT Q(y))"
    guard = "P(x) AND y = x + 1"
    assert rewritten(needs_its_value) == (
        f"P(x) AND S(v) AND y = x + 1 AND NOT ({guard} AND (ONCE[0,5] ((EVENTUALLY[0,5] ({guard})) AND NOT Q(y))))"
    )


def test_nested_guards_grow_no_faster_than_the_square_of_the_depth() -> None:
    def parts(depth: int) -> int:
        text = "Q(x)"
        for _ in range(depth):
            text = f"P(x) AND HISTORICALLY[0,5] ({text})"
        core = core_of(parse(text, "p.mfotl").formula)
        assert is_safe(core)
        return sum(1 for _ in walk(core))

    assert parts(20) <= 4 * parts(10)


def test_nothing_looks_ahead_for_ever() -> None:
    for text in ("P(x) AND HISTORICALLY Q(x)", "P(x) AND NOT (TRUE SINCE NOT Q(x))"):
        assert "EVENTUALLY" not in rewritten(text)
        assert not is_safe(core_of(parse(text, "p.mfotl").formula))


@pytest.mark.parametrize(
    "text",
    ["NOT P(x)", "P(x) OR Q(y)", "x = y", "P(x) AND NOT Q(y)", "R(x, y) SINCE P(x)", "P(y) AND x < y", "x = 5 MOD 4"],
)
def test_no_rewriting_makes_these_safe(text: str) -> None:
    assert not is_safe(core_of(parse(text, "p.mfotl").formula))
