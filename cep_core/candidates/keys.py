"""Attribute values as 64-bit integers that compare as the values do, so that kernels need only one type.

NULL becomes `NULL_KEY`, which fails every comparison (an unknown predicate fails). Integers and booleans stand for
themselves; floats keep their order through their bits (-0.0 equals 0.0; NaN equals NaN and exceeds every number, as in
Spark); an integer beside a float stays exact (`exact_order`); strings get their rank in binary order. Cost: linear. For
strings, and for numbers that are neither 64-bit integers nor doubles, also a sort of their distinct values.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from cep_core.arrays import Ints, lent, value_ranks
from cep_core.events.chunks import one_array
from cep_core.language.patterns.values.exact_order import in_one_order

NULL_KEY = int(np.iinfo(np.int64).min)

Comparing = tuple[str, Ints, Ints]
"""An operator, the keys of all rows as the earlier event, and as the later one."""

OPERATORS = {"=": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}


def comparable(left: pa.Array, right: pa.Array) -> tuple[Ints, Ints]:
    """Two columns as keys: left[i] < right[j] holds for the values exactly if it holds for the keys.

    >>> [keys.tolist() for keys in comparable(pa.array(["b", None]), pa.array(["a", "c"]))]
    [[1, -9223372036854775808], [0, 2]]
    """
    if (plainly := _plain_integers(left, right)) is not None:
        return plainly
    sides = in_one_order(one_array(left), one_array(right))
    if any(pa.types.is_floating(side.type) for side in sides):
        return _float_keys(sides[0]), _float_keys(sides[1])
    if any(_is_text(side.type) or _holds_least(side) for side in sides):
        return _ranks(*sides)
    return _integer_keys(sides[0]), _integer_keys(sides[1])


def _plain_integers(left: pa.Array, right: pa.Array) -> tuple[Ints, Ints] | None:
    """The keys of two columns of 64-bit integers without NULL: the columns, unless a value has the key of NULL."""
    sides = (left,) if left is right else (left, right)
    if any(isinstance(side, pa.ChunkedArray) or side.type != pa.int64() or side.null_count for side in sides):
        return None
    keys = [lent(side) for side in sides]
    if any(len(own) and own.min() == NULL_KEY for own in keys):
        return None
    return keys[0], keys[-1]


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind)


def _holds_least(side: pa.Array) -> bool:
    """Whether an integer column holds the value that stands for NULL."""
    return pa.types.is_int64(side.type) and pc.min(side).as_py() == NULL_KEY


def _integer_keys(side: pa.Array) -> Ints:
    whole = side.cast(pa.int64())
    return (whole.fill_null(NULL_KEY) if whole.null_count else whole).to_numpy(zero_copy_only=False)


def _float_keys(side: pa.Array) -> Ints:
    is_known = side.is_valid().to_numpy(zero_copy_only=False)
    values = side.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy(zero_copy_only=False) + 0.0
    values[np.isnan(values)] = np.nan  # one NaN, of positive sign
    bits = values.view(np.int64)
    keys = np.where(bits < 0, bits ^ np.int64(np.iinfo(np.int64).max), bits)
    return np.where(is_known, keys, NULL_KEY)


def _ranks(left: pa.Array, right: pa.Array) -> tuple[Ints, Ints]:
    common = pa.string() if any(_is_text(side.type) for side in (left, right)) else pa.int64()
    ranks = value_ranks(pa.concat_arrays([left.cast(common), right.cast(common)]))
    keys = np.where(ranks < 0, NULL_KEY, ranks)
    return keys[: len(left)], keys[len(left) :]


@njit(cache=True)
def compares(operator: int, left: int, right: int) -> bool:
    """Whether a comparison holds between two keys; it never holds with NULL."""
    if left == NULL_KEY or right == NULL_KEY:
        return False
    if operator < 2:
        return (left == right) == (operator == 0)
    if operator < 4:
        return left < right or (operator == 3 and left == right)
    return left > right or (operator == 5 and left == right)
