"""Numbers in place of values: rows with equal numbers have equal values.

Cost: a few passes over each column; nothing is sorted but floats.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.candidates import grouping
from cep_core.events.chunks import one_array

Codes = npt.NDArray[np.int64]
"""A number for each row; rows with equal numbers have equal values."""


def coded(results: pa.Table, names: Sequence[str]) -> tuple[Codes, Codes]:
    """The combination of columns that each row has, and the first row of each combination."""
    return combined([codes_of(one_array(results[name])) for name in names], results.num_rows)


def combined(columns: Sequence[Codes], rows: int) -> tuple[Codes, Codes]:
    """The same of numbers >= 0. Combinations are numbered from 0 on, as they first appear.

    >>> codes, firsts = combined([np.array([7, 0, 7, 7]), np.array([1, 1, 1, 0])], 4)
    >>> codes.tolist(), firsts.tolist()
    ([0, 1, 0, 2], [0, 1, 3])
    """
    sizes = [int(own.max(initial=0)) + 1 for own in columns]
    codes, _ = grouping.combined([np.zeros(rows, np.int64), *columns], [1, *sizes])
    firsts = np.zeros(codes.max(initial=-1) + 1, np.int64)
    firsts[codes[::-1]] = np.arange(rows)[::-1]
    return codes, firsts


def codes_of(column: pa.Array) -> Codes:
    """A number for each different value from 1 on, 0 for null. Floats are told apart by their bits."""
    if pa.types.is_floating(column.type):
        bits = column.fill_null(0.0).cast(pa.float64()).to_numpy(zero_copy_only=False).view(np.int64)
        codes = np.unique(bits, return_inverse=True)[1].reshape(-1) + 1
        return np.where(column.is_null().to_numpy(zero_copy_only=False), 0, codes)
    indices = column.dictionary_encode().indices
    return indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False) + 1
