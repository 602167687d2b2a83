"""OR, NOT and mixed terms between neighbours: the alternatives exclude each other, and together mean the condition."""

from __future__ import annotations

from itertools import product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from cep_core.events.schema import Ties
from cep_core.events.table import log_schema_of
from cep_core.language.errors import NotSupportedYet
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.text.parsing import parse_condition
from cep_core.language.patterns.tree import Which
from cep_core.trends.evaluator import TrendEvaluator
from cep_core.trends.plan.alternatives import Neighbours, TooMany
from cep_core.trends.reference import judge
from tests.ends import LARGEST, LEAST
from tests.trends.random_logs import logs, schema_of
from tests.trends.test_definition import expected, shown

COMPARISONS = (
    "A.x {} NEXT(A).x",
    "NEXT(A).y {} A.x",
    "NEXT(A).x - A.x {} 1",
    "A.x {} 1",
    "NEXT(A).y {} 2",
)
OTHERS = ("A.y IS NULL", "NEXT(A).x IN (0, 2)", "NEXT(A).x - A.x IN (0, 1)", "NEXT(A).y BETWEEN A.x AND A.x + 1")


@st.composite
def comparisons(draw: st.DrawFn) -> str:
    """A comparison between two neighbours, or of one neighbour with a constant."""
    return draw(st.sampled_from(COMPARISONS)).format(draw(st.sampled_from(["<", "<=", "=", "!=", ">", ">="])))


def conditions() -> st.SearchStrategy[str]:
    """Conditions between an event and its neighbour."""

    def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        joined = st.tuples(inner, st.sampled_from(["AND", "OR"]), inner)
        return joined.map(lambda three: f"({' '.join(three)})") | inner.map(lambda inner_text: f"NOT ({inner_text})")

    return st.recursive(comparisons() | st.sampled_from(OTHERS), joined, max_leaves=3)


@settings(max_examples=200, deadline=None)
@given(conditions(), st.sampled_from([(None, 0, 1, 2), (None, LEAST, 1, LARGEST)]))
def test_one_alternative_holds_where_the_condition_does(text: str, values: tuple[int | None, ...]) -> None:
    """No alternative holds if the condition is false or unknown. Values include NULL and the ends of 64 bits."""
    condition = parse_condition(text.replace("NEXT(A)", "B"))
    try:
        alternatives = Neighbours(lambda part: part.variable == "A", lambda part: True).alternatives(condition)
    except TooMany:
        reject()
    for first, second in product(product(values, values), repeat=2):
        events = {"x": first[0], "y": first[1]}, {"x": second[0], "y": second[1]}
        environment: Any = {("A", Which.EACH): events[0], ("B", Which.EACH): events[1]}
        holding = [all(judge(comparison, environment) for comparison in terms) for terms in alternatives]
        assert sum(holding) == bool(judge(condition, environment))


@settings(max_examples=80, deadline=None)
@given(conditions(), logs(most=7), st.sampled_from(["A+", "SEQ(A+, B)", "SEQ(A+, NOT C)"]), st.sampled_from(Ties))
def test_trends_are_those_of_the_definition(text: str, log: pa.Table, pattern: str, ties: Ties) -> None:
    """From the text of a query to its result, in overlapping windows."""
    where = f"(A.x > NEXT(A).x + 1 OR {text})"  # a condition on neighbours, in one conjunct
    written = f"RETURN COUNT(*), SUM(A.x), MIN(A.y) PATTERN {pattern} WHERE {where} WITHIN 6 SLIDE 2"
    query = bind(written, schema_of(log, ties))
    try:
        evaluator = TrendEvaluator(query)
    except NotSupportedYet:
        reject()  # too many alternatives
    assert shown(evaluator.merge(evaluator.evaluate(log)), query) == expected(query, log)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("A.y * NEXT(A).y > 3", "both of them on one side"),
        ("A.y + NEXT(A).y IS NULL", "both of them on one side"),
        (" AND ".join(f"(A.x < NEXT(A).x + {n} OR A.y > NEXT(A).y)" for n in range(6)), "so many alternatives"),
    ],
)
def test_what_is_no_comparison_of_neighbours(text: str, what: str) -> None:
    """Such conditions are refused by name."""
    log = pa.table({"event_type": ["A"], "ts": [1], "seq": [1], "x": [1], "y": [1.0]})
    with pytest.raises(NotSupportedYet, match=what):
        TrendEvaluator(bind(f"RETURN COUNT(*) PATTERN A+ WHERE {text} WITHIN 9", log_schema_of(log)))
