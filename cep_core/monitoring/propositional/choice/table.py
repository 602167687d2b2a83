"""The kernels that evaluate operators, in one table: which operator each takes, and its cost.

Another choice changes the cost and never the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Bits
from cep_core.language.temporal.formulas import (
    And,
    Eventually,
    Formula,
    Next,
    Not,
    Once,
    Or,
    Prev,
    Since,
    Truth,
    Until,
)
from cep_core.monitoring.propositional.arrays.columns import PointColumns
from cep_core.monitoring.propositional.kernels.carries import since_within, until_within
from cep_core.monitoring.propositional.kernels.neighbours import after, before, near_steps
from cep_core.monitoring.propositional.kernels.pointers import since_between, until_between

_ALL = np.uint64(2**64 - 1)
_Metric = Once | Since | Eventually | Until
_Temporal = Prev | Next | _Metric


@dataclass(frozen=True)
class ColumnKernel:
    """A way to evaluate an operator."""

    name: str
    words: str
    """What it does, in the words of `explain`."""
    order: str
    """Its cost in words. n: points."""
    takes: Callable[[Formula], bool]
    column: Callable[[Formula, Sequence[Bits], PointColumns], Bits]
    """The column of an operator from those of its operands."""


def chosen(formula: Formula) -> ColumnKernel:
    """The kernel of an operator of a core formula."""
    for kernel in KERNELS:
        if kernel.takes(formula):
            return kernel
    raise TypeError(f"{type(formula).__name__} is no operator of a propositional policy")


def _nowhere(formula: Formula, parts: Sequence[Bits], columns: PointColumns) -> Bits:
    return np.zeros(columns.words, np.uint64)


def _in_words(formula: Formula, parts: Sequence[Bits], columns: PointColumns) -> Bits:
    match formula:
        case Not():
            return ~parts[0]
        case And():
            return parts[0] & parts[1]
        case Or():
            return parts[0] | parts[1]
    assert isinstance(formula, Truth)
    return np.full(columns.words, _ALL if formula.value else 0, np.uint64)


def _shifted(formula: Formula, parts: Sequence[Bits], columns: PointColumns) -> Bits:
    assert isinstance(formula, Prev | Next)
    near = near_steps(columns.times, columns.first, *columns.bounds(formula.interval))
    return before(parts[0]) & near if isinstance(formula, Prev) else after(parts[0] & near)


def _carried(formula: Formula, parts: Sequence[Bits], columns: PointColumns) -> Bits:
    assert isinstance(formula, _Metric)
    _, high = columns.bounds(formula.interval)
    left, right = _sides(parts)
    if isinstance(formula, Once | Since):
        return since_within(left, right, columns.first, columns.of_words, high)
    return until_within(left, right, columns.last, columns.of_words, high)


def _pointed(formula: Formula, parts: Sequence[Bits], columns: PointColumns) -> Bits:
    assert isinstance(formula, _Metric)
    between = since_between if isinstance(formula, Once | Since) else until_between
    left, right = map(columns.at_places, _sides(parts))
    held = np.empty(columns.places, np.bool_)
    between(left, right, columns.starts, columns.times, columns.bounds(formula.interval), held)
    return columns.column(held)


def _sides(parts: Sequence[Bits]) -> tuple[Bits, Bits]:
    """Both operands; ONCE and EVENTUALLY have TRUE on the left."""
    return (np.full_like(parts[0], _ALL), parts[0]) if len(parts) == 1 else (parts[0], parts[1])


KERNELS = (
    ColumnKernel(
        "nowhere",
        "an empty interval",
        "O(1)",
        lambda formula: isinstance(formula, _Temporal) and formula.interval.is_empty,
        _nowhere,
    ),
    ColumnKernel(
        "words", "64 points in an operation", "O(n / 64)", lambda f: isinstance(f, Truth | Not | And | Or), _in_words
    ),
    ColumnKernel("shift", "a shift by one point", "O(n)", lambda formula: isinstance(formula, Prev | Next), _shifted),
    ColumnKernel(
        "carry",
        "carries over runs of points, 64 points in an operation",
        "O(n / 64) where words are short in time, else O(n)",
        lambda formula: isinstance(formula, _Metric) and formula.interval.low == 0,
        _carried,
    ),
    ColumnKernel(
        "pointers",
        "two monotone pointers over the points",
        "O(n)",
        lambda formula: isinstance(formula, _Metric),
        _pointed,
    ),
)
"""The first one that takes an operator evaluates it."""
