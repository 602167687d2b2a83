"""What cannot be monitored is refused after all other faults, in the author's words."""

from __future__ import annotations

import pytest

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import QueryError
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.safety.refusals import UnboundedFuture, UnsafeFormula
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.first_order.text.printing import formula_text

INT = AttributeType.INT
SCHEMA = LogSchema(
    {
        "P": {"a": Attribute("a", INT)},
        "R": {"a": Attribute("a", INT), "b": Attribute("b", INT)},
        "O/2": {name: Attribute(name, INT) for name in ("1", "2")},
    }
)


def bound(text: str, *, rewrite: bool = True) -> Policy:
    return bind_written(parse(text, "p.mfotl"), SCHEMA, text, "p.mfotl", rewrite=rewrite)


def refusal(text: str) -> QueryError:
    with pytest.raises(QueryError) as raised:
        bound(text)
    return raised.value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P(x) OR R(x, y)", "P(x) OR R(x, y) is unsafe: y is not bound on the left"),
        ("NOT O(_, y)", "NOT O(_, y) is unsafe: it holds for infinitely many values of y"),
        ("P(x) AND NOT R(b=y)", "P(x) AND NOT R(b=y) is unsafe: y is not bound on the left"),
        ("tp(i) AND i < j", "tp(i) AND i < j is unsafe: j is not bound on the left"),
        ("LET D(x) = NOT P(x) IN D(y)", "NOT P(y) is unsafe: it holds for infinitely many values of y"),
    ],
)
def test_parts_are_told_as_they_are_written(text: str, message: str) -> None:
    assert refusal(text).message == message


def test_sugar_is_named_as_it_is_written() -> None:
    assert refusal("NOT (ALWAYS P(1))").message == "ALWAYS P(1) is unsafe: ALWAYS looks ahead without an upper bound"
    assert isinstance(refusal("P(x) RELEASE[0,*) P(x)"), UnboundedFuture)


def test_names_and_types_come_before_safety() -> None:
    for text in ("NOT Q(x)", 'NOT P("a")', "EVENTUALLY Q(x)", "NOT P(x) AND x = 1.5"):
        assert not isinstance(refusal(text), UnsafeFormula)


def test_rewriting_is_a_switch() -> None:
    text = "FORALL x. P(x) IMPLIES (EXISTS y. R(x, y))"
    assert formula_text(bound(text).core) == "NOT (EXISTS x. (P(a=x) AND NOT (EXISTS y. R(a=x, b=y))))"
    with pytest.raises(UnsafeFormula):
        bound(text, rewrite=False)


def test_a_computed_argument_is_bound_by_its_neighbours() -> None:
    core = bound("P(x) AND R(x, x + 1)").core
    assert formula_text(core) == "P(a=x) AND (EXISTS b. (R(a=x, b=b) AND b = x + 1))"
    assert isinstance(refusal("P(x + 1)"), UnsafeFormula)
