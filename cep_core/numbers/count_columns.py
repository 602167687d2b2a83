"""Exact counts as result columns (`docs/architecture.md`, Numbers).

A count has three columns: the number as DECIMAL(38,0), null if it has more digits; its logarithm as DOUBLE, null if the
count is 0; and all its digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.numbers.integer_columns import DECIMAL, decimals, digits, logarithms
from cep_core.numbers.integers import Integers

COUNT = DECIMAL
COUNTS = ("match_count", "match_count_log10", "match_count_exact")
"""The columns for the number of matches of a compact row."""


def count_columns(counts: Ints, large: Mapping[int, int]) -> tuple[pa.Array, pa.Array, pa.Array]:
    """The number, log10 and digits of counts > 0. `large` has the counts that int64 cannot hold, by place.

    >>> import numpy as np
    >>> [column.to_pylist() for column in count_columns(np.array([100, 0]), {1: 10**40})]
    [[Decimal('100'), None], [2.0, 40.0], ['100', '10000000000000000000000000000000000000000']]
    """
    numbers = Integers(counts, large)
    return decimals(numbers), logarithms(numbers), digits(numbers)


def unknown_counts(rows: int) -> tuple[pa.Array, pa.Array, pa.Array]:
    """The same columns without values, for rows that were not counted."""
    return pa.nulls(rows, COUNT), pa.nulls(rows, pa.float64()), pa.nulls(rows, pa.string())


def all_digits(count: int) -> str:
    """The digits of a count, even of one that is too long for Python's own conversion."""
    return str(Decimal(count))


def from_digits(digits: str) -> int:
    """The inverse of `all_digits`."""
    return int(Decimal(digits))
