"""Exact counts as result columns (`docs/architecture.md`, Numbers).

A count has three columns: the number as DECIMAL(38,0), null if it has more digits; its logarithm as DOUBLE, null if the
count is 0; and all its digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import log10

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints

COUNT = pa.decimal128(38, 0)
COUNTS = ("match_count", "match_count_log10", "match_count_exact")
"""The columns for the number of matches of a compact row."""
_LARGEST = 10**38


def count_columns(counts: Ints, large: Mapping[int, int]) -> tuple[pa.Array, pa.Array, pa.Array]:
    """The number, log10 and digits of counts > 0. `large` has the counts that int64 cannot hold, by place.

    >>> [column.to_pylist() for column in count_columns(np.array([100, 0]), {1: 10**40})]
    [[Decimal('100'), None], [2.0, 40.0], ['100', '10000000000000000000000000000000000000000']]
    """
    logarithms = np.log10(counts.clip(1))
    digits = counts.astype(str).astype(object)
    exact = pa.array(counts).cast(COUNT)
    if large:
        values = exact.to_pylist()
        for place, count in large.items():
            values[place] = Decimal(count) if count < _LARGEST else None
            logarithms[place] = log10(count)
            digits[place] = all_digits(count)
        exact = pa.array(values, COUNT)
    return exact, pa.array(logarithms), pa.array(digits, pa.string())


def unknown_counts(rows: int) -> tuple[pa.Array, pa.Array, pa.Array]:
    """The same columns without values, for rows that were not counted."""
    return pa.nulls(rows, COUNT), pa.nulls(rows, pa.float64()), pa.nulls(rows, pa.string())


def all_digits(count: int) -> str:
    """The digits of a count, even of one that is too long for Python's own conversion."""
    return str(Decimal(count))


def from_digits(digits: str) -> int:
    """The inverse of `all_digits`."""
    return int(Decimal(digits))
