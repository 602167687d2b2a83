"""What `check` warns about, and what `explain` says of silence."""

from __future__ import annotations

import pytest
from hypothesis import event, given

from cep_core.events.schema import Attribute, AttributeType, LogSchema, NamedCondition
from cep_core.language.propositional.bind.binding import bind_written
from cep_core.language.propositional.explain.explaining import explain_policy
from cep_core.language.propositional.explain.fixed import fixed_truth
from cep_core.language.propositional.explain.surprises import warnings_of
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.propositional.text.parsing import parse
from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.sugar import without_sugar
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.reference import truth
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces

SCHEMA = LogSchema(
    {"Leave": {"delay": Attribute("delay", AttributeType.INT), "gate": Attribute("gate", AttributeType.STRING)}},
    conditions={
        "late": NamedCondition("Leave", "delay >= 60"),
        "never": NamedCondition("Leave", "delay >= 60 AND delay < 5"),
        "nowhere": NamedCondition("Leave", "gate = 'A' AND (delay > 3 OR delay < 9) AND gate = 'B'"),
        "unknown": NamedCondition("Leave", "gate IS NULL AND gate = 'A'"),
    },
)


def bound(text: str) -> PropositionalPolicy:
    return bind_written(parse(text), SCHEMA, text)


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        ("late IMPLIES ONCE Leave", []),
        ("TRUE", ["the formula names no atom: no event changes its verdicts"]),
        ("late", ["a point without any of the atoms breaks the policy: silence is a violation"]),
        ("never IMPLIES nowhere", [f"no event can meet the condition of '{name}'" for name in ("never", "nowhere")]),
        ("NOT unknown", ["no event can meet the condition of 'unknown'"]),
        ("late IMPLIES (Leave IMPLIES late)", ["the policy holds at every point, whatever happens"]),
        ("(ONCE late) AND NOT ONCE late", ["the policy is violated by every point, whatever happens"]),
    ],
)
def test_what_check_warns_about(text: str, warnings: list[str]) -> None:
    assert warnings_of(bound(text)) == warnings


@given(propositional_formulas(sugar=True, depth=3), drawn_traces(stamps=4, rate=2))
def test_what_is_said_to_be_fixed_is_so_on_every_log(formula: Formula, trace: Trace) -> None:
    fixed = fixed_truth(without_sugar(formula))
    event("open" if fixed is None else "fixed")
    if fixed is not None:
        assert set(truth(formula, trace).tolist()) <= {fixed}


def test_merged_points_are_told() -> None:
    [warning] = warnings_of(bound("late IMPLIES PREV Leave"))
    assert "with time.points by_timestamp, events of one time are one point, and by_event tells them apart" in warning


def test_explain_says_what_silence_means() -> None:
    assert "where no atom ever holds, it is true" in str(explain_policy(bound("NOT late"), ()))
    assert "where no atom ever holds, it is false" in str(explain_policy(bound("late"), ()))
