"""Laws of first-order monitoring on random signatures, policies and logs: the engine says what the definition says."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import AttributeType, LogSchema
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.formulas import (
    Aggregation,
    And,
    Comparison,
    Exists,
    Formula,
    Next,
    Not,
    Once,
    Predicate,
    Prev,
    Since,
)
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Term, Variable
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.reference import satisfactions
from cep_core.monitoring.shared.decided import decided_points
from cep_core.monitoring.shared.scalars import Value, plain
from cep_core.testing.formulas import safe_formulas, variable_types
from cep_core.testing.logs import Event, log_of
from cep_core.testing.naming import renamed
from cep_core.testing.signatures import ENDS, drawn_logs, drawn_points, schema_of, signatures

Answer = set[tuple[int, tuple[Value, ...]]]
Points = list[tuple[int, list[Event]]]


def evaluated(formula: Formula, log: PointLog, types: dict[str, AttributeType] | None = None) -> Answer:
    """The engine's answer; its relation is in normal form."""
    types = variable_types(formula) if types is None else types
    relation, texts = satisfied(formula, log, types)
    assert relation.variables == free_variables(formula)
    runs: dict[tuple[Value, ...], list[tuple[int, int]]] = {}
    columns = [
        [texts.text(code) for code in column.tolist()] if types[name] is AttributeType.STRING else column.tolist()
        for name, column in zip(relation.variables, relation.columns, strict=True)
    ]
    for row in range(relation.rows):
        values = tuple(plain(column[row]) for column in columns)
        runs.setdefault(values, []).append((int(relation.begin[row]), int(relation.end[row])))
    for spans in runs.values():
        ends = [place for span in sorted(spans) for place in span]
        assert all(first < second for first, second in pairwise(ends)), "no normal form"
    return {(point, values) for values, spans in runs.items() for begin, end in spans for point in range(begin, end)}


def defined(formula: Formula, log: PointLog) -> Answer:
    """The definition's answer. Examples in which a term has no value are left out."""
    try:
        answer = satisfactions(formula, log, variable_types(formula))
    except ArithmeticError:
        event("a term has no value")
        assume(False)
    event("some rows" if answer else "no rows")
    return answer


@given(st.data())
def test_the_engine_says_what_the_definition_says(data: st.DataObject) -> None:
    schema = data.draw(signatures())
    formula = data.draw(safe_formulas(schema, depth=data.draw(st.sampled_from([2, 3, 4, 1]))))
    log = data.draw(drawn_logs(schema))
    assert evaluated(formula, log) == defined(formula, log)


@given(st.data())
def test_and_at_the_ends_of_all_types(data: st.DataObject) -> None:
    schema = data.draw(signatures())
    formula = data.draw(safe_formulas(schema, depth=2, computing=False, ends=True))
    log = data.draw(drawn_logs(schema, ends=True))
    assert evaluated(formula, log) == defined(formula, log)


NUMBERS = schema_of(P="if")
whole_numbers: st.SearchStrategy[Term] = st.recursive(
    st.sampled_from([Variable("i"), *map(Constant, ENDS[AttributeType.INT])])
    | st.sampled_from([Variable("f"), *map(Constant, ENDS[AttributeType.FLOAT])]).map(lambda term: Call("f2i", term)),
    lambda parts: (
        st.builds(Minus, parts) | st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "/", "MOD"]), parts, parts)
    ),
    max_leaves=3,
)


@given(whole_numbers, drawn_logs(NUMBERS, ends=True, nulls=False))
def test_a_term_has_no_value_for_both(term: Term, log: PointLog) -> None:
    """Overflow and division by zero are errors."""
    numbers = Predicate("P", (Variable("i"), Variable("f")), ("i_1", "f_2"))
    formula = And(numbers, Comparison("=", Variable("j"), term))
    try:
        answer = satisfactions(formula, log)
    except ArithmeticError:
        event("no value")
        with pytest.raises(EvaluationError):
            evaluated(formula, log)
    else:
        assert evaluated(formula, log) == answer


def test_an_aggregation_of_a_constant() -> None:
    """All rows share the one value of `x = 7`; where nothing holds there is another."""
    seven = And(Comparison("=", Variable("i"), Constant(7)), Predicate("P", (), ()))
    formula = Aggregation(Variable("j"), "MIN", Variable("i"), (), seven)
    log = log_of([(1, []), (2, [("P", 1, 0.5)])], NUMBERS)
    assert evaluated(formula, log) == {(0, (0,)), (1, (7,))}
    assert evaluated(Aggregation(Variable("j"), "MIN", Variable("i"), (), seven.left), log) == {(0, (7,)), (1, (7,))}


TP = Predicate("tp", (Variable("i"),), ("tp",))
TS = Predicate("ts", (Variable("j"),), ("ts",))
BOTH = Predicate("tpts", (Variable("i"), Variable("j")), ("tp", "ts"))


CLOCKED = [
    TP,
    And(TP, TS),
    Next(ANY_TIME, BOTH),  # of the last point: the closing point's
    Next(ANY_TIME, Once(ANY_TIME, TS)),
    Prev(Interval(1), BOTH),
    Since(Interval(0, 3), Not(TS), Predicate("tpts", (Constant(1), Variable("j")), ("tp", "ts"))),
    Aggregation(Variable("i"), "MAX", Variable("j"), (), Once(Interval(2, 9), TS)),
    Exists(("j1",), And(Predicate("tpts", (Variable("j1"), Variable("j1")), ("tp", "ts")), TS)),
]


@given(st.sampled_from(CLOCKED), drawn_points(NUMBERS))
def test_the_clock_of_the_log(formula: Formula, points: Points) -> None:
    log = log_of(points, NUMBERS)
    assert evaluated(formula, log) == satisfactions(formula, log)


@given(st.data())
def test_a_text_says_what_its_formula_says(data: st.DataObject) -> None:
    """From text to answer: sugar, LET and rewriting change no meaning (F3, B2, B4)."""
    schema = data.draw(signatures())
    formula = data.draw(safe_formulas(schema, depth=3, sugar=True))
    log = data.draw(drawn_logs(schema))
    policy = bound(formula, schema)
    answer = defined(formula, log)
    assert satisfactions(policy.formula, log, variable_types(policy.formula)) == answer
    assert tuple(policy.variables) == free_variables(formula)
    assert evaluated_policy(policy, log) == answer


def bound(formula: Formula, schema: LogSchema) -> Policy:
    text = formula_text(formula)
    return bind_written(parse(text, "drawn.mfotl"), schema, text, "drawn.mfotl")


def evaluated_policy(policy: Policy, log: PointLog) -> Answer:
    """The answer in the order of the policy's variables."""
    names = free_variables(policy.core)
    places = [names.index(name) for name in policy.variables]
    types = {**variable_types(policy.core), **policy.variables}
    return {(point, tuple(values[place] for place in places)) for point, values in evaluated(policy.core, log, types)}


@given(st.data())
def test_only_differences_of_stamps_matter(data: st.DataObject) -> None:
    schema, formula, points = with_points(data)
    later = data.draw(st.sampled_from([1, -5, 2**62, -(2**62)]))
    moved = [(stamp + later, events) for stamp, events in points]
    assert answer_or_none(formula, log_of(moved, schema)) == answer_or_none(formula, log_of(points, schema))


@given(st.data())
def test_the_order_of_the_events_of_a_point_does_not_matter(data: st.DataObject) -> None:
    schema, formula, points = with_points(data)
    shuffled = [(stamp, data.draw(st.permutations(events))) for stamp, events in points]
    assert answer_or_none(formula, log_of(shuffled, schema)) == answer_or_none(formula, log_of(points, schema))


@given(st.data())
def test_names_of_variables_do_not_matter(data: st.DataObject) -> None:
    schema, formula, points = with_points(data)
    log = log_of(points, schema)
    names = {"i": "i_other", "j": "i", "s": "t", "t": "s", "f": "f_other"}
    assert answer_or_none(renamed(formula, names), log) == answer_or_none(formula, log)


@given(st.data())
def test_what_is_told_of_a_prefix_stays(data: st.DataObject) -> None:
    """F7, F8: the decided points of a prefix have the rows that they have in the whole log."""
    schema, formula, points = with_points(data)
    prefix = points[: data.draw(st.integers(0, len(points)))]
    log = log_of(prefix, schema)
    count = decided_points(formula, log.stamps, closed=False)
    event(f"{min(count, 3)} points decided")
    whole = answer_or_none(formula, log_of(points, schema))
    answered = answer_or_none(formula, log)
    assume(whole is not None and answered is not None)
    assert until_point(answered, count) == until_point(whole, count)


def with_points(data: st.DataObject) -> tuple[LogSchema, Formula, Points]:
    schema = data.draw(signatures())
    return schema, data.draw(safe_formulas(schema, depth=3)), data.draw(drawn_points(schema))


def answer_or_none(formula: Formula, log: PointLog) -> Answer | None:
    """None: a term has no value."""
    try:
        return evaluated(formula, log)
    except EvaluationError:
        return None


def until_point(answer: Answer | None, count: int) -> Answer:
    return {(point, values) for point, values in answer or set() if point < count}
