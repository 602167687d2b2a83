"""Expressions over the columns of a batch that mean to a worker what they mean to Spark: columns, constants,
comparisons, AND, OR, NOT, IN, IS NULL and the whole seconds, milliseconds and microseconds of a time stamp.

A null is unknown, as in SQL. NaN equals itself and is larger than any other number, as in Spark. Texts compare by their
bytes. No such expression fails on any value. Cost: vector operations of Arrow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Values: TypeAlias = pa.Array | pa.Scalar
"""A value for each row, or one for all of them."""


class Expression(Protocol):
    """A value for each row of a batch."""

    def of(self, rows: pa.RecordBatch) -> Values: ...


@dataclass(frozen=True)
class Column:
    """A column of the batch."""

    name: str

    def of(self, rows: pa.RecordBatch) -> Values:
        return rows[self.name]


@dataclass(frozen=True)
class Constant:
    """A value that no row changes."""

    value: int | float | str | bool | None
    type: pa.DataType

    def of(self, rows: pa.RecordBatch) -> Values:
        return pa.scalar(self.value, self.type)


@dataclass(frozen=True)
class Operation:
    """What an operator of `OPERATORS` makes of its arguments."""

    operator: str
    arguments: tuple[Expression, ...]

    def of(self, rows: pa.RecordBatch) -> Values:
        return OPERATORS[self.operator](*(argument.of(rows) for argument in self.arguments))


def in_rows(values: Values, rows: int) -> pa.Array:
    """A value for each row."""
    return pa.repeat(values, rows) if isinstance(values, pa.Scalar) else values


def _less(left: Values, right: Values) -> Any:
    if not pa.types.is_floating(left.type):
        return pc.less(left, right)
    return pc.or_kleene(pc.less(left, right), pc.and_kleene(pc.invert(pc.is_nan(left)), pc.is_nan(right)))


def _equal(left: Values, right: Values) -> Any:
    if not pa.types.is_floating(left.type):
        return pc.equal(left, right)
    return pc.or_kleene(pc.equal(left, right), pc.and_kleene(pc.is_nan(left), pc.is_nan(right)))


def _among(value: Values, *others: Values) -> Any:
    """Whether a value equals one of some others; unknown if it equals none and one of them is null."""
    same = _equal(value, others[0])
    for other in others[1:]:
        same = pc.or_kleene(same, _equal(value, other))
    return same


def _units(micros: int) -> Callable[[Values], Any]:
    """Whole units of so many microseconds since 1970, rounded down."""

    def units(stamps: Values) -> Any:
        numbers = stamps.cast(pa.int64())
        if isinstance(numbers, pa.Scalar):
            return pa.scalar(None if numbers.as_py() is None else numbers.as_py() // micros, pa.int64())
        whole = pc.fill_null(numbers, 0).to_numpy() // micros
        return pa.array(whole, mask=~np.asarray(pc.is_valid(numbers)))

    return units


OPERATORS: Mapping[str, Callable[..., Any]] = {
    "EqualTo": _equal,
    "LessThan": _less,
    "GreaterThan": lambda left, right: _less(right, left),
    "LessThanOrEqual": lambda left, right: pc.invert(_less(right, left)),
    "GreaterThanOrEqual": lambda left, right: pc.invert(_less(left, right)),
    "In": _among,
    "And": pc.and_kleene,
    "Or": pc.or_kleene,
    "Not": pc.invert,
    "IsNull": pc.is_null,
    "IsNotNull": pc.is_valid,
    "UnixSeconds": _units(1_000_000),
    "UnixMillis": _units(1_000),
    "UnixMicros": _units(1),
}
"""By Catalyst's names of them. Arguments of a comparison have one type."""
