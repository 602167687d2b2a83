"""SUM: exact over all trends, of integers and of doubles; NULL if there is no non-null value.

Inside a match, a sum of integers is NULL beyond 64 bits, and a sum of doubles is rounded at each addition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.aggregates.aggregate import NUMBERS, Aggregate, Carried, Merged, Returned, Summand, known_among
from cep_core.aggregates.float_sums import bounds, with_infinities
from cep_core.aggregates.measures import amounts, known
from cep_core.arrays import Ints
from cep_core.events.schema import AttributeType
from cep_core.numbers.integer_columns import DECIMAL, decimals, digits, doubles, logarithms, signs


class Sum(Aggregate):
    """`SUM(E.x)` and `sum(b[].x)`."""

    name = "sum"
    takes = NUMBERS
    word = "total"

    def carried(self, argument: AttributeType | None) -> Carried:
        return Carried((Summand(amounts), Summand(known, only_zero=True)), bounds(argument))

    def returned(self, argument: AttributeType | None, *, exact: bool) -> Returned:
        whole = argument is not AttributeType.FLOAT
        columns = [("", DECIMAL if whole else pa.float64()), ("_log10", pa.float64()), ("_sign", pa.int8())]
        if whole and exact:
            columns.append(("_exact", pa.string()))

        def values(merged: Merged) -> list[pa.Array]:
            total, shift = merged.totals[0], merged.shifts[0]
            arrays = [decimals(total) if whole else doubles(total, shift), logarithms(total, shift), signs(total)]
            if whole and exact:
                arrays.append(digits(total))
            nonempty = merged.totals[1].nonzero()
            if not nonempty.all():
                arrays = [pc.if_else(pa.array(nonempty), array, pa.scalar(None, array.type)) for array in arrays]
            return with_infinities(arrays, merged)

        return Returned(tuple(columns), values)

    def running(self, values: pa.Array, offsets: Ints, *, before: bool) -> pa.Array:
        from cep_core.aggregates.running import HALF, LARGEST, known_so_far, largest_sum, sums, wide_sums

        none = known_so_far(values, offsets, before=before) == 0
        numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
        if not pa.types.is_integer(values.type):
            return pa.array(sums(numbers, offsets, before), pa.float64(), mask=none)
        if largest_sum(numbers, offsets) <= LARGEST:
            return pa.array(sums(numbers, offsets, before), mask=none)
        high, low = wide_sums(numbers, offsets, before)
        fits = (high >= -HALF) & (high < HALF)
        words = (np.where(fits, high, 0) << 32) + np.where(fits, low, 0)
        return pa.array(words, pa.int64(), mask=none | ~fits)

    def define(self, values: Sequence[Any]) -> Fraction | float | None:
        known_values = known_among(values)
        return exact_sum(known_values) if known_values else None


def exact_sum(values: Sequence[Any]) -> Fraction | float:
    """The exact sum of numbers. If some are infinite or NaN, the sum of these.

    >>> exact_sum([1, 2**70, 0.5]) == 2**70 + Fraction(3, 2)
    True
    """
    infinite = [number for number in values if not math.isfinite(number)]
    return sum(infinite) if infinite else sum(map(Fraction, values), Fraction(0))
