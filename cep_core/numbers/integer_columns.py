"""Exact integers as result columns (docs/language.md, Results; docs/architecture.md, Numbers).

A count or an integer sum is DECIMAL(38,0), null if it has more than 38 digits; another column always has its magnitude.
Averages and float sums are doubles, rounded once from exact integers. Numbers that fit a machine word are vectorised.
"""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.numbers.integers import Integers

DECIMAL = pa.decimal128(38, 0)
DECIMAL_LIMIT = 10**38
EXACT_DOUBLE = 1 << 53
"""Integers below this are doubles without rounding."""
LARGEST_SHIFT = 1000
"""An exact double may be divided by 2 to this power and stays in the normal range."""
LOG10_OF_2 = math.log10(2)


def decimals(values: Integers) -> pa.Array:
    """The values as DECIMAL(38,0), null for more than 38 digits."""
    words = np.empty((len(values), 2), np.int64)  # as Arrow stores them; its cast takes six times as long
    words[:, 0], words[:, 1] = values.small, values.small >> 63
    column = pa.Array.from_buffers(DECIMAL, len(values), [None, pa.py_buffer(words)])
    if not values.large:
        return column
    rows = sorted(values.large)
    mask = np.zeros(len(values), dtype=np.bool_)
    mask[rows] = True
    large = [values.large[row] for row in rows]
    fitting = [Decimal(value) if abs(value) < DECIMAL_LIMIT else None for value in large]
    return pc.replace_with_mask(column, pa.array(mask), pa.array(fitting, DECIMAL))


def logarithms(values: Integers, shifts: Ints | None = None) -> pa.Array:
    """log10 |value / 2**shift|, null at 0. The error is at most 1e-9, at any size.

    >>> logarithms(Integers.of([0, 1000, 10**400])).to_pylist()
    [None, 3.0, 400.0]
    """
    if shifts is not None and not shifts.any():
        shifts = None
    if shifts is not None:
        values, shifts = values.in_lowest_terms(shifts)
    magnitude = np.abs(values.small.astype(np.float64))
    nonzero = magnitude > 0
    column = np.log10(magnitude if nonzero.all() else np.where(nonzero, magnitude, 1.0))
    for row, value in values.large.items():
        column[row] = math.log10(abs(value))
        nonzero[row] = True
    if shifts is not None:
        column -= shifts * LOG10_OF_2
    return pa.array(column) if nonzero.all() else pa.array(column, pa.float64(), mask=~nonzero)


def signs(values: Integers) -> pa.Array:
    """The sign of each value: -1, 0 or 1."""
    column = np.sign(values.small).astype(np.int8)
    for row, value in values.large.items():
        column[row] = 1 if value > 0 else -1
    return pa.array(column, pa.int8())


def digits(values: Integers) -> pa.Array:
    """All digits of the values, as strings."""
    column = pa.array(values.small, pa.int64()).cast(pa.string())
    if not values.large:
        return column
    mask = np.zeros(len(values), dtype=np.bool_)
    mask[list(values.large)] = True
    # Decimal prints integers of any length; Python's own conversion refuses more than 4300 digits.
    large = [str(Decimal(values.large[row])) for row in sorted(values.large)]
    return pc.replace_with_mask(column, pa.array(mask), pa.array(large, pa.string()))


def quotients(dividends: Integers, divisors: Integers, shifts: Ints) -> pa.Array:
    """dividend / (divisor * 2**shift) as doubles, rounded once; null if the divisor is 0 or the result out of range.

    >>> quotients(Integers.of([1, 3 * 10**400, 5]), Integers.of([3, 10**400, 0]), np.zeros(3, np.int64)).to_pylist()
    [0.3333333333333333, 3.0, None]
    """
    defined = divisors.nonzero()
    exact = np.abs(dividends.small) < EXACT_DOUBLE
    exact &= (divisors.small < EXACT_DOUBLE) & (shifts < LARGEST_SHIFT)
    exact[list(dividends.large) + list(divisors.large)] = False
    column = np.ldexp(dividends.small.astype(np.float64), -np.minimum(shifts, LARGEST_SHIFT).astype(np.int32))
    column /= np.where(defined & exact, divisors.small, 1)
    for row in np.flatnonzero(defined & ~exact):
        try:
            column[row] = dividends[int(row)] / (divisors[int(row)] << int(shifts[row]))
        except OverflowError:
            defined[row] = False
    return pa.array(column, pa.float64(), mask=~defined)


def doubles(values: Integers, shifts: Ints) -> pa.Array:
    """value / 2**shift as doubles, rounded once; null if out of range."""
    return quotients(values, Integers(np.ones(len(values), dtype=np.int64)), shifts)
