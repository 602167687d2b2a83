"""Event types, attributes, definitions and variables: what they mean, and what has no meaning."""

from __future__ import annotations

import pytest

from cep_core.events.schema import LogSchema
from cep_core.language.errors import QueryError, QueryErrors
from tests.language.first_order.bound_policies import SCHEMA, attributes, bound, shown


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("Departure(t, _, _, _)", "Departure(tail=t)"),
        ("Departure(t, _o, _d, _c)", "Departure(tail=t)"),
        ("Departure()", "Departure()"),
        ("Departure(delay=d, tail=_)", "Departure(delay=d)"),
        ("R(_u, _u)", "EXISTS u. R(u, u)"),
        ("O(x) AND O(x, y)", "O(x) AND O(x, y)"),
        ("P(-1)", "P(-1)"),
        ("P(x) AND Q(x + 1)", "P(x) AND (EXISTS x_2. (Q(x_2) AND x_2 = x + 1))"),
        ("P(x) AND (EXISTS x. Q(x)) AND (EXISTS x. Q(x))", "P(x) AND (EXISTS x_2. Q(x_2)) AND (EXISTS x_3. Q(x_3))"),
        ("EXISTS y. P(x)", "P(x)"),
        ("r <- CNT y; x R(x, y) AND W(r)", "r <- CNT y; x (R(x, y) AND W(r_2))"),
        ("tp(i) AND ts(_)", "tp(i) AND (EXISTS ts. ts(ts))"),
        ("__inf = 0", "__inf = 0"),
    ],
)
def test_what_names_mean(text: str, core: str) -> None:
    assert shown(bound(text).plain) == core


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("Departur(x)", "unknown event type 'Departur'", "did you mean 'Departure'?"),
        ("P(x, y)", "P takes 1 argument, not 2", "P(x); or by name: P(x=x)"),
        ("T(x)", "T takes 0 arguments, not 1", "T()"),
        ("O(x, y, z)", "O takes 1 or 2 arguments, not 3", ""),
        ("Departure(tial=t)", "unknown attribute 'tial' of Departure", "did you mean 'tail'?"),
        ("_ = 1", "'_' is bound at its atom and has no value here", "give it a name without '_'"),
        ("P(_x) AND _x > 1", "'_x' is bound at its atom and has no value here", "give it a name without '_'"),
        ("c <- CNT z P(x)", "'z' is not free in the formula that is aggregated", "known: 'x'"),
        ("x <- CNT y; x R(x, y)", "'x' is the result and a group", "rename the result"),
        ("LET A(x) = R(x, y) IN A(z)", "'y' is free in the definition of A", "make it a parameter"),
        ("LET A(x, y) = P(x) IN A(z, z)", "the definition of A does not mention its parameter 'y'", ""),
        ("LET A(x) = P(x) IN A(z, z)", "unknown event type 'A'", ""),
        ("LET A(x) = A(x) IN A(z)", "unknown event type 'A'", ""),
    ],
)
def test_what_has_no_meaning(text: str, message: str, hint: str) -> None:
    with pytest.raises(QueryError) as refused:
        bound(text)
    assert refused.value.message == message
    assert refused.value.hint.startswith(hint)


def test_all_faults_are_told_together() -> None:
    with pytest.raises(QueryErrors) as refused:
        bound("Departur(x) AND F(1) AND P(x, y) AND NOT Weather(o=z)")
    assert [fault.message for fault in refused.value.errors] == [
        "unknown event type 'Departur'",
        "1 is an int, but argument x of F is a float",
        "P takes 1 argument, not 2",
        "unknown attribute 'o' of Weather",
    ]


def test_a_log_with_an_event_type_tp() -> None:
    with pytest.raises(QueryError, match="'tp' is a predicate of every log"):
        bound("tp(x)", LogSchema({"tp": attributes(x=SCHEMA.types["P"]["x"].type)}))


@pytest.mark.parametrize("text", ["tp(tp=x)", "P(tp=x) AND ts(ts=y)", "tpts(tp=i, ts=t)"])
def test_predicates_of_every_log_have_no_names(text: str) -> None:
    """In a table with events `tp` that have a column `tp` nobody could tell which of the two is meant."""
    own = attributes(tp=SCHEMA.types["P"]["x"].type)
    for schema in (LogSchema({"P": own}), LogSchema({"tp": own, "P": own}, open_world=True, columns=own)):
        with pytest.raises(QueryError, match="is a predicate of every log, whose arguments have no names"):
            bound(text, schema)
    assert bound("P(tp=x) AND tp(i) AND ts(t)", LogSchema({"P": own})).variables.keys() == {"x", "i", "t"}


def test_a_bare_table_has_all_its_columns_in_every_type() -> None:
    columns = attributes(x=SCHEMA.types["P"]["x"].type, y=SCHEMA.types["W"]["x"].type)
    schema = LogSchema({}, open_world=True, columns=columns)
    assert shown(bound("Anything(a, b) AND Other(y=b)", schema).core, schema)
    assert {name: kind.value for name, kind in bound("Anything(a, b)", schema).variables.items()} == {
        "a": "int",
        "b": "string",
    }
