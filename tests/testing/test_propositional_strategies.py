"""What the strategies of propositional policies draw: every operator, deep nesting, ties, empty points, long gaps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import Phase, find, settings

from cep_core.language.temporal.formulas import (
    Always,
    Eventually,
    Formula,
    Next,
    Once,
    Prev,
    Release,
    Since,
    Trigger,
    Until,
)
from cep_core.language.temporal.walk import operands, walk
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.testing.propositional_formulas import propositional_formulas
from cep_core.testing.traces import drawn_traces

QUICK = settings(max_examples=5000, phases=[Phase.generate], database=None)


def depth(formula: Formula) -> int:
    return max((1 + depth(part) for part in operands(formula)), default=0)


def has(formula: Formula, kind: type[Formula], within: type[Formula]) -> bool:
    return any(isinstance(part, within) and any(isinstance(p, kind) for p in walk(part)) for part in walk(formula))


FORMULAS: dict[str, Callable[[Formula], bool]] = {
    "four deep": lambda formula: depth(formula) == 4,
    "past in future": lambda formula: has(formula, Since, Until),
    "future in past": lambda formula: has(formula, Until, Since),
    "later than now": lambda formula: isinstance(formula, Until) and formula.interval.low > 0,
    "any time ago": lambda formula: isinstance(formula, Since) and formula.interval.high is None,
    "neighbours": lambda formula: has(formula, Prev, Next),
    "windows": lambda formula: has(formula, Once, Eventually),
}
SUGARED: dict[str, Callable[[Formula], bool]] = {
    "duals": lambda formula: has(formula, Trigger, Release),
    "always": lambda formula: isinstance(formula, Always),
}
TRACES: dict[str, Callable[[Trace], bool]] = {
    "twenty points of one stamp": lambda trace: trace.points > 19 and bool(np.unique(trace.stamps[:20]).size == 1),
    "a point without atoms": lambda trace: bool(trace.points and not np.any([*trace.atoms.values()], axis=0).all()),
    "a gap longer than any interval": lambda trace: len(trace.starts) == 2 and bool((np.diff(trace.stamps) > 12).any()),
    "three sub-logs": lambda trace: len(trace.starts) == 4 and bool((np.diff(trace.starts) > 0).all()),
    "a log without points": lambda trace: trace.points == 0,
}


@pytest.mark.parametrize("wanted", FORMULAS.values(), ids=FORMULAS)
def test_formulas(wanted: Callable[[Formula], bool]) -> None:
    find(propositional_formulas(), wanted, settings=QUICK)


@pytest.mark.parametrize("wanted", SUGARED.values(), ids=SUGARED)
def test_formulas_with_sugar(wanted: Callable[[Formula], bool]) -> None:
    find(propositional_formulas(sugar=True, depth=2), wanted, settings=QUICK)


@pytest.mark.parametrize("wanted", TRACES.values(), ids=TRACES)
def test_traces(wanted: Callable[[Trace], bool]) -> None:
    find(drawn_traces(logs=3), wanted, settings=QUICK)


def test_stamps_at_both_ends() -> None:
    ends = find(drawn_traces(ends=True), lambda trace: trace.points > 1, settings=QUICK)
    assert ends.stamps.min() == -(2**63)
    assert ends.stamps.max() == 2**63 - 1
