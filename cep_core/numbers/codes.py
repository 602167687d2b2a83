"""Values as integer codes. The smallest code is the MIN or the MAX, so every attribute type has one kind of minimum.

An integer is its own code. A double is coded by its bits: they order like integers once negative ones are reversed; NaN
comes last, as in SQL. A string is coded by its rank. For a MAX the code is the complement, which reverses the order
without overflow. A null has the code NOTHING.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import NOTHING, Ints
from cep_core.events.arrow_types import in_type

MAGNITUDE = np.int64(0x7FFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class Coding:
    """How to decode: the Arrow type of the values, the order, and the sorted values if codes are ranks."""

    type: pa.DataType
    largest: bool
    ranked: pa.Array | None = None


def encode(values: pa.Array, largest: bool) -> tuple[Ints, Coding]:
    """The codes of the values. A smaller value has a smaller code (a larger code if `largest`); null has NOTHING.

    >>> codes, coding = encode(pa.array([2.5, None, -1.0]), largest=True)
    >>> decode(np.array([codes.min(), NOTHING]), coding).to_pylist()
    [2.5, None]
    """
    codes, ranked = ordered_codes(values)
    if largest:
        codes = ~codes
    if not values.null_count and codes.max(initial=0) < NOTHING:
        return codes, Coding(values.type, largest, ranked)
    null = unknown(values)
    if bool(((codes == NOTHING) & ~null).any()):  # one value has the code NOTHING itself
        ranked = _sorted_values(values)
        codes = _ranks(values, ranked)
        codes = ~codes if largest else codes
    codes[null] = NOTHING
    return codes, Coding(values.type, largest, ranked)


def decode(codes: Ints, coding: Coding) -> pa.Array:
    """The values of the codes, in the type of the values that were encoded."""
    plain, null = ~codes if coding.largest else codes, codes == NOTHING
    if null.any():
        plain = np.where(null, 0, plain)
    else:
        null = None
    if coding.ranked is not None:
        if len(coding.ranked) == 0:
            return pa.nulls(len(codes), coding.type)
        return coding.ranked.take(pa.array(plain, pa.int64(), mask=null))
    if pa.types.is_floating(coding.type):
        bits = np.where(plain < 0, plain ^ MAGNITUDE, plain)
        return pa.array(bits.view(np.float64), coding.type, mask=null)
    if pa.types.is_boolean(coding.type):
        return pa.array(plain.astype(np.bool_), coding.type, mask=null)
    return in_type(pa.array(plain, pa.int64(), mask=null), coding.type)


def unknown(values: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """A flag for each value: is it null? NaN is not null."""
    if not values.null_count:
        return np.zeros(len(values), np.bool_)
    return values.is_null().to_numpy(zero_copy_only=False).astype(np.bool_)


def ordered_codes(values: pa.Array) -> tuple[Ints, pa.Array | None]:
    """int64 codes in the order of the values (arbitrary for null), and the sorted values if codes are ranks."""
    if pa.types.is_floating(values.type):
        numbers = pc.fill_null(values.cast(pa.float64()), 0.0).to_numpy(zero_copy_only=False)
        numbers = np.where(np.isnan(numbers), np.nan, numbers + 0.0)  # all NaNs become equal, and -0.0 becomes 0.0
        bits = numbers.view(np.int64)
        return np.where(bits < 0, bits ^ MAGNITUDE, bits), None
    if pa.types.is_integer(values.type) or pa.types.is_boolean(values.type):
        whole = in_type(values, pa.int64())
        return (pc.fill_null(whole, 0) if whole.null_count else whole).to_numpy(zero_copy_only=False).copy(), None
    ranked = _sorted_values(values)
    return _ranks(values, ranked), ranked


def _sorted_values(values: pa.Array) -> pa.Array:
    distinct = values.unique().drop_null()
    return distinct.take(pc.array_sort_indices(distinct))


def _ranks(values: pa.Array, ranked: pa.Array) -> Ints:
    ranks = pc.fill_null(pc.index_in(values, value_set=ranked), 0)
    return ranks.to_numpy(zero_copy_only=False).astype(np.int64)
