"""Which kernel evaluates which operator."""

from __future__ import annotations

import pytest

from cep_core.language.temporal.formulas import (
    Eventually,
    Formula,
    Next,
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
from cep_core.monitoring.propositional.choice.table import KERNELS, chosen

P = Predicate("p")
CHOICES: list[tuple[Formula, str]] = [
    (Truth(True), "words"),
    (Not(P), "words"),
    (Or(P, P), "words"),
    (Prev(ANY_TIME, P), "shift"),
    (Next(Interval(2, 3), P), "shift"),
    (Once(Interval(0, 7), P), "carry"),
    (Eventually(ANY_TIME, P), "carry"),
    (Since(ANY_TIME, P, P), "carry"),
    (Until(Interval(1, 7), P, P), "pointers"),
    (Once(Interval(1), P), "pointers"),
    (Until(Interval(3, 2), P, P), "nowhere"),
    (Next(Interval(3, 2), P), "nowhere"),
]


@pytest.mark.parametrize(("formula", "name"), CHOICES, ids=str)
def test_the_first_kernel_that_takes_an_operator(formula: Formula, name: str) -> None:
    assert chosen(formula).name == name


def test_every_kernel_is_reached() -> None:
    assert {name for _, name in CHOICES} == {kernel.name for kernel in KERNELS}
