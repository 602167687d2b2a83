"""Sums of doubles without error, from which values are also taken away, read out rounded once.

A total is a fixed-point number of 76 limbs of 32 bits, wide enough for 2^31 doubles of any size (a superaccumulator, as
in Kulisch's arithmetic). A limb is a signed word that takes carries only when the total is read. So what is entered and
taken away again leaves no trace, and the order of summands does not matter. Entering is 3 additions; reading takes as
many steps as limbs were used. Averages divide the exact total and round the quotient once.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from cep_core.arrays import Floats, Ints
from cep_core.inner_kernels import inner

LIMBS = 76
BASE = -1184
"""The exponent of the lowest bit. The lowest 3 limbs are for the bits of quotients."""
UNIT = -BASE // 32
"""The limb whose lowest bit is 1."""
_MASK = (1 << 32) - 1
_FRACTION = (1 << 52) - 1
_SPARE = 3


@njit(cache=True)
def enter(limbs: Ints, bits: int, sign: int) -> int:
    """Add a finite double, given by its bits, or take it away (sign -1). Gives the lowest of the 3 limbs it changes."""
    exponent = (bits >> 52) & 0x7FF
    fraction = bits & _FRACTION
    if exponent == 0:
        exponent = 1
    else:
        fraction |= 1 << 52
    if bits < 0:
        sign = -sign
    position = exponent - 1075 - BASE
    limb = position >> 5
    shift = position & 31
    low = (fraction & _MASK) << shift
    high = ((fraction >> 32) << shift) + (low >> 32)
    limbs[limb] += sign * (low & _MASK)
    limbs[limb + 1] += sign * (high & _MASK)
    limbs[limb + 2] += sign * (high >> 32)
    return limb


@njit(cache=True)
def rounded(limbs: Ints, low: int, high: int, divisor: int, scratch: Ints) -> float:
    """The total / divisor as the nearest double, ties to even. `low`, `high`: the limbs that may not be 0.

    `divisor` is from 1 to 2^31; `scratch`, as long as `limbs`, is all 0 before and after.
    """
    top, negative = _carried(limbs, low, high, scratch)
    bottom = low - _SPARE
    rest = np.int64(0)
    if divisor > 1:
        for i in range(top, bottom - 1, -1):
            part = (rest << 32) | scratch[i]
            scratch[i] = part // divisor
            rest = part % divisor
    while top > bottom and scratch[top] == 0:
        top -= 1
    length = 0
    while scratch[top] >> length:
        length += 1
    unit = max(32 * top + length - 53, -1074 - BASE)
    place, shift = unit >> 5, unit & 31
    whole = scratch[place] >> shift | scratch[place + 1] << (32 - shift)
    if shift:
        whole |= scratch[place + 2] << (64 - shift)
    half = (scratch[(unit - 1) >> 5] >> ((unit - 1) & 31)) & 1
    if half:
        below = rest != 0 or scratch[(unit - 1) >> 5] & ((1 << ((unit - 1) & 31)) - 1) != 0
        for i in range(bottom, (unit - 1) >> 5):
            below = below or scratch[i] != 0
        whole += below or whole & 1
    scratch[bottom : high + 4] = 0
    value = math.ldexp(float(whole), int(unit + BASE))
    return -value if negative else value


@inner
def _carried(limbs: Ints, low: int, high: int, scratch: Ints) -> tuple[int, bool]:
    """The total's size in `scratch`, each limb from 0 to 2^32 - 1; its highest limb; whether the total is negative."""
    carry = np.int64(0)
    for i in range(low, high + 1):
        carry += limbs[i]
        scratch[i] = carry & _MASK
        carry >>= 32
    scratch[high + 1] = carry & _MASK
    carry >>= 32
    scratch[high + 2] = carry & _MASK
    carry >>= 32
    if carry < 0:
        borrow = np.int64(1)
        for i in range(low, high + 3):
            borrow += scratch[i] ^ _MASK
            scratch[i] = borrow & _MASK
            borrow >>= 32
    return high + 2, bool(carry < 0)


@njit(cache=True)
def float_totals(order: Ints, last: Ints, count: Ints, bits: Ints, divided: bool) -> Floats:
    """The sum, or if `divided` the average, of the doubles that hold in each step of a sweep; 0 where none holds.

    `bits`: the double of each row. Infinite values and NaN give what IEEE 754 says of their sum.
    """
    rows = bits.shape[0]
    totals = np.zeros(last.shape[0], np.float64)
    limbs = np.zeros(LIMBS, np.int64)
    scratch = np.zeros(LIMBS, np.int64)
    low, high = LIMBS, 0
    above, below, unordered = 0, 0, 0
    place = 0
    for step in range(last.shape[0]):
        while place <= last[step]:
            row = order[place]
            sign = 1
            if row >= rows:
                row -= rows
                sign = -1
            value = bits[row]
            if value << 1 == 0:
                pass  # a zero, which would widen the range of limbs
            elif (value >> 52) & 0x7FF != 0x7FF:
                limb = enter(limbs, value, sign)
                low, high = min(low, limb), max(high, limb + 2)
            elif value & _FRACTION:
                unordered += sign
            elif value > 0:
                above += sign
            else:
                below += sign
            place += 1
        if count[step] == 0:  # all that was entered has been taken away
            low, high = LIMBS, 0
        elif unordered or (above and below):
            totals[step] = np.nan
        elif above or below:
            totals[step] = np.inf if above else -np.inf
        elif low <= high:
            totals[step] = rounded(limbs, low, high, count[step] if divided else 1, scratch)
    return totals


@njit(cache=True)
def quotients(high: Ints, low: Ints, divisors: Ints) -> Floats:
    """(high * 2^32 + low) / divisor as the nearest doubles; `low` from 0 to 2^32 - 1, divisors from 1."""
    values = np.empty(high.shape[0], np.float64)
    limbs = np.zeros(LIMBS, np.int64)
    scratch = np.zeros(LIMBS, np.int64)
    for i in range(high.shape[0]):
        limbs[UNIT] = low[i]
        limbs[UNIT + 1] = high[i]
        values[i] = rounded(limbs, UNIT, UNIT + 1, divisors[i], scratch)
    return values
