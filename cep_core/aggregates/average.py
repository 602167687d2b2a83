"""AVG: the sum of the non-null values divided by their number, rounded once (GRETA, section 4.2: a sum and a count)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.aggregates.aggregate import NUMBERS, Aggregate, Carried, Merged, Returned, Summand, known_among
from cep_core.aggregates.float_sums import bounds, with_infinities
from cep_core.aggregates.measures import amounts, known
from cep_core.aggregates.sum import exact_sum
from cep_core.arrays import Floats, Ints
from cep_core.events.schema import AttributeType
from cep_core.numbers.integer_columns import quotients


class Average(Aggregate):
    """`AVG(E.x)` and `avg(b[].x)`."""

    name = "avg"
    takes = NUMBERS
    rounded = True
    word = "mean"

    def type_in_match(self, argument: AttributeType | None) -> AttributeType | None:
        return AttributeType.FLOAT

    def carried(self, argument: AttributeType | None) -> Carried:
        return Carried((Summand(amounts), Summand(known)), bounds(argument))

    def returned(self, argument: AttributeType | None, *, exact: bool) -> Returned:
        def values(merged: Merged) -> list[pa.Array]:
            averages = quotients(merged.totals[0], merged.totals[1], merged.shifts[0])
            return with_infinities([averages, sizes(averages)], merged)

        return Returned((("", pa.float64()), ("_log10", pa.float64())), values)

    def running(self, values: pa.Array, offsets: Ints, *, before: bool) -> pa.Array:
        from cep_core.aggregates.running import known_so_far, sums

        counts = known_so_far(values, offsets, before=before)
        numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
        if pa.types.is_integer(values.type):
            return pa.array(_averages(numbers, offsets, counts, before=before), mask=counts == 0)
        averages = sums(numbers, offsets, before) / np.maximum(counts, 1)
        for place in np.flatnonzero(~np.isfinite(averages) & (counts > 0)):
            begin = offsets[np.searchsorted(offsets, place, side="right") - 1]
            summands = numbers[begin : place + (not before)]
            if np.isfinite(summands).all():  # the numbers are finite, but their sum is too large for a double
                averages[place] = float(sum(map(Fraction, summands.tolist())) / int(counts[place]))
        return pa.array(averages, pa.float64(), mask=counts == 0)

    def define(self, values: Sequence[Any]) -> Fraction | float | None:
        known_values = known_among(values)
        return exact_sum(known_values) / len(known_values) if known_values else None


def sizes(values: pa.Array) -> pa.Array:
    """log10 of the magnitudes of doubles; NULL at 0."""
    magnitude = pc.abs(values)
    return pc.log10(pc.if_else(pc.equal(magnitude, 0.0), pa.scalar(None, pa.float64()), magnitude))


def _averages(numbers: Ints, offsets: Ints, counts: Ints, *, before: bool) -> Floats:
    """Averages of the integers so far in each list, rounded once."""
    from cep_core.aggregates.running import EXACT, HALF, largest_sum, sums, wide_sums

    divisors = np.maximum(counts, 1)
    if largest_sum(numbers, offsets) <= EXACT:
        return sums(numbers, offsets, before) / divisors
    high, low = wide_sums(numbers, offsets, before)
    fits = (high >= -HALF) & (high < HALF)
    words = (np.where(fits, high, 0) << 32) + np.where(fits, low, 0)
    averages: Floats = words / divisors
    for place in np.flatnonzero(~fits | (words > EXACT) | (words < -EXACT)):
        averages[place] = ((int(high[place]) << 32) + int(low[place])) / int(divisors[place])
    return averages
