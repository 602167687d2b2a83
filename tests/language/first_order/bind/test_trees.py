"""Binding of trees that are built by hand: what the other parts of policies rely on."""

from __future__ import annotations

import pytest

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import Position, QueryError
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.written import WrittenPolicy
from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Comparison,
    Exists,
    Formula,
    Let,
    Once,
    Predicate,
)
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.terms import Arithmetic, Constant, Term, Variable


def _type(**attributes: AttributeType) -> dict[str, Attribute]:
    return {name: Attribute(name, kind) for name, kind in attributes.items()}


INT, FLOAT, STRING, BOOL = AttributeType.INT, AttributeType.FLOAT, AttributeType.STRING, AttributeType.BOOL
SCHEMA = LogSchema(
    {
        "P": _type(a=INT),
        "R": _type(a=INT, b=STRING, c=FLOAT),
        "B": _type(late=BOOL),
        "T": {},
        "O/1": {"1": Attribute("1", INT)},
        "O/2": {"1": Attribute("1", INT), "2": Attribute("2", STRING)},
    }
)
X, Y, Z = Variable("x"), Variable("y"), Variable("z")
AT = Position(1, 1)


def bound(formula: Formula, **options: bool) -> Policy:
    return bind_written(WrittenPolicy(formula, AT), SCHEMA, **options)


def atom(name: str, *arguments: Term) -> Predicate:
    return Predicate(name, arguments)


def test_arguments_that_nothing_looks_at_are_left_out() -> None:
    assert bound(atom("R", X, Variable("_"), Variable("_y"))).core == Predicate("R", (X,), ("a",))
    assert bound(Predicate("R", (X,), ("b",))).core == Predicate("R", (X,), ("b",))
    assert bound(atom("R")).core == Predicate("R", (), ())


def test_a_wildcard_with_a_name_that_stands_twice_is_one_value() -> None:
    schema = LogSchema({"S": _type(a=INT, b=INT)})
    core = bind_written(WrittenPolicy(atom("S", Variable("_u"), Variable("_u")), AT), schema).core
    u = Variable("u")
    assert core == Exists(("u",), Predicate("S", (u, u), ("a", "b")))


def test_names_are_bound_apart() -> None:
    core = bound(And(atom("P", X), And(Exists(("x",), atom("P", X)), Exists(("x",), atom("P", X))))).core
    x2, x3 = Variable("x_2"), Variable("x_3")
    named = [Predicate("P", (variable,), ("a",)) for variable in (X, x2, x3)]
    assert core == And(named[0], And(Exists(("x_2",), named[1]), Exists(("x_3",), named[2])))


def test_overloads_are_told_apart_by_their_arguments() -> None:
    assert bound(atom("O", X)).core == Predicate("O/1", (X,), ("1",))
    assert bound(atom("O", X, Y)).core == Predicate("O/2", (X, Y), ("1", "2"))
    with pytest.raises(QueryError, match="O takes 1 or 2 arguments, not 3"):
        bound(atom("O", X, Y, Z))


def test_an_argument_that_is_computed_becomes_a_variable() -> None:
    formula = bound(And(atom("P", X), atom("P", Arithmetic("+", X, Constant(1))))).formula
    a = Variable("a")
    assert formula.right == Exists(  # type: ignore[union-attr]
        ("a",), And(Predicate("P", (a,), ("a",)), Comparison("=", a, Arithmetic("+", X, Constant(1))))
    )


def test_definitions_are_unfolded_without_capture() -> None:
    definition = Exists(("y",), Once(ANY_TIME, atom("R", X, Y, Variable("_"))))
    formula = Let("A", ("x",), definition, And(atom("A", Y), And(atom("A", X), atom("A", Y))))
    policy = bound(formula)
    first = policy.core.left  # type: ignore[union-attr]
    y2, y3 = Variable("y_2"), Variable("y_3")
    assert first == Exists(("y_2",), Once(Interval(), Predicate("R", (Y, y2), ("a", "b"))))
    assert policy.core.right.right is first  # type: ignore[union-attr]
    assert policy.core.right.left.variables == (y3.name,)  # type: ignore[union-attr]
    assert dict(policy.variables) == {"y": INT, "x": INT}
    assert policy.types["y_3"] is STRING


def test_an_aggregation_in_a_definition_keeps_its_own_variables() -> None:
    definition = Aggregation(Variable("s"), "SUM", X, (), atom("P", X))
    core = bound(Let("A", ("s",), definition, atom("A", Constant(5)))).core
    assert isinstance(core, Exists)
    assert isinstance(core.body, And)
    assert core.body.right == Comparison("=", Variable(core.variables[0]), Constant(5))


def test_bools_are_integers_and_seq_may_be_named_anywhere() -> None:
    policy = bound(Predicate("B", (X, Y), ("late", "seq")))
    assert dict(policy.variables) == {"x": INT, "y": INT}


def test_every_fault_of_names_and_types_is_told() -> None:
    formula = And(
        Predicate("Q", (X,), at=Position(1, 1)), Comparison("<", X, Constant("a", Position(1, 9)), Position(1, 7))
    )
    with pytest.raises(QueryError) as refused:
        bound(And(formula, Predicate("P", (Variable("x", Position(1, 20)),), at=Position(1, 18))))
    assert "unknown event type 'Q'" in str(refused.value)
    assert "'x' is a string, but argument a of P is an int" in str(refused.value)
