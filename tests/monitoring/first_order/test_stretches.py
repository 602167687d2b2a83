"""Evaluation stretch by stretch says what evaluation of the whole log says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cep_core.language.temporal.formulas import And, Eventually, Formula, Not, Once, Prev
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.walk import free_variables
from cep_core.monitoring.first_order import stretches
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.stretches import satisfied_in_stretches, stretches_of
from cep_core.testing.formulas import safe_formulas, variable_types
from cep_core.testing.logs import log_of
from cep_core.testing.signatures import drawn_points, schema_of, signatures
from tests.monitoring.first_order.writing import atom

NEAR = Interval(0, 2)
SCHEMA = schema_of(P="i", Q="i")
LOG = log_of([(stamp, [("P", stamp % 3), ("Q", stamp % 2)]) for stamp in range(60)], SCHEMA)


@given(st.data())
def test_stretches_change_nothing(data: st.DataObject) -> None:
    schema = data.draw(signatures())
    formula = data.draw(safe_formulas(schema, depth=data.draw(st.sampled_from([1, 2, 3]))))
    log = log_of(data.draw(drawn_points(schema)), schema)
    types = variable_types(formula)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretches, "EVENTS", 2)
        patch.setattr(stretches, "AGAIN", 99)
        event(f"stretches: {min(len(stretches_of(log, formula)), 3)}")
        try:
            relation, own_texts = satisfied_in_stretches(formula, formula, log, types)
        except EvaluationError:
            with pytest.raises(EvaluationError):
                satisfied(formula, log, types)
            return
        whole, texts = satisfied(formula, log, types)
    assert relation.variables == whole.variables == free_variables(formula)
    assert rows(relation, own_texts, types) == rows(whole, texts, types)


def rows(relation: stretches.Relation, texts: stretches.Texts, types: dict[str, stretches.AttributeType]) -> list[str]:
    """The runs of a relation in normal form; values as text, since NaN is not equal to itself."""
    columns = [
        [texts.text(code) for code in column.tolist()] if types[name].value == "string" else column.tolist()
        for name, column in zip(relation.variables, relation.columns, strict=True)
    ]
    return sorted(map(repr, zip(*columns, relation.begin.tolist(), relation.end.tolist(), strict=True)))


def test_stretches_read_what_the_reach_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "EVENTS", 30)
    formula = And(Once(NEAR, atom("P", "x")), Not(Eventually(Interval(1, 3), atom("Q", "x"))))
    parts = stretches_of(LOG, formula)
    assert [(part.begin, part.end, part.first, part.last) for part in parts] == [
        (0, 15, 0, 18),
        (15, 30, 13, 33),
        (30, 45, 28, 48),
        (45, 60, 43, 60),
    ]


def test_a_reach_that_is_long_beside_the_log_has_fewer_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "EVENTS", 4)
    read = [len(stretches_of(LOG, Once(Interval(0, reach), atom("P", "x")))) for reach in (0, 4, 12, 40)]
    assert read == sorted(read, reverse=True)
    assert read[0] == 30
    assert read[-1] == 1


@pytest.mark.parametrize(
    "formula", [Once(ANY_TIME, atom("P", "x")), Prev(ANY_TIME, atom("P", "x"))], ids=["unbounded", "any point before"]
)
def test_without_a_bounded_reach_the_log_is_one(formula: Formula, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "EVENTS", 4)
    assert not stretches_of(LOG, formula)


def test_runs_that_go_on_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "EVENTS", 10)
    formula = Once(Interval(0, 4), atom("P", "x"))
    relation, _ = satisfied_in_stretches(formula, formula, LOG, {})
    assert len(stretches_of(LOG, formula)) > 5
    assert np.array_equal(np.sort(relation.end), [60, 60, 60])
