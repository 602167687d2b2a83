"""Converts columns of different number types to one type that keeps their order exactly.

SQL converts an integer beside a double to the nearest double, and then 2**53 + 1 equals 2**53. Here no number is
rounded before it is compared (`docs/language.md`, WHERE). If every integer can be a double without rounding, both
columns become doubles; else both become ranks. The cost is linear; ranks need a sort, but only for integers beyond
2**53 and sums beyond 64 bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, value_ranks

LARGEST = 2**63 - 1
EXACT = 2**53
"""Every integer up to this size is a double without rounding."""


def in_one_order(left: pa.Array, right: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Both columns in one type, which compare as the original values do; null stays null.

    Integers, doubles, and decimals of scale 0 (sums beyond 64 bits) are numbers; other columns are left as they are.

    >>> integers, doubles = in_one_order(pa.array([2**53 + 1, 1]), pa.array([2.0**53, 1.5]))
    >>> [a > b for a, b in zip(integers.to_pylist(), doubles.to_pylist())]
    [True, False]
    """
    if pa.types.is_null(left.type) or pa.types.is_null(right.type):
        kind = right.type if pa.types.is_null(left.type) else left.type
        return left.cast(kind), right.cast(kind)
    if pa.types.is_decimal(left.type) or pa.types.is_decimal(right.type):
        return _split(_ranked(pa.concat_arrays([_wide(left), _wide(right)])), len(left))
    if left.type == right.type or not (_is_number(left.type) and _is_number(right.type)):
        return left, right
    left_real, right_real = _reals([left, right])
    return left_real, right_real


def equal_codes(columns: Sequence[pa.Array]) -> tuple[list[Ints], pa.Array]:
    """Codes from 0 for the values of several columns, equal for equal values, -1 for null; and the value of each code.

    Values of different types can be equal: 1 equals 1.0, -0.0 equals 0.0, NaN equals NaN. No integer is rounded for the
    codes. The values by code are doubles if any column has doubles.

    >>> codes, values = equal_codes([pa.array([2**53 + 1, 2**53, None]), pa.array([2.0**53, -0.0])])
    >>> [part.tolist() for part in codes]
    [[0, 1, -1], [1, 2]]
    """
    alike = [_plain(column) if pa.types.is_floating(column.type) else column for column in columns]
    if len({column.type for column in alike}) > 1 and all(_is_number(column.type) for column in alike):
        alike = _reals(alike)
    encoded = pa.concat_arrays(alike).dictionary_encode()
    values = encoded.dictionary
    if any(pa.types.is_floating(column.type) for column in columns) and not pa.types.is_floating(values.type):
        first = np.unique(pc.fill_null(encoded.indices, len(values)).to_numpy(zero_copy_only=False), return_index=True)[
            1
        ]
        values = pa.concat_arrays([column.cast(pa.float64(), safe=False) for column in columns]).take(
            first[: len(values)]
        )
    flat = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return np.split(flat, np.cumsum([len(column) for column in columns])[:-1]), values


def _reals(columns: Sequence[pa.Array]) -> list[pa.Array]:
    """Integers and doubles in one type, which compare as the numbers do."""
    whole = [column for column in columns if pa.types.is_integer(column.type)]
    if all(map(are_doubles, whole)):
        return [column.cast(pa.float64(), safe=False) for column in columns]
    numbers, rests = (np.concatenate(side) for side in zip(*map(_parts, columns), strict=True))
    ranks = np.split(_lexical_ranks(numbers, rests), np.cumsum([len(column) for column in columns])[:-1])
    return [_masked(ranks_of, column) for ranks_of, column in zip(ranks, columns, strict=True)]


def are_doubles(whole: pa.Array) -> bool:
    """Whether every integer of a column can be a double without rounding."""
    bounds = pc.min_max(whole)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    return low is None or (low >= -EXACT and high <= EXACT) or not _parts(whole)[1].any()


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _plain(real: pa.Array) -> pa.Array:
    """Doubles in which 0.0 is the only zero, and NaN has one form."""
    numbers = pc.add(real, 0.0)
    has_nan = pc.any(pc.is_nan(numbers)).as_py()
    return pc.if_else(pc.is_nan(numbers), math.nan, numbers) if has_nan else numbers


def _wide(values: pa.Array) -> pa.Array:
    return values.cast(pa.decimal128(38, 0))


def _parts(values: pa.Array) -> tuple[npt.NDArray[np.float64], Ints]:
    """For each number, the nearest double and the number minus that double; 0 for null."""
    if pa.types.is_floating(values.type):
        numbers = pc.fill_null(values.cast(pa.float64()), 0.0).to_numpy(zero_copy_only=False)
        return numbers, np.zeros(len(values), np.int64)
    integers = pc.fill_null(values.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    nearest = integers.astype(np.float64)
    beyond = nearest >= 2.0**63  # beyond every 64-bit integer
    back = np.where(beyond, 0.0, nearest).astype(np.int64)
    return nearest, np.where(beyond, integers - LARGEST - 1, integers - back)


def _lexical_ranks(numbers: npt.NDArray[np.float64], rests: Ints) -> Ints:
    """Dense ranks by number, then rest; NaN equals NaN and exceeds all else, -0.0 equals 0.0."""
    order = np.lexsort((rests, numbers))
    sorted_numbers, sorted_rests = numbers[order], rests[order]
    changes = (sorted_numbers[1:] != sorted_numbers[:-1]) | (sorted_rests[1:] != sorted_rests[:-1])
    changes &= ~(np.isnan(sorted_numbers[1:]) & np.isnan(sorted_numbers[:-1]))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.concatenate([np.zeros(min(1, len(order)), np.int64), np.cumsum(changes)])
    return ranks


def _ranked(values: pa.Array) -> pa.Array:
    """Dense ranks of the values; null stays null."""
    ranks = value_ranks(values)
    return pa.array(ranks, mask=ranks < 0)


def _masked(ranks: Ints, values: pa.Array) -> pa.Array:
    return pa.array(ranks, mask=values.is_null().to_numpy(zero_copy_only=False))


def _split(joined: pa.Array, length: int) -> tuple[pa.Array, pa.Array]:
    return joined[:length], joined[length:]
