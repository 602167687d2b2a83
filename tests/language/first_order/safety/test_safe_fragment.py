"""Which formulas are safe, and how the others are refused: the part, the reason, and what would do."""

from __future__ import annotations

import re

import pytest

import cep_core
from cep_core.language.first_order.rewriting.core import core_of
from cep_core.language.first_order.safety.checking import check_safe
from cep_core.language.first_order.safety.fragment import is_safe
from cep_core.language.first_order.safety.refusals import UnboundedFuture, UnsafeFormula
from cep_core.language.first_order.safety.restricted import lacking, restricted_variables
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.walk import walk


def core(text: str, *, rewrite: bool = False) -> Formula:
    return core_of(parse(text, "p.mfotl").formula, rewrite=rewrite)


SAFE = r"""
P(x)
S(x, 1, "a")
tp(x)
TRUE
0 = 1
x = 5
5 = x
x = -1
NOT x = x
NOT x = x AND x = y
NOT 1 = 1
NOT (EXISTS x. P(x))
NOT P()
P(x) AND x < 5
P(x) AND 0 < 1
P(x) AND NOT x = 5
P(x) AND y = x + 1
P(x) AND x + 1 = y
P(x) AND x = y AND z = y
P(x) AND x MATCHES r"a\(.\)" (y)
P(x) AND NOT x MATCHES r"a\(.\)" (x)
P(x) AND NOT x SUBSTRING "a"
P(x) AND NOT Q(x)
P(x) AND NOT Q()
P(x) AND Q(y)
P(x) AND (Q(x) OR x = 5)
P(x) OR x = 5
EXISTS x. R(x, y)
PREV NEXT P(x)
ONCE P(x)
HISTORICALLY P()
EVENTUALLY[0,5] P(x)
P(x) SINCE R(x, y)
NOT P(x) SINCE R(x, y)
NOT P(x) UNTIL[0,5] R(x, y)
TRUE SINCE P(x)
x = 5 OR NOT x = x
P(x) AND NOT y = y
EXISTS x. x = 5
NOT P() SINCE Q()
s <- SUM x; y R(x, y)
(s <- SUM x P(x)) AND s > 5
""".strip().splitlines()


@pytest.mark.parametrize("text", SAFE)
def test_safe_formulas_are_accepted_with_and_without_rewriting(text: str) -> None:
    """Closed negations too (checklist B7)."""
    plain = core(text)
    check_safe(plain, text, "p.mfotl")
    assert core(text, rewrite=True) == plain, "a safe formula is not rewritten"
    assert all(not lacking(part) for part in walk(plain) if is_safe(part)), "safe formulas restrict their variables"


REFUSED = {
    "NOT P(x)": "NOT P(x) is unsafe: it holds for infinitely many values of x",
    "P(x) AND NOT (NOT Q(x))": "NOT Q(x) is unsafe: it holds for infinitely many values of x",
    "P(x) OR Q(y)": "P(x) OR Q(y) is unsafe: y is not bound on the left, x is not bound on the right",
    "P(x) OR R(x, y)": "P(x) OR R(x, y) is unsafe: y is not bound on the left",
    "P(x) AND NOT Q(y)": "P(x) AND NOT Q(y) is unsafe: y is not bound on the left",
    "P(x) AND NOT R(y, z)": "P(x) AND NOT R(y, z) is unsafe: y, z are not bound on the left",
    "x = y": "x = y is unsafe: alone, it leaves infinitely many values of x, y",
    "x < 5": "x < 5 is unsafe: alone, it leaves infinitely many values of x",
    "x = 5 MOD 4": "x = 5 MOD 4 is unsafe: alone, it leaves infinitely many values of x",
    "0 < 1": "0 < 1 is unsafe: alone, constants are compared with = only",
    "NOT 0 < 1": "0 < 1 is unsafe: alone, constants are compared with = only",
    'x MATCHES r"a"': 'x MATCHES r"a" is unsafe: alone, it leaves infinitely many values of x',
    "P(x) AND x < y": "P(x) AND x < y is unsafe: y is not bound on the left",
    "P(x) AND NOT x = y": "P(x) AND NOT x = y is unsafe: y is not bound on the left",
    "P(x) AND y + 1 = x": "P(x) AND y + 1 = x is unsafe: y is not bound on the left",
    "P(x) AND y = y": "P(x) AND y = y is unsafe: y is not bound on the left",
    "P(x) AND y = z": "P(x) AND y = z is unsafe: y, z are not bound on the left",
    "P(x) AND y MATCHES x": "P(x) AND y MATCHES x is unsafe: y is not bound on the left",
    "x < 5 AND P(x)": "x < 5 is unsafe: alone, it leaves infinitely many values of x",
    "P(x + 1)": "P(x + 1) is unsafe: an argument must be a variable or a constant",
    "R(x, y) SINCE P(x)": "R(x, y) SINCE P(x) is unsafe: y is not bound on the right of SINCE",
    "NOT R(x, y) UNTIL[0,5] P(x)": "NOT R(x, y) UNTIL[0,5] P(x) is unsafe: y is not bound on the right of UNTIL",
    "NOT x = x SINCE P(x)": "x = x is unsafe: alone, it leaves infinitely many values of x",
    "x < 5 SINCE P(x)": "x < 5 is unsafe: alone, it leaves infinitely many values of x",
    "EXISTS x. (P(x) OR ONCE Q(x, y))": "P(x) OR (ONCE Q(x, y)) is unsafe: y is not bound on the left",
    "c <- CNT x (NOT P(x))": "NOT P(x) is unsafe: it holds for infinitely many values of x",
}


@pytest.mark.parametrize("text", REFUSED)
def test_an_unsafe_formula_is_refused_with_the_part_and_the_reason(text: str) -> None:
    with pytest.raises(UnsafeFormula) as refusal:
        check_safe(core(text), text, "p.mfotl")
    assert refusal.value.message == REFUSED[text]
    assert refusal.value.hint, "something that would do is named"
    assert not isinstance(refusal.value, UnboundedFuture)


@pytest.mark.parametrize("text", REFUSED)
def test_the_formula_that_would_do_is_safe(text: str) -> None:
    with pytest.raises(UnsafeFormula) as refusal:
        check_safe(core(text), text, "p.mfotl")
    named = re.sub(r", or .*", "", refusal.value.hint.split(": ", 1)[1])
    hint = core(named, rewrite=True)
    if "an argument" not in refusal.value.message:  # there, what binds the variables of the term stands elsewhere
        assert is_safe(hint), refusal.value.hint


def test_refusals_are_query_errors_that_callers_can_name() -> None:
    assert issubclass(cep_core.UnboundedFuture, cep_core.UnsafeFormula)
    assert issubclass(cep_core.UnsafeFormula, cep_core.QueryError)
    with pytest.raises(cep_core.UnsafeFormula):
        check_safe(core("NOT P(x)"), "NOT P(x)", "p.mfotl")


def test_a_refusal_points_to_the_part() -> None:
    text = "EXISTS x.\n  P(x) AND NOT Q(y)"
    with pytest.raises(UnsafeFormula) as refusal:
        check_safe(core(text), text, "p.mfotl")
    assert str(refusal.value).splitlines() == [
        "p.mfotl:2:3: P(x) AND NOT Q(y) is unsafe: y is not bound on the left",
        "    P(x) AND NOT Q(y)",
        "    ^^^^^^^^^^^^^^^^^ if there is to be none: P(x) AND NOT (EXISTS y. Q(y))",
    ]


def test_an_open_implication_is_told_from_its_violation() -> None:
    text = "P(x) IMPLIES EVENTUALLY[0,5] Q(x)"
    with pytest.raises(UnsafeFormula, match="NOT P") as refusal:
        check_safe(core(text), text, "p.mfotl")
    violation = "P(x) AND NOT (EVENTUALLY[0,5] Q(x))"
    assert refusal.value.hint == f"this is what should hold; its violations are {violation}"
    check_safe(core(violation), violation, "p.mfotl")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("EVENTUALLY P(x)", "EVENTUALLY"),
        ("P(x) AND NOT (ALWAYS[3,*) Q(x))", "EVENTUALLY"),
        ("P(x) UNTIL[1,*) Q(x)", "UNTIL"),
        ("P() RELEASE Q()", "UNTIL"),
        ("ONCE EVENTUALLY NOT P(x)", "EVENTUALLY"),
    ],
)
def test_an_unbounded_future_is_refused_before_all_else(text: str, word: str) -> None:
    """Checklist F10."""
    with pytest.raises(UnboundedFuture, match=f"{word} looks ahead without an upper bound") as refusal:
        check_safe(core(text), text, "p.mfotl")
    low = 3 if "[3" in text else 1 if "[1" in text else 0
    assert refusal.value.hint == f"give it one, such as {word}[{low},{low + 10}]"


def test_unbounded_pasts_run() -> None:
    """Checklist F10."""
    for text in ("ONCE[0,*) P(x)", "P(x) SINCE[5,*) Q(x)", "PREV P(x)", "NEXT P(x)", "NOT (HISTORICALLY P())"):
        check_safe(core(text), text, "p.mfotl")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("P(x) AND y < x", "x"),
        ("y = x AND z = y + 1 AND P(x)", "x y z"),
        ('P(x) AND (x MATCHES r"(.)" (y) AND NOT Q(z))', "x y"),
        ("R(x, y) OR P(y)", "y"),
        ("EXISTS x. R(x, y) AND NOT Q(z)", "y"),
        ("NOT P(x) SINCE Q(y)", "y"),
        ("NOT R(x, y)", ""),
        ("NOT (P(x) IMPLIES Q(y))", "x"),
        ("NOT (NOT R(x, y) AND NOT P(x))", "x"),
        ("c <- CNT x; y, z (R(x, y) AND NOT Q(z))", "c y"),
    ],
)
def test_restricted_variables(text: str, names: str) -> None:
    assert restricted_variables(core(text)) == set(names.split())
