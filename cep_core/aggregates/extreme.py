"""The smallest or the largest non-null value, in the order of the language. MIN and MAX are its two kinds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import pyarrow as pa

from cep_core.aggregates.aggregate import Aggregate, Carried, Returned, known_among
from cep_core.arrays import Ints
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.schema import AttributeType


class Extreme(Aggregate):
    """MIN or MAX: numbers by size (NaN last), text by its bytes, FALSE before TRUE."""

    largest: ClassVar[bool]

    def carried(self, argument: AttributeType | None) -> Carried:
        return Carried(extremes=(self.largest,))

    def returned(self, argument: AttributeType | None, *, exact: bool) -> Returned:
        kind = pa.int64() if argument is None else ARROW_TYPES[argument]
        return Returned((("", kind),), lambda merged: [merged.extremes[0]])

    def running(self, values: pa.Array, offsets: Ints, *, before: bool) -> pa.Array:
        from cep_core.aggregates.running import extreme_so_far

        return extreme_so_far(values, offsets, largest=self.largest, before=before)

    def define(self, values: Sequence[Any]) -> Any:
        return (max if self.largest else min)(known_among(values), key=_place, default=None)


def _place(value: Any) -> tuple[bool, Any]:
    """The key that orders values. NaN equals NaN and is greater than any other value."""
    return (True, 0) if isinstance(value, float) and math.isnan(value) else (False, value)
