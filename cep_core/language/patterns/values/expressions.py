"""Expressions over columns: SQL's three-valued logic, a whole column at a time (`docs/language.md` 1).

A reference names a column of the table; its variable is ignored. So an engine can evaluate each side of an edge
predicate on the events that may be bound there. As in Spark, NaN equals NaN and exceeds every number. Time and memory
are linear in rows and in the size of the expression.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.chunks import one_array
from cep_core.language.patterns.tree import (
    Arithmetic,
    Between,
    Comparison,
    Expression,
    In,
    IsNull,
    Like,
    Literal,
    Logical,
    Negation,
    Negative,
    Reference,
    Scalar,
    WholeSum,
)
from cep_core.language.patterns.values.exact_order import EXACT, in_one_order

_COMPARE: dict[str, Callable[[pa.Array, pa.Array], pa.Array]] = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
_PLAIN = frozenset(kind.id for kind in (pa.int64(), pa.float64(), pa.string(), pa.bool_()))
"""The types that values are computed in."""
_OF_NAN: dict[str, Callable[[pa.Array, pa.Array], pa.Array]] = {
    "=": pc.and_,
    "!=": pc.xor,
    "<": lambda left, right: pc.and_not(right, left),
    "<=": lambda left, right: right,
    ">": pc.and_not,
    ">=": lambda left, right: left,
}
"""Comparisons in which some side is NaN; the arguments say which sides are."""
_COMPUTE = {
    "+": (pc.add_checked, int.__add__),
    "-": (pc.subtract_checked, int.__sub__),
    "*": (pc.multiply_checked, int.__mul__),
}


def evaluate(expression: Expression, table: pa.Table) -> pa.Array:
    """One value for each row: bool, int64, double or string; null where unknown.

    An integer result beyond 64 bits is null, as is a division by zero; `/` gives a double; `%` has the sign of its left
    side. Raises KeyError for a column that the table lacks.

    >>> from cep_core.language.patterns.text.parsing import parse_condition
    >>> table = pa.table({"x": [1, 5, None]})
    >>> evaluate(parse_condition("x > 3 OR x IS NULL"), table).to_pylist()
    [False, True, True]
    >>> evaluate(parse_condition("NOT x > 3"), table).to_pylist()
    [True, False, None]
    """
    result = _evaluate(expression, table)
    if isinstance(result, pa.Scalar):
        return pa.repeat(result, table.num_rows)
    return one_array(result)


def holds(expression: Expression, table: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """A mask of the rows in which a condition is true, not false or unknown."""
    truth = _truth(evaluate(expression, table))
    known = truth.fill_null(False) if truth.null_count else truth
    mask: np.ndarray[tuple[int], np.dtype[np.bool_]] = known.to_numpy(zero_copy_only=False)
    return mask


def column(table: pa.Table, name: str) -> pa.Array:
    """An attribute's column as int64, double, string or bool, from any stored width or encoding."""
    values = one_array(table.column(name))
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)
    return plain(values)


def plain(values: pa.Array) -> pa.Array:
    """The values as int64, double, string or bool, from any stored width or encoding. No copy if they are so stored."""
    stored = values.type
    if stored.id in _PLAIN:
        return values
    if pa.types.is_dictionary(stored):
        values = values.dictionary_decode()
        stored = values.type
    if pa.types.is_integer(stored) and stored != pa.int64():
        return values.cast(pa.int64())
    if pa.types.is_floating(stored) and stored != pa.float64():
        return values.cast(pa.float64())
    if pa.types.is_large_string(stored) or pa.types.is_string_view(stored):
        return values.cast(pa.string())
    return values


def _evaluate(expression: Expression, table: pa.Table) -> pa.Array | pa.Scalar:
    match expression:
        case Literal():
            return _scalar(expression.value)
        case Reference():
            return column(table, expression.attribute)
        case Negative():
            return _arithmetic("-", pa.scalar(0, pa.int64()), _evaluate(expression.operand, table))
        case Arithmetic():
            return _arithmetic(
                expression.operator, _evaluate(expression.left, table), _evaluate(expression.right, table)
            )
        case WholeSum():
            return _whole_sum(expression, table)
        case Comparison():
            return _compare(expression.operator, _evaluate(expression.left, table), _evaluate(expression.right, table))
        case Logical():
            combine = pc.and_kleene if expression.operator == "and" else pc.or_kleene
            return reduce(combine, [_truth(_evaluate(operand, table)) for operand in expression.operands])
        case Negation():
            return pc.invert(_truth(_evaluate(expression.operand, table)))
        case In():
            operand = _evaluate(expression.operand, table)
            return reduce(pc.or_kleene, [_compare("=", operand, _scalar(value.value)) for value in expression.values])
        case Between():
            operand = _evaluate(expression.operand, table)
            low, high = _evaluate(expression.low, table), _evaluate(expression.high, table)
            return pc.and_kleene(_compare(">=", operand, low), _compare("<=", operand, high))
        case Like():
            operand = _evaluate(expression.operand, table)
            text = operand.cast(pa.string()) if pa.types.is_null(operand.type) else operand
            return pc.match_like(text, expression.pattern)
        case IsNull() if expression.operand is not None:
            return pc.is_null(_evaluate(expression.operand, table))
    raise TypeError(f"{type(expression).__name__} is not an expression over one event")


def _scalar(value: Scalar) -> pa.Scalar:
    return pa.scalar(value)


def _truth(value: pa.Array | pa.Scalar) -> pa.Array | pa.Scalar:
    return value.cast(pa.bool_()) if pa.types.is_null(value.type) else value


def _compare(operator: str, left: pa.Array | pa.Scalar, right: pa.Array | pa.Scalar) -> pa.Array | pa.Scalar:
    if pa.types.is_null(left.type) or pa.types.is_null(right.type):
        shape = left if isinstance(left, pa.Array) else right
        return pa.nulls(len(shape), pa.bool_()) if isinstance(shape, pa.Array) else pa.scalar(None, pa.bool_())
    left, right = _comparable(left, right)
    if _has_nan(left) or _has_nan(right):
        left_nan, right_nan = pc.is_nan(left), pc.is_nan(right)
        return pc.if_else(
            pc.or_(left_nan, right_nan), _OF_NAN[operator](left_nan, right_nan), _COMPARE[operator](left, right)
        )
    return _COMPARE[operator](left, right)


def _comparable(
    left: pa.Array | pa.Scalar, right: pa.Array | pa.Scalar
) -> tuple[pa.Array | pa.Scalar, pa.Array | pa.Scalar]:
    """Both sides in one type that keeps their order. Integers may be rounded beside a constant below 2**53."""
    if left.type == right.type:
        return left, right
    constants = [side.as_py() for side in (left, right) if isinstance(side, pa.Scalar)]
    decimal = pa.types.is_decimal(left.type) or pa.types.is_decimal(right.type)
    if len(constants) == 1 and not decimal and _may_round_beside(constants[0]):
        return _alike(left, right)
    left_column, right_column = in_one_order(*_arrays(left, right))
    return (left_column[0], right_column[0]) if len(constants) == 2 else (left_column, right_column)


def _may_round_beside(constant: Scalar) -> bool:
    """Whether integers that become doubles still compare correctly with a constant."""
    if not isinstance(constant, int | float):
        return True
    return not math.isfinite(constant) or -EXACT < constant < EXACT


def _alike(
    left: pa.Array | pa.Scalar, right: pa.Array | pa.Scalar
) -> tuple[pa.Array | pa.Scalar, pa.Array | pa.Scalar]:
    """Converts integers to the nearest double for a calculation with doubles."""
    if left.type == right.type or not (pa.types.is_floating(left.type) or pa.types.is_floating(right.type)):
        return left, right
    return _double(left), _double(right)


def _double(value: pa.Array | pa.Scalar) -> pa.Array | pa.Scalar:
    return value.cast(pa.float64(), safe=False)


def _has_nan(value: pa.Array | pa.Scalar) -> bool:
    return pa.types.is_floating(value.type) and pc.any(pc.is_nan(value)).as_py() is True


def _arithmetic(operator: str, left: pa.Array | pa.Scalar, right: pa.Array | pa.Scalar) -> pa.Array | pa.Scalar:
    left, right = (value.cast(pa.int64()) if pa.types.is_null(value.type) else value for value in (left, right))
    left, right = _alike(left, right)
    if operator in ("/", "%"):
        if operator == "/":
            left, right = _double(left), _double(right)
        zero = pa.scalar(0).cast(right.type)
        right = pc.if_else(pc.equal(right, zero), pa.scalar(None, right.type), right)
        return pc.divide(left, right) if operator == "/" else _remainder(left, right)
    checked, exact = _COMPUTE[operator]
    try:
        return checked(left, right)
    except pa.ArrowInvalid:
        return _beyond_64_bits(exact, left, right)


def _whole_sum(expression: WholeSum, table: pa.Table) -> pa.Array | pa.Scalar:
    """The sum in 64 bits if it fits in all rows, else as decimals."""
    evaluated = [(_evaluate(term, table), minus) for term, minus in expression.terms]
    numbers = [(value.cast(pa.int64()) if pa.types.is_null(value.type) else value, minus) for value, minus in evaluated]
    numbers.sort(key=lambda number: number[1])  # `x` rather than `0 + x`, which would be one more pass
    if expression.limit or not numbers or numbers[0][1]:
        numbers.insert(0, (pa.scalar(expression.limit, pa.int64()), False))
    try:
        return _total(numbers, lambda sum_so_far: sum_so_far)
    except pa.ArrowInvalid:
        return _total([(number.cast(pa.decimal128(19, 0)), minus) for number, minus in numbers], _decimal)


def _total(
    numbers: list[tuple[pa.Array | pa.Scalar, bool]], kept: Callable[[pa.Array | pa.Scalar], pa.Array | pa.Scalar]
) -> pa.Array | pa.Scalar:
    total = kept(numbers[0][0])
    for number, minus in numbers[1:]:
        total = kept(pc.subtract_checked(total, number) if minus else pc.add_checked(total, number))
    return total


def _decimal(total: pa.Array | pa.Scalar) -> pa.Array | pa.Scalar:
    """A decimal type with room for one more addition."""
    return total.cast(pa.decimal128(37, 0))


def _remainder(left: pa.Array | pa.Scalar, right: pa.Array | pa.Scalar) -> pa.Array | pa.Scalar:
    """The remainder with the sign of `left`; null where either is null."""
    left_column, right_column = _arrays(left, right)
    missing = pc.or_(pc.is_null(left_column), pc.is_null(right_column)).to_numpy(zero_copy_only=False)
    dividend = pc.fill_null(left_column, pa.scalar(0).cast(left_column.type)).to_numpy(zero_copy_only=False)
    divisor = pc.fill_null(right_column, pa.scalar(1).cast(right_column.type)).to_numpy(zero_copy_only=False)
    with np.errstate(invalid="ignore"):
        result = pa.array(np.fmod(dividend, divisor), mask=missing)
    return result if isinstance(left, pa.Array) or isinstance(right, pa.Array) else result[0]


def _beyond_64_bits(
    exact: Callable[[int, int], int], left: pa.Array | pa.Scalar, right: pa.Array | pa.Scalar
) -> pa.Array | pa.Scalar:
    """The operation for columns in which some row overflows: null in those rows. Rare, so done row by row."""
    left_column, right_column = _arrays(left, right)
    pairs = zip(left_column.to_pylist(), right_column.to_pylist(), strict=True)
    exactly = [None if a is None or b is None else exact(a, b) for a, b in pairs]
    result = pa.array([r if r is not None and -(2**63) <= r < 2**63 else None for r in exactly], pa.int64())
    return result if isinstance(left, pa.Array) or isinstance(right, pa.Array) else result[0]


def _arrays(left: pa.Array | pa.Scalar, right: pa.Array | pa.Scalar) -> tuple[pa.Array, pa.Array]:
    """Both sides as columns of one length; of length 1 if both are constants."""
    length = next((len(value) for value in (left, right) if isinstance(value, pa.Array)), 1)
    left_column, right_column = (
        value if isinstance(value, pa.Array) else pa.repeat(value, length) for value in (left, right)
    )
    return left_column, right_column
