"""What the strategies of policies draw: every operator, names apart, logs with ties, empty points and gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.safety.refusals import UnsafeFormula
from cep_core.language.temporal.formulas import (
    Aggregation,
    Comparison,
    Exists,
    Forall,
    Formula,
    Let,
    Matches,
    Not,
    Once,
    Predicate,
    Release,
    Since,
    Trigger,
    Truth,
    Until,
)
from cep_core.language.temporal.terms import NOWHERE, Constant, Variable
from cep_core.language.temporal.text.written import WrittenPolicy
from cep_core.language.temporal.walk import free_variables, walk
from cep_core.testing.formulas import safe_formulas, unsafe_formulas, variable_types
from cep_core.testing.signatures import drawn_points, schema_of

SCHEMA = schema_of(P="ii", Q="is", R="f")
# Any example will do: the smallest costs more and says nothing more.
QUICK = settings(max_examples=5000, phases=[Phase.generate], database=None)

WANTED: dict[str, Callable[[Formula], bool]] = {
    **{kind.__name__: lambda part, kind=kind: isinstance(part, kind) for kind in (Truth, Forall, Trigger, Release)},  # type: ignore[misc]
    "repeated variable": lambda part: isinstance(part, Predicate) and part.arguments == (Variable("i"), Variable("i")),
    "constant": lambda part: isinstance(part, Predicate) and isinstance(part.arguments[0], Constant),
    "regexp in a text": lambda part: isinstance(part, Matches),
    "text in a text": lambda part: isinstance(part, Comparison) and part.operator == "SUBSTRING",
    "negated since": lambda part: isinstance(part, Since) and isinstance(part.left, Not),
    "negated until": lambda part: isinstance(part, Until) and isinstance(part.left, Not),
    "later than now": lambda part: isinstance(part, Since | Until) and part.interval.low > 0,
    "any time ago": lambda part: isinstance(part, Once) and not part.interval.is_bounded,
    "grouped median": lambda part: isinstance(part, Aggregation) and part.function == "MED" and part.groups != (),
    "definition in use": lambda part: (
        isinstance(part, Let)
        and any(isinstance(atom, Predicate) and atom.event_type == part.name for atom in walk(part.body))
    ),
}


@pytest.mark.parametrize("name", WANTED)
def test_formulas_have(name: str) -> None:
    schema = schema_of(P="s") if "text" in name else SCHEMA
    sugar = name in ("Forall", "Trigger", "Release", "definition in use")
    find(
        safe_formulas(schema, depth=3 if sugar else 2, sugar=sugar),
        lambda formula: any(map(WANTED[name], walk(formula))),
        settings=QUICK,
    )


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(lambda points: len({stamp for stamp, _ in points}) < len(points), id="ties"),
        pytest.param(lambda points: any(not events for _, events in points), id="empty points"),
        pytest.param(lambda points: bool(np.any(np.diff([stamp for stamp, _ in points]) >= 10)), id="gaps"),
        pytest.param(lambda points: any(None in event for _, events in points for event in events), id="nulls"),
        pytest.param(lambda points: points == [], id="no points"),
    ],
)
def test_logs_have(wanted: Callable[[Any], bool]) -> None:
    find(drawn_points(SCHEMA), wanted, settings=QUICK)


@given(safe_formulas(SCHEMA, sugar=True))
def test_no_name_is_bound_twice_or_both_free_and_bound(formula: Formula) -> None:
    bound: list[str] = []
    for part in walk(formula):
        match part:
            case Exists() | Forall():
                bound.extend(part.variables)
            case Let():
                bound.extend(part.parameters)
            case Aggregation():
                groups = {group.name for group in part.groups}
                bound.extend(name for name in free_variables(part.body) if name not in groups)
    assert len(set(bound)) == len(bound)
    assert not {*bound} & {*free_variables(formula)}
    assert {*bound, *free_variables(formula)} <= set(variable_types(formula))


def bound(formula: Formula, *, rewrite: bool) -> Policy:
    return bind_written(WrittenPolicy(formula, NOWHERE), SCHEMA, rewrite=rewrite)


@given(safe_formulas(SCHEMA), st.booleans())
def test_safe_formulas_are_accepted_with_and_without_rewriting(formula: Formula, rewrite: bool) -> None:
    assert tuple(bound(formula, rewrite=rewrite).variables) == free_variables(formula)


@given(unsafe_formulas(SCHEMA), st.booleans())
def test_unsafe_formulas_are_refused_with_and_without_rewriting(formula: Formula, rewrite: bool) -> None:
    with pytest.raises(UnsafeFormula):
        bound(formula, rewrite=rewrite)
