"""What is left of a policy without its outermost EXISTS (paper 01, section 6; F11)."""

from __future__ import annotations

import pytest

from cep_core.language.first_order.facts.atoms import atoms_of
from cep_core.language.first_order.facts.opening import open_policy
from cep_core.language.first_order.text.printing import formula_text
from tests.language.first_order.bound_policies import bound
from tests.language.first_order.facts.test_atoms import atom_text


@pytest.mark.parametrize(
    ("text", "hidden", "negated", "atoms"),
    [
        ("EXISTS y. R(x, y) AND ONCE[0,5] P(y)", "y", False, "R(x:x y:y) P(x:y)"),
        ("EXISTS x. EXISTS y. R(x, y) AND Q(y)", "x y", False, "R(x:x y:y) Q(x:y)"),
        ("NOT EXISTS x. P(x) AND Q(x)", "x", True, "P(x:x) Q(x:x)"),
        ("NOT NOT EXISTS x. P(x) AND Q(x)", "x", False, "P(x:x) Q(x:x)"),
        ("EXISTS x, y. NOT NOT (R(x, y) AND Q(y))", "x y", False, "R(x:x y:y) Q(x:y)"),
    ],
)
def test_outermost_quantifiers_are_stripped(text: str, hidden: str, negated: bool, atoms: str) -> None:
    policy = bound(text)
    opened = open_policy(policy)
    assert opened is not None
    assert (" ".join(opened.hidden), opened.negated) == (hidden, negated)
    assert list(opened.policy.variables) == [*policy.variables, *opened.hidden]
    assert " ".join(map(atom_text, atoms_of(opened.policy))) == atoms


@pytest.mark.parametrize(
    "text",
    [
        "R(x, y)",
        "(EXISTS y. R(x, y)) AND P(x)",
        "ONCE[0,5] EXISTS y. R(x, y)",
        "P(x) AND NOT EXISTS y. R(x, y)",
        "-- for each: tail\nEXISTS n. Departure(seq=n)",
    ],
)
def test_what_stands_inside_stays(text: str) -> None:
    assert open_policy(bound(text)) is None


def test_what_is_open_is_told_in_its_own_words() -> None:
    opened = open_policy(bound("EXISTS y. R(x, y) AND NOT ONCE[0,5] P(y)"))
    assert opened is not None
    assert formula_text(opened.policy.core) == "R(x=x, y=y) AND NOT (ONCE[0,5] P(x=y))"
