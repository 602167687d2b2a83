"""Points without events need not be looked at, where the formula allows it: skipping changes nothing (S29)."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Exists,
    Formula,
    Not,
    Once,
    Or,
    Predicate,
    Prev,
    Since,
    Truth,
    Until,
)
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.terms import Variable
from cep_core.language.temporal.walk import free_variables, walk
from cep_core.monitoring.first_order.arrays.occupied import occupied_points
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.plan.silence import ignores_silence
from cep_core.monitoring.first_order.reference import satisfactions
from cep_core.testing.formulas import intervals, safe_formulas, variable_types
from cep_core.testing.logs import Event, log_of
from cep_core.testing.signatures import drawn_points, schema_of, signatures

Points = list[tuple[int, list[Event]]]
Answer = set[tuple[int, tuple[object, ...]]]

SCHEMA = schema_of(P="i", Q="i")
X = Variable("i")
P, Q = Predicate("P", (X,), ("i_1",)), Predicate("Q", (X,), ("i_1",))
NO_P = Not(Exists(("j",), Predicate("P", (Variable("j"),), ("i_1",))))
SKIPS: list[Formula] = [
    And(P, Not(Once(Interval(0, 3), Q))),
    And(P, Since(Interval(1, 9), NO_P, Q)),
    And(P, Not(Until(Interval(0, 3), Not(P), Q))),
    And(Or(P, Q), Not(And(P, Q))),
    And(P, Aggregation(Variable("j"), "CNT", X, (X,), Or(P, Q))),
]
CANNOT: list[Formula] = [
    Once(Interval(0, 3), P),
    And(P, Prev(ANY_TIME, Q)),
    And(P, Prev(ANY_TIME, NO_P)),
    And(P, Once(Interval(1, 3), NO_P)),
    And(P, Since(Interval(1, 9), P, Q)),
    And(P, Since(Interval(1, 9), Truth(True), NO_P)),
    And(P, Predicate("tp", (Variable("j"),), ("tp",))),
    And(P, Once(Interval(1, 2), Predicate("ts", (Variable("j"),), ("ts",)))),
    NO_P,
]
drawn: st.SearchStrategy[Points] = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.tuples(st.sampled_from("PQ"), st.integers(0, 1)), max_size=2)), max_size=10
).map(lambda steps: [(sum(gap for gap, _ in steps[: place + 1]), list(own)) for place, (_, own) in enumerate(steps)])


def skipped(formula: Formula, points: Points) -> Answer:
    """The satisfactions without a look at points that have no event of the formula's types."""
    types = variable_types(formula)
    read = {part.event_type for part in walk(formula) if isinstance(part, Predicate)}
    own = occupied_points(log_of(points, SCHEMA), read)
    relation, texts = satisfied(formula, own.log, types)
    relation = own.in_whole(relation)
    columns = [
        [texts.text(code) for code in column.tolist()] if types[name] is AttributeType.STRING else column.tolist()
        for name, column in zip(relation.variables, relation.columns, strict=True)
    ]
    return {
        (point, tuple(column[row] for column in columns))
        for row in range(relation.rows)
        for point in range(int(relation.begin[row]), int(relation.end[row]))
    }


@given(st.sampled_from(SKIPS), drawn)
def test_skipping_changes_nothing(formula: Formula, points: Points) -> None:
    assert ignores_silence(formula)
    assert skipped(formula, points) == satisfactions(formula, log_of(points, SCHEMA), variable_types(formula))


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_of_any_formula_that_allows_it(data: st.DataObject) -> None:
    """Something, but nothing else before it; all of them drawn."""
    schema = data.draw(signatures())
    left, right = (data.draw(safe_formulas(schema, depth=data.draw(st.sampled_from([0, 0, 1, 2])))) for _ in "lr")
    hidden = tuple(name for name in free_variables(right) if name not in free_variables(left))
    formula = And(left, Not(Once(data.draw(intervals), Exists(hidden, right) if hidden else right)))
    assume(ignores_silence(formula))
    event("of one point" if isinstance(left, Predicate) and isinstance(right, Predicate) else "of several operators")
    log = log_of(data.draw(drawn_points(schema)), schema)
    own = occupied_points(log, {part.event_type for part in walk(formula) if isinstance(part, Predicate)})
    types = variable_types(formula)
    whole, some = satisfied(formula, log, types)[0], own.in_whole(satisfied(formula, own.log, types)[0])
    assert sorted(zip(some.begin.tolist(), some.end.tolist(), strict=True)) == sorted(
        zip(whole.begin.tolist(), whole.end.tolist(), strict=True)
    )


@pytest.mark.parametrize("formula", CANNOT, ids=range(len(CANNOT)))
def test_a_formula_that_looks_at_them_is_not_skipped(formula: Formula) -> None:
    """There is a log whose answer is another without its empty points."""
    assert not ignores_silence(formula)
    log: Points = [(0, [("Q", 1)]), (1, []), (2, [("P", 1)]), (3, []), (4, [("P", 1)])]
    assert skipped(formula, log) != satisfactions(formula, log_of(log, SCHEMA), variable_types(formula))
