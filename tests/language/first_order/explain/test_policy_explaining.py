"""How a policy is understood, and what is said of it without a log."""

from __future__ import annotations

import pytest

from cep_core.language.first_order.first_order_language import FIRST_ORDER
from tests.language.first_order.bound_policies import SCHEMA, bound


def test_sections() -> None:
    text = """-- policy: must hold
FORALL t. Departure(t, _, _, _) IMPLIES ONCE[0,1d] PREV Departure(tail=t, cancelled=0)"""
    explanation = FIRST_ORDER.explain(bound(text), ["by enumeration"])
    assert str(explanation).splitlines() == [
        "policy",
        "  the formula says what must hold, and is negated: a result is a violation",
        "formula",
        "  NOT (Departure(tail=t) IMPLIES (ONCE[0,86400] PREV Departure(tail=t, cancelled=0)))",
        "variables",
        "  t: string",
        "rewriting",
        "  Departure(tail=t) AND NOT (ONCE[0,86400] PREV Departure(tail=t, cancelled=0))",
        "reads",
        "  Departure(tail, cancelled); a null tail matches no argument",
        "slicing",
        "  variables t",
        "  Departure(tail: t)",
        "  Departure(tail: t, cancelled = False)",
        "reach",
        "  24 hours and 1 time-point",
        "  a result is certain at its point",
        "algorithm",
        "  by enumeration",
    ]
    assert explanation.to_dict()["reach"]["points"] == 1


def test_a_formula_that_nothing_slices() -> None:
    facts = FIRST_ORDER.explain(bound("NOT EXISTS x. P(x)"), ()).to_dict()
    assert facts["slicing"]["variables"] == []
    assert "algorithm" not in facts


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("s <- SUM d; t Departure(tail=t, delay=d)", 1),
        ("s <- SUM d; t Departure(tail=t, delay=d, seq=q)", 0),
        ("s <- MAX d; t Departure(tail=t, delay=d)", 0),
        ("LET A(s) = s <- CNT d P(d) IN A(x) AND ONCE A(y)", 1),
    ],
)
def test_a_warning_where_no_key_is_named(text: str, warned: int) -> None:
    assert len(FIRST_ORDER.warnings(bound(text))) == warned


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("P(x) AND NOT Q(x, 1.5)", {"P": {"1": "string"}, "Q": {"1": "string", "2": "float"}}),
        ("P(x) AND P(x, y) AND y > 2", {"P/1": {"1": "string"}, "P/2": {"1": "string", "2": "int"}}),
        ("P(tail=t, seq=s) AND P(delay=s)", {"P": {"tail": "string", "delay": "int"}}),
        ("LET A(x) = P(x) IN A(1)", {"P": {"1": "int"}}),
        ("-- for each: tail\nP(delay=d) AND d > 1", {"P": {"delay": "int", "tail": "string"}}),
        ("ts(x) AND P(x) AND T()", {"P": {"1": "int"}, "T": {}}),
    ],
)
def test_the_schema_that_a_policy_assumes(text: str, types: dict[str, dict[str, str]]) -> None:
    written = FIRST_ORDER.parse(text, "p.mfotl")
    schema = FIRST_ORDER.mentioned(written)
    known = {
        name: {key: attribute.type.value for key, attribute in kinds.items()} for name, kinds in schema.types.items()
    }
    assert known == types
    FIRST_ORDER.explain(FIRST_ORDER.bind(written, schema, text), ())


def test_ties_never_matter() -> None:
    assert FIRST_ORDER.order_of_ties(bound("P(x)", SCHEMA)) == ""
