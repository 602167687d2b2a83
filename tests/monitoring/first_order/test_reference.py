"""The reference on examples that were worked out by hand, and paper 01's examples 1 to 3 (S6, S9, S11)."""

from __future__ import annotations

import math

import pytest

from cep_core.language.temporal.formulas import (
    Aggregation,
    Always,
    And,
    Equiv,
    Eventually,
    Exists,
    Forall,
    Formula,
    Historically,
    Implies,
    Let,
    Matches,
    Next,
    Not,
    Once,
    Or,
    Prev,
    Release,
    Since,
    Trigger,
    Truth,
    Until,
)
from cep_core.language.temporal.interval import ANY_TIME
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Variable
from cep_core.monitoring.first_order.reference import satisfactions
from cep_core.testing.logs import Points, log_of
from tests.monitoring.first_order.writing import atom, compare, conjunction, plus, term, up_to, without

P, Q = atom("P", "x"), atom("Q", "x")
# Two points at 1, an empty one at 4, one alone at 9.
LOG: Points = [(1, [("P", 1), ("Q", 2)]), (1, [("P", 2)]), (4, []), (6, [("Q", 1), ("P", 3)]), (9, [("P", 2)])]


def at(formula: Formula, points: Points = LOG) -> dict[int, set[object]]:
    """The satisfactions by point; of a single variable the bare values, of a closed formula (), in sets."""
    by_point: dict[int, set[object]] = {}
    for point, values in satisfactions(formula, log_of(points)):
        by_point.setdefault(point, set()).add(values[0] if len(values) == 1 else values)
    return by_point


TEMPORAL = {
    "prev": (Prev(ANY_TIME, P), {1: {1}, 2: {2}, 4: {3}}),
    "prev at a gap": (Prev(up_to(3, 3), P), {2: {2}, 4: {3}}),
    "next": (Next(ANY_TIME, P), {0: {2}, 2: {3}, 3: {2}}),
    "next without a gap": (Next(up_to(0), P), {0: {2}}),
    "once": (Once(up_to(3), P), {0: {1}, 1: {1, 2}, 2: {1, 2}, 3: {3}, 4: {2, 3}}),
    "once, not now": (Once(up_to(5, 2), P), {2: {1, 2}, 3: {1, 2}, 4: {3}}),
    "once, any time after 4": (Once(up_to(None, 4), P), {3: {1, 2}, 4: {1, 2}}),
    "eventually": (Eventually(up_to(3), P), {0: {1, 2}, 1: {2}, 2: {3}, 3: {2, 3}, 4: {2}}),
    "eventually, later": (Eventually(up_to(5, 2), P), {0: {3}, 1: {3}, 2: {3, 2}, 3: {2}}),
    "since": (Since(up_to(5), Exists(("y",), atom("P", "y")), Q), {0: {2}, 1: {2}, 3: {1}, 4: {1}}),
    "since, later": (Since(up_to(None, 3), Truth(True), Q), {2: {2}, 3: {2}, 4: {2, 1}}),
    "not since": (Since(ANY_TIME, Not(P), Q), {0: {2}, 3: {1}, 4: {1}}),
    "until": (Until(up_to(3), Exists(("y",), atom("P", "y")), P), {0: {1, 2}, 1: {2}, 3: {3, 2}, 4: {2}}),
    "until, later": (Until(up_to(5, 5), Truth(True), Q), {0: {1}, 1: {1}}),
    "not until": (Until(up_to(10), Not(P), Q), {0: {2}, 1: {1}, 2: {1}, 3: {1}}),
    "historically": (And(P, Historically(up_to(3), Or(P, Q))), {0: {1}, 1: {2}}),
    "always": (And(P, Always(up_to(0), Or(P, Q))), {1: {2}, 3: {3}, 4: {2}}),
    "always to the end": (Always(ANY_TIME, Exists(("y",), atom("P", "y"))), {}),
    "trigger": (And(P, Trigger(up_to(3), Q, P)), {0: {1}}),
    "trigger, later": (And(Q, Trigger(up_to(5, 2), Q, P)), {0: {2}, 3: {1}}),
    "trigger, later, of others": (And(P, Trigger(up_to(5, 2), Q, P)), {0: {1}, 1: {2}}),
    "release": (And(Q, Release(up_to(3), P, Q)), {}),
    "release, later": (And(Q, Release(up_to(5, 2), Q, P)), {0: {2}, 3: {1}}),
    "release, later, of others": (And(P, Release(up_to(5, 2), Q, P)), {4: {2}}),
}


@pytest.mark.parametrize("name", TEMPORAL)
def test_temporal_operators(name: str) -> None:
    formula, expected = TEMPORAL[name]
    assert at(formula) == expected


BOOLEAN = {
    "and": (And(P, atom("Q", "y")), {0: {(1, 2)}, 3: {(3, 1)}}),
    "and not": (without(P, Once(ANY_TIME, Q)), {0: {1}, 3: {3}}),
    "or": (Or(P, Q), {0: {1, 2}, 1: {2}, 3: {1, 3}, 4: {2}}),
    "implies": (conjunction(P, Implies(P, Once(ANY_TIME, Q))), {1: {2}, 4: {2}}),
    "equiv": (And(Or(P, Q), Equiv(P, Once(ANY_TIME, Q))), {1: {2}, 4: {2}}),
    "exists": (Exists(("x",), P), {0: {()}, 1: {()}, 3: {()}, 4: {()}}),
    "forall": (Forall(("x",), Implies(P, compare("x", "<", 3))), {0: {()}, 1: {()}, 2: {()}, 4: {()}}),
    "not, closed": (Not(Exists(("x",), P)), {2: {()}}),
    "exists of a variable that is nowhere": (And(Exists(("z",), Truth(True)), P), {0: {1}, 1: {2}, 3: {3}, 4: {2}}),
    "constant": (atom("P", 2), {1: {()}, 4: {()}}),
    "assignment": (And(P, compare("y", "=", plus("x", 1))), {0: {(1, 2)}, 1: {(2, 3)}, 3: {(3, 4)}, 4: {(2, 3)}}),
    "test": (conjunction(compare("x", ">=", Minus(Constant(-2))), P), {1: {2}, 3: {3}, 4: {2}}),
    "let": (Let("R", ("a",), Prev(ANY_TIME, atom("P", "a")), And(atom("R", "x"), P)), {}),
    "let, seen twice": (
        Let("R", ("b", "a"), conjunction(atom("P", "a"), atom("P", "b")), Once(up_to(3, 3), atom("R", "x", "y"))),
        {2: {(1, 1), (2, 2)}, 4: {(3, 3)}},
    ),
    "let of the same name": (
        Let("P", ("a",), Or(atom("P", "a"), atom("Q", "a")), P),
        {0: {1, 2}, 1: {2}, 3: {1, 3}, 4: {2}},
    ),
    "tp": (And(atom("tp", "i"), P), {0: {(0, 1)}, 1: {(1, 2)}, 3: {(3, 3)}, 4: {(4, 2)}}),
    "ts": (And(atom("ts", "t"), Not(Exists(("x",), P))), {2: {4}}),
    "tpts": (Once(up_to(0), atom("tpts", "i", 1)), {0: {0}, 1: {0, 1}}),
}


@pytest.mark.parametrize("name", BOOLEAN)
def test_operators_at_a_point(name: str) -> None:
    formula, expected = BOOLEAN[name]
    assert at(formula) == expected


def test_one_empty_point_follows_the_log() -> None:
    assert at(Next(ANY_TIME, Once(ANY_TIME, P)), [(5, [("P", 1)])]) == {0: {1}}
    assert at(Next(ANY_TIME, Truth(True)), [(5, [])]) == {0: {()}}
    assert at(Next(up_to(10**30), Truth(True)), [(5, [])]) == {}
    assert at(Next(ANY_TIME, Next(ANY_TIME, Truth(True))), [(5, [])]) == {}
    assert at(Next(ANY_TIME, atom("ts", "t")), [(5, [])]) == {0: {2**63 - 1}}


def test_a_repeated_variable_stands_for_one_value_and_null_for_none() -> None:
    log: Points = [(1, [("R", 1, 1), ("R", 1, 2), ("R", None, None), ("R", None, 3)])]
    assert at(atom("R", "x", "x"), log) == {0: {1}}
    assert at(atom("R", "x", "y"), log) == {0: {(1, 1), (1, 2)}}
    assert at(atom("R", "x", 3), log) == {}


def grouped(function: str, *groups: str) -> Aggregation:
    body = atom("R", "k", "v", "x")
    return Aggregation(Variable("r"), function, Variable("x"), tuple(map(Variable, groups)), body)


@pytest.mark.parametrize(
    ("function", "ungrouped", "by_key"),
    [
        ("CNT", 4, {(3, "a"), (1, "b")}),
        ("SUM", 11, {(7, "a"), (4, "b")}),
        ("AVG", 2.75, {(7 / 3, "a"), (4.0, "b")}),
        ("MIN", 2, {(2, "a"), (4, "b")}),
        ("MAX", 4, {(3, "a"), (4, "b")}),
        ("MED", 2.5, {(2.0, "a"), (4.0, "b")}),
    ],
)
def test_aggregations_range_over_distinct_valuations(function: str, ungrouped: float, by_key: set[object]) -> None:
    """Without groups, nothing gives 0."""
    rows = [("R", "a", 1, 2), ("R", "a", 1, 2), ("R", "a", 2, 2), ("R", "a", 3, 3), ("R", "b", 1, 4)]
    log: Points = [(1, rows), (2, [])]
    assert at(grouped(function), log) == {0: {ungrouped}, 1: {0}}
    assert at(grouped(function, "k"), log) == {0: by_key}


def test_aggregated_floats_are_rounded_once() -> None:
    log: Points = [(1, [("R", "a", key, value) for key, value in enumerate([1e16, 1.0, -1e16, 1e-30])])]
    assert at(grouped("SUM"), log) == {0: {1.0}}
    assert at(grouped("AVG"), log) == {0: {0.25}}
    large: Points = [(1, [("R", "a", 1, 1.7e308), ("R", "a", 2, 1.7e308)])]
    assert at(grouped("AVG"), large) == {0: {1.7e308}}
    assert at(grouped("SUM"), large) == {0: {math.inf}}


def test_a_result_of_an_aggregation_is_a_value_for_terms_and_for_other_aggregations() -> None:
    counts = Aggregation(Variable("n"), "CNT", Variable("x"), (), P)
    assert at(And(counts, compare("y", "=", plus("n", 10)))) == {
        0: {(1, 11)},
        1: {(1, 11)},
        2: {(0, 10)},
        3: {(1, 11)},
        4: {(1, 11)},
    }
    assert at(Aggregation(Variable("m"), "MAX", Variable("n"), (), Once(ANY_TIME, counts)))[4] == {1}


def test_terms() -> None:
    def value(written: object) -> object:
        return next(iter(at(compare("y", "=", written), [(0, [])])[0]))  # type: ignore[arg-type]

    assert value(Arithmetic("/", term(-7), term(2))) == -3
    assert value(Arithmetic("MOD", term(-7), term(2))) == -1
    assert value(Arithmetic("MOD", term(7), term(-2))) == 1
    assert value(Arithmetic("/", term(1.0), Minus(term(0.0)))) == math.inf
    assert value(Call("f2i", term(-7.9))) == -7
    assert value(Call("s2i", term("'+1.1'"))) == 0
    assert value(Call("s2f", term("'9.5e3'"))) == 9500.0
    assert value(Call("f2s", term(-42.0))) == "-42."
    assert value(Call("FORMAT_DATE", term(951782400.0))) == "2000-02-29"
    assert value(Call("YEAR", term(-1.0))) == 1969


@pytest.mark.parametrize(
    "wrong",
    [
        plus("x", 2**63 - 1),
        Arithmetic("/", term("x"), term(0)),
        Arithmetic("MOD", term("x"), term(0)),
        Minus(Arithmetic("-", Minus(term(2**63 - 1)), term("x"))),
        Call("f2i", Call("i2f", term(2**63 - 1))),
    ],
)
def test_a_term_without_a_value_is_an_error_where_the_rest_holds(wrong: object) -> None:
    formula = conjunction(P, compare("x", "=", 1), compare(wrong, "=", 0))  # type: ignore[arg-type]
    with pytest.raises(ArithmeticError):
        at(formula)
    assert at(formula, LOG[1:]) == {}


def test_texts_are_searched() -> None:
    log: Points = [(0, [("P", "zab")]), (1, [("P", "ab")]), (2, [("P", "xyz")]), (3, [("P", "zzzab")])]
    pattern = Regexp(r"\(z\)*ab")
    assert at(And(P, Matches(term("x"), pattern)), log) == {0: {"zab"}, 1: {"ab"}, 3: {"zzzab"}}
    assert at(And(P, Matches(term("x"), pattern, (None,))), log) == {0: {"zab"}, 1: {"ab"}, 3: {"zzzab"}}
    assert at(And(P, Matches(term("x"), pattern, (term("y"),))), log) == {0: {("zab", "z")}, 3: {("zzzab", "z")}}
    assert at(And(P, compare("'zz'", "SUBSTRING", "x")), log) == {3: {"zzzab"}}


# ---------------------------------------------------------------- paper 01


def test_example_1_a_slice_would_report_what_the_log_does_not() -> None:
    """S6: x = a AND NOT P(x). On P(a) nothing; on the slice without P(a), the joiner must drop x = a."""
    formula = conjunction(compare("x", "=", "'a'"), Not(P))
    assert at(formula, [(0, [("P", "a")])]) == {}
    assert at(formula, [(0, [])]) == {0: {"a"}}


@pytest.mark.parametrize("b", [1, 9])
def test_example_2_slices_report_valuations_that_others_own(b: int) -> None:
    """S9: P(x,y) AND NOT EVENTUALLY[0,b] (P(y,x) OR Q(x,y)); (5,7) belongs to slice 1, all else to slice 2."""
    answered = Or(atom("P", "y", "x"), atom("Q", "x", "y"))
    formula = without(atom("P", "x", "y"), Eventually(up_to(b), answered))
    log: Points = [(0, [("P", 7, 5)]), (1, [("P", 5, 1), ("Q", 7, 5)]), (2, [("P", 5, 7), ("Q", 5, 7)])]
    first: Points = [(0, [("P", 7, 5)]), (1, []), (2, [("P", 5, 7), ("Q", 5, 7)])]
    second: Points = [(0, [("P", 7, 5)]), (1, [("P", 5, 1), ("Q", 7, 5)]), (2, [("P", 5, 7)])]
    assert at(formula, log) == {1: {(5, 1)}}
    dropped_of_first = {(7, 5)} if b == 1 else set()
    assert at(formula, first) == ({0: dropped_of_first} if dropped_of_first else {})
    assert at(formula, second) == {1: {(5, 1)}, 2: {(5, 7)}}


def test_example_3_a_type_in_two_atoms() -> None:
    """S11: P(x) AND EVENTUALLY[0,1] P(y): a pair needs both its events, in whichever slices hold both."""
    formula = And(atom("P", "x"), Eventually(up_to(1), atom("P", "y")))
    log: Points = [(0, [("P", 0)]), (1, [("P", 1)]), (5, [("P", 2)])]
    assert at(formula, log) == {0: {(0, 0), (0, 1)}, 1: {(1, 1)}, 2: {(2, 2)}}
