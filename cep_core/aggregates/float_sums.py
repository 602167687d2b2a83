"""Sums of doubles where some are infinite or NaN: the exact total leaves these out, MIN and MAX tell of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.aggregates.aggregate import Merged
from cep_core.events.schema import AttributeType

BOUNDS = (False, True)
"""The extremes that a sum of doubles carries: the least and the largest."""


def bounds(argument: AttributeType | None) -> tuple[bool, ...]:
    """The extremes that a sum over an attribute of this type carries."""
    return BOUNDS if argument is AttributeType.FLOAT else ()


def with_infinities(columns: list[pa.Array], merged: Merged) -> list[pa.Array]:
    """A sum or average with its size and, of a sum, its sign: infinite or NaN, without size, where a summand was."""
    if not merged.extremes:
        return columns
    low, high = (pc.fill_null(extreme, 0.0).to_numpy(zero_copy_only=False) for extreme in merged.extremes)
    up, down = np.isposinf(high), np.isneginf(low)
    value = np.where(up, np.inf, np.where(down, -np.inf, 0.0))
    value = np.where(np.isnan(high) | (up & down), np.nan, value)
    special = pa.array(value != 0.0)
    sign = pa.array(np.where(value > 0, 1, -1), pa.int8(), mask=np.isnan(value))
    replacements = [pa.array(value, from_pandas=False), pa.nulls(len(value), pa.float64()), sign]
    return [pc.if_else(special, new, old) for new, old in zip(replacements, columns, strict=False)]
