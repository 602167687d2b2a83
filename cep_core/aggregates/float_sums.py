"""Sums of doubles with infinite or NaN values. The exact total leaves these values out; MIN and MAX show them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.aggregates.aggregate import Merged
from cep_core.events.schema import AttributeType

BOUNDS = (False, True)
"""The extremes that a sum of doubles carries: the smallest and the largest value."""


def bounds(argument: AttributeType | None) -> tuple[bool, ...]:
    """The extremes that a sum over an attribute of this type carries."""
    return BOUNDS if argument is AttributeType.FLOAT else ()


def with_infinities(columns: list[pa.Array], merged: Merged) -> list[pa.Array]:
    """The columns of a sum (value, size, sign) or of an average (value, size), corrected for special values.

    If a summand is infinite or NaN, the value is infinite or NaN, and the size is NULL.
    """
    if not merged.extremes:
        return columns
    low, high = (pc.fill_null(extreme, 0.0).to_numpy(zero_copy_only=False) for extreme in merged.extremes)
    has_plus, has_minus = np.isposinf(high), np.isneginf(low)
    value = np.where(has_plus, np.inf, np.where(has_minus, -np.inf, 0.0))
    value = np.where(np.isnan(high) | (has_plus & has_minus), np.nan, value)
    special = pa.array(value != 0.0)
    sign = pa.array(np.where(value > 0, 1, -1), pa.int8(), mask=np.isnan(value))
    replacements = [pa.array(value, from_pandas=False), pa.nulls(len(value), pa.float64()), sign]
    return [pc.if_else(special, new, old) for new, old in zip(replacements, columns, strict=False)]
