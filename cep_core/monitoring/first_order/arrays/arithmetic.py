"""Arithmetic of columns: exact in int64, where a result that does not fit is flagged, and IEEE 754 in doubles.

Division of integers truncates toward zero and MOD has the sign of its left side, as in MonPoly. A division of doubles
by zero is infinite or NaN. Each function gives the results and flags of the rows that have none. O(rows), no loop.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Flags, Floats, Ints
from cep_core.monitoring.first_order.arrays.relation import Column

LOWEST = np.int64(np.iinfo(np.int64).min)
SURE = 2.0**62
"""Products below this, as doubles, fit int64 whatever was rounded."""


def computed(operator: str, left: Column, right: Column) -> tuple[Column, Flags]:
    """`left operator right` for + - * / MOD, and the rows without a result.

    >>> computed("/", np.array([-7, 7]), np.array([2, 0]))
    (array([-3,  0]), array([False,  True]))
    """
    if left.dtype == np.int64:
        return _INTEGERS[operator](left.astype(np.int64, copy=False), right.astype(np.int64, copy=False))
    with np.errstate(all="ignore"):
        result: Floats = _FLOATS[operator](left, right).astype(np.float64, copy=False)
    return result, np.zeros(len(result), np.bool_)


def negated(column: Column) -> tuple[Column, Flags]:
    """`- column`, and the rows without a result."""
    if column.dtype == np.int64:
        return _difference(np.zeros_like(column), column)
    return -column, np.zeros(len(column), np.bool_)


def truncated(floats: Column) -> tuple[Ints, Flags]:
    """Doubles without their fraction as integers; those that int64 cannot hold are flagged, NaN among them."""
    lost = ~((floats >= -(2.0**63)) & (floats < 2.0**63))
    return np.where(lost, 0.0, floats).astype(np.int64), lost


def _sum(left: Ints, right: Ints) -> tuple[Ints, Flags]:
    total = left + right
    return total, ((left ^ total) & (right ^ total)) < 0


def _difference(left: Column, right: Column) -> tuple[Ints, Flags]:
    total: Ints = (left - right).astype(np.int64, copy=False)
    return total, ((left.astype(np.int64) ^ right.astype(np.int64)) & (left.astype(np.int64) ^ total)) < 0


def _product(left: Ints, right: Ints) -> tuple[Ints, Flags]:
    product = left * right
    lost = np.abs(left.astype(np.float64) * right.astype(np.float64)) >= SURE
    rows = np.flatnonzero(lost)
    a, b, c = left[rows], right[rows], product[rows]  # none of a and b is 0
    turned = (a == -1) | (b == -1)
    divisor = np.where(turned, 1, a)
    wrong = (c // divisor != b) | (c % divisor != 0)
    lost[rows] = np.where(turned, (a == LOWEST) | (b == LOWEST), wrong)
    return product, lost


def _quotient(left: Ints, right: Ints) -> tuple[Ints, Flags]:
    lost = (right == 0) | ((left == LOWEST) & (right == -1))
    dividend, divisor = np.where(lost, 0, left), np.where(lost, 1, right)
    floor = dividend // divisor
    inexact = floor * divisor != dividend
    return floor + (inexact & ((dividend < 0) != (divisor < 0))), lost


def _rest(left: Ints, right: Ints) -> tuple[Ints, Flags]:
    lost = right == 0
    divisor = np.where(lost | (right == -1), 1, right)  # the lowest integer MOD -1 is 0, but a processor refuses it
    return np.fmod(left, divisor), lost


_INTEGERS = {"+": _sum, "-": _difference, "*": _product, "/": _quotient, "MOD": _rest}
_FLOATS: dict[str, np.ufunc] = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide, "MOD": np.fmod}
