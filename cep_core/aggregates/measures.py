"""The number that one event adds to a total: 1, or a value of its attribute, as an integer >= 0 in 32-bit limbs.

Totals are exact for every attribute. Negative values add to a total of their own, which is subtracted at the end. A
double is an integer divided by a power of two; all doubles of a column use the same power, the *shift*. NULLs add
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Bits, Floats
from cep_core.events.arrow_types import in_type
from cep_core.numbers.codes import unknown
from cep_core.numbers.limb_words import LIMB, LIMB_BITS, limbs_of

MANTISSA = 53


class Weighed(NamedTuple):
    """The numbers that m events add, as limbs [m, limbs]."""

    positive: Bits
    negative: Bits | None = None
    """The numbers that are subtracted at the end; None if there are none."""
    shift: int = 0
    """The numbers are divided by 2**shift."""


Measure = Callable[[pa.Array], Weighed]
"""A function from the values of m events to the numbers that they add."""


def occurrences(values: pa.Array) -> Weighed:
    """1 for each event, even if its value is NULL."""
    return Weighed(np.ones((len(values), 1), dtype=np.uint64))


def known(values: pa.Array) -> Weighed:
    """1 for each event whose value is not NULL."""
    return Weighed((~unknown(values)).astype(np.uint64)[:, np.newaxis])


def amounts(values: pa.Array) -> Weighed:
    """The value itself. An infinite or NaN double adds 0 here; MIN and MAX show it."""
    if pa.types.is_floating(values.type):
        numbers = pc.fill_null(values, 0.0).to_numpy(zero_copy_only=False)
        numbers = np.where(np.isfinite(numbers), numbers, 0.0)
        negative = numbers < 0
        magnitudes, shift = _fractions(np.abs(numbers))
    else:
        known = in_type(values, pa.int64())
        whole = (pc.fill_null(known, 0) if known.null_count else known).to_numpy(zero_copy_only=False)
        if len(whole) and whole.min() >= 0 and whole.max() <= LIMB:
            return Weighed(whole.view(np.uint64)[:, np.newaxis])
        negative = whole < 0
        magnitudes, shift = limbs_of(np.abs(whole)), 0
    if not negative.any():
        return Weighed(magnitudes, None, shift)
    sign = negative[:, np.newaxis]
    return Weighed(np.where(sign, np.uint64(0), magnitudes), np.where(sign, magnitudes, np.uint64(0)), shift)


def _fractions(magnitudes: Floats) -> tuple[Bits, int]:
    """Doubles >= 0 as integers in limbs, divided by 2**shift. It is the smallest shift that fits all of them.

    >>> _fractions(np.array([0.75, 2.0]))
    (array([[3],
           [8]], dtype=uint64), 2)
    """
    fractions, exponents = np.frexp(magnitudes)
    mantissas = (fractions * 2.0**MANTISSA).astype(np.int64)
    exponents = exponents.astype(np.int64) - MANTISSA
    nonzero = mantissas != 0
    if not nonzero.any():
        return np.zeros((len(magnitudes), 1), dtype=np.uint64), 0
    lowest = np.where(nonzero, mantissas & -mantissas, 1)
    trailing = np.frexp(lowest.astype(np.float64))[1].astype(np.int64) - 1
    mantissas >>= trailing
    exponents = np.where(nonzero, exponents + trailing, 0)
    shift = max(0, -int(exponents.min()))
    offsets = np.where(nonzero, exponents + shift, 0)
    place, within = offsets // 32, (offsets % 32).astype(np.uint64)
    words = mantissas.astype(np.uint64)
    low, high = (words & LIMB) << within, (words >> LIMB_BITS) << within
    pieces = [low & LIMB, (low >> LIMB_BITS) + (high & LIMB), high >> LIMB_BITS]
    pieces[2] += pieces[1] >> LIMB_BITS
    pieces[1] &= LIMB
    limbs = np.zeros((len(magnitudes), int(place.max()) + 3), dtype=np.uint64)
    rows = np.arange(len(magnitudes))
    for k, piece in enumerate(pieces):
        limbs[rows, place + k] = piece
    used = np.flatnonzero(limbs.any(axis=0))
    return limbs[:, : used[-1] + 1], shift
