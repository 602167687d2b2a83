"""A text that is asked again over a bare table is bound once for each schema, unit and meaning of equal times, and
planned once for the settings it was asked with last."""

from __future__ import annotations

from itertools import product

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core import bound_log
from cep_core.compile import bind_text
from cep_core.events.table import log_schema_of
from cep_core.language.budget import Budget
from cep_core.language.errors import QueryError
from cep_core.language.settings import Settings

TEXT = "PATTERN SEQ(A a, B b) WHERE b.x > 1 WITHIN 1 minute"
LOGS = {
    "integers": {"event_type": ["A", "B", "B"], "ts": [0, 50, 60], "x": [0, 1, 2]},
    "floats": {"event_type": ["A", "B", "B"], "ts": [0, 50, 60], "x": [0.0, 1.5, 1.0]},
    "nulls": {"event_type": ["A", "B", "B"], "ts": [0, 50, 60], "x": [0, None, None]},
    "equal times": {"event_type": ["A", "B", "B"], "ts": [0, 0, 0], "x": [0, 2, 2]},
}


def asked(log: dict[str, list[object]], unit: str, ties: str) -> int:
    return cep.match(TEXT, pa.table(log), unit=unit, ties=ties).num_rows


def test_each_log_has_its_own_answer_whatever_was_asked_before() -> None:
    cases = list(product(LOGS, ("s", "min"), ("concurrent", "ordered")))
    alone = {}
    for name, unit, ties in cases:
        bound_log._bound.cache_clear()
        alone[name, unit, ties] = asked(LOGS[name], unit, ties)
    assert len(set(alone.values())) > 2
    for _ in range(2):
        assert {case: asked(LOGS[case[0]], *case[1:]) for case in cases} == alone
    assert bound_log._bound.cache_info().hits >= len(cases)


def test_a_log_without_the_attribute_is_refused_after_one_with_it() -> None:
    asked(LOGS["integers"], "s", "concurrent")
    without = {name: values for name, values in LOGS["integers"].items() if name != "x"}
    for _ in range(2):
        with pytest.raises(QueryError, match="x"):
            asked(without, "s", "concurrent")


def test_settings_that_differ_have_evaluators_of_their_own() -> None:
    bound = bind_text(TEXT, log_schema_of(pa.table(LOGS["integers"])))
    plain = bound.evaluator(Settings(budget=Budget()))
    assert bound.evaluator(Settings(budget=Budget())) is plain
    for settings in (Settings(collapsed=True), Settings(max_matches=0), Settings(budget=Budget(9))):
        assert bound.evaluator(settings) is not plain
        assert bound.evaluator() is not plain


def test_a_listener_to_spent_work_gets_what_its_own_question_spends() -> None:
    bound = bind_text(TEXT, log_schema_of(pa.table(LOGS["integers"])))
    heard: list[str] = []
    listeners = [Settings(budget=Budget(tell=lambda spent, name=name: heard.append(name))) for name in "ab"]
    assert listeners[0] == listeners[1]
    for settings in listeners:
        bound.evaluator(settings).settings.budget.tell(1)
    assert heard == ["a", "b"]


def test_a_text_asked_with_and_without_all_digits() -> None:
    text, log = "RETURN COUNT(*) PATTERN SEQ(A a, B b) WITHIN 100", pa.table(LOGS["integers"])
    for exact in (False, True, True, False):
        assert ("count_exact" in cep.aggregate(text, log, exact=exact).column_names) == exact
