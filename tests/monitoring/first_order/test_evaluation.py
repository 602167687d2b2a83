"""Whole formulas: what is evaluated once, in which order, and what the end of the log means."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest

from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Comparison,
    Eventually,
    Exists,
    Formula,
    Next,
    Not,
    Once,
    Or,
    Predicate,
    Truth,
)
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.terms import Arithmetic, Constant, Variable
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.choice import event_rows
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.operators import reduction
from cep_core.testing.logs import log_of
from tests.monitoring.first_order.writing import atom, conjunction, without

x, y, z = Variable("x"), Variable("y"), Variable("z")
LOG = log_of([(1, [("P", 1, 2), ("Q", 2)]), (4, [("P", 3, 0), ("R", "a")]), (4, []), (9, [("Q", 0), ("Q", 2)])])


def rows(formula: Formula, log: PointLog = LOG) -> set[tuple[int, ...]]:
    """The satisfactions, the point first."""
    relation, _ = satisfied(formula, log, {})
    assert relation.variables == free_variables(formula)
    runs = zip(*(column.tolist() for column in (relation.begin, relation.end, *relation.columns)), strict=True)
    return {(point, *values) for begin, end, *values in runs for point in range(begin, end)}


def test_formulas_of_one_shape_are_evaluated_once() -> None:
    def pair(first: str, second: str, hidden: str) -> Formula:
        return And(Exists((hidden,), atom("P", first, hidden)), Once(Interval(), atom("Q", second)))

    formula = And(pair("x", "y", "a"), Once(Interval(0, 5), pair("z", "y", "b")))
    evaluated: list[Formula] = []
    satisfied(formula, LOG, {}, recorder=lambda part, rows_in, rows_out: evaluated.append(part))
    assert [type(part).__name__ for part in evaluated] == [
        *("Predicate", "Exists", "Predicate", "Once", "And"),
        *("Once", "And"),
    ]


def test_a_recorder_is_told_rows_in_and_out() -> None:
    recorded: dict[str, tuple[list[int], int]] = {}
    formula = Or(Exists(("y",), atom("P", "x", "y")), atom("Q", "x"))
    satisfied(formula, LOG, {}, recorder=lambda part, i, o: recorded.update({type(part).__name__: (list(i), o)}))
    assert recorded["Or"] == ([2, 3], 5)
    assert recorded["Exists"] == ([2], 2)


def test_a_point_follows_a_closed_log() -> None:
    """It is empty, far away, and not reported."""
    quiet = Not(Exists(("a", "b"), atom("P", "a", "b")))
    assert rows(Eventually(Interval(1000), quiet)) == {(0,), (1,), (2,), (3,)}
    assert rows(Eventually(Interval(1000, 2000), quiet)) == set()
    assert rows(Next(Interval(), Truth(True))) == {(0,), (1,), (2,), (3,)}
    assert rows(Next(Interval(0, 5), Truth(True))) == {(0,), (1,), (2,)}


def test_the_point_after_the_log_brings_no_error() -> None:
    later = And(atom("ts", "x"), Comparison("=", y, Arithmetic("+", x, Constant(1))))
    assert rows(later) == {(0, 1, 2), (1, 4, 5), (2, 4, 5), (3, 9, 10)}


def test_the_order_of_a_chain_changes_nothing() -> None:
    conjuncts = [
        atom("P", "x", "y"),
        Once(Interval(), atom("Q", "z")),
        Comparison("=", Arithmetic("+", y, Constant(0)), z),
        Comparison("<", x, Constant(3)),
        Not(atom("R", "'b'")),
        Truth(True),
    ]
    for order in permutations(conjuncts, 6):
        names = ("x", "y", "z")
        reordered = rows(Exists((), conjunction(*order)))
        places = [free_variables(conjunction(*order)).index(name) for name in names]
        assert {(row[0], *(row[1 + place] for place in places)) for row in reordered} == {(0, 1, 2, 2)}


@pytest.mark.parametrize("turned", [False, True])
def test_a_test_without_a_value_waits_for_the_rest(turned: bool) -> None:
    """P(3, 0) is no error: Q(0) does not hold there. A test that is written first protects those after it."""
    positive = Comparison(">", Arithmetic("/", x, y), Constant(-1))
    conjuncts = [atom("P", "x", "y"), atom("Q", "y")]
    ordered = conjunction(positive, *conjuncts) if turned else conjunction(*conjuncts, positive)
    assert rows(ordered) == ({(0, 1, 2)})
    assert rows(conjunction(atom("P", "x", "y"), Comparison(">", y, Constant(0)), positive)) == {(0, 1, 2)}
    with pytest.raises(EvaluationError, match="3 / 0 is a division by zero"):
        satisfied(And(atom("P", "x", "y"), positive), LOG, {})


def test_an_equality_joins_relations_that_share_nothing() -> None:
    formula = conjunction(atom("P", "x", "y"), Once(Interval(), atom("Q", "z")), Comparison("=", y, z))
    assert rows(formula) == {(0, 1, 2, 2)}


@pytest.mark.parametrize("log", [PointLog(np.zeros(0, np.int64)), PointLog(np.array([5, 5]))])
def test_logs_without_points_or_events(log: PointLog) -> None:
    every = {(point,) for point in range(log.points)}
    assert rows(atom("P", "x", "y"), log) == set()
    assert rows(Truth(True), log) == rows(Not(Exists(("x",), atom("Q", "x"))), log) == every
    assert rows(Comparison("=", x, Constant(7)), log) == {(point, 7) for (point,) in every}
    assert rows(without(Truth(True), Once(Interval(), Exists(("x",), atom("Q", "x")))), log) == every


def test_a_constant_reaches_the_scan() -> None:
    recorded: list[tuple[list[int], int]] = []
    formula = And(atom("P", "x", "y"), Comparison("=", Constant(3), x))
    relation, _ = satisfied(formula, LOG, {}, recorder=lambda part, i, o: recorded.append((list(i), o)))
    assert (relation.rows, recorded) == (1, [([2], 1), ([1], 1)])


def test_nulls_are_left_out_and_texts_are_codes() -> None:
    log = log_of([(1, [("P", "a", 1.5), ("P", None, -0.0), ("P", "b", None), ("Q", 0.0)])])
    relation, texts = satisfied(Predicate("P", (x, y), ("1", "2")), log, {})
    assert [texts.text(code) for code in relation.columns[0]] == ["a"]
    assert satisfied(Predicate("P", (y,), ("2",)), log, {})[0].columns[0].tolist() == [1.5, 0.0]
    joined, _ = satisfied(And(Predicate("P", (y,), ("2",)), atom("Q", "y")), log, {})
    assert joined.columns[0].tolist() == [0.0]
    assert isinstance(log.events["P"].columns["1"], pa.Array)


@pytest.mark.parametrize("points", [0, 1])
def test_a_constant_is_aggregated(points: int) -> None:
    """Also where there is no point at all, so that its column has no value."""
    body = Comparison("=", Constant(7), Variable("x"))
    log = log_of([(1, [])] * points)
    least, _ = satisfied(Aggregation(Variable("n"), "MIN", x, (), body), log, dict.fromkeys("nx", AttributeType.INT))
    assert least.columns[0].tolist() == [7] * points


def test_reducing_events_first_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    points = [
        (stamp, [(event_type, *random.integers(0, 5, 2).tolist()) for event_type in "PQR"]) for stamp in range(40)
    ]
    log = log_of(points)
    soon = Interval(0, 3)
    chains = [
        conjunction(Once(soon, atom("P", "x", "y")), atom("Q", "x", "z"), Eventually(soon, atom("R", "x", "w"))),
        conjunction(
            Once(soon, atom("P", "x", "y")), atom("Q", "y", "z"), Eventually(Interval(2, 3), atom("R", "z", "x"))
        ),
        conjunction(Once(soon, Eventually(soon, atom("P", "x", "y"))), atom("Q", "z", "z"), Comparison("=", x, z)),
        Exists(
            ("y", "v"),
            conjunction(atom("P", "x", "y"), Once(soon, Exists(("z",), atom("Q", "x", "z"))), atom("R", "v", "v")),
        ),
        Exists(
            ("z",),
            conjunction(Exists(("y",), Once(soon, atom("P", "x", "y"))), atom("Q", "x", "z"), Comparison("<", x, z)),
        ),
    ]
    pair = conjunction(Once(soon, atom("P", "x", "y")), atom("Q", "x", "z"), Comparison("=", x, Constant(3)))
    chains += [
        conjunction(Once(soon, pair), atom("R", "x", "w")),
        conjunction(Once(soon, pair), Once(soon, atom("R", "z", "w"))),
    ]
    whole = [rows(chain, log) for chain in chains]
    assert all(whole)
    monkeypatch.setattr(reduction, "FEWER", 0)
    monkeypatch.setattr(event_rows, "MANY", 0)
    monkeypatch.setattr(reduction, "FEWEST", 2)
    assert [rows(chain, log) for chain in chains] == whole
