"""Numbers in place of values: rows with equal numbers have equal values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.events.chunks import one_array

Codes = npt.NDArray[np.int64]
"""A number for each row; rows with equal numbers have equal values."""


def coded(results: pa.Table, names: Sequence[str]) -> tuple[Codes, Codes]:
    """The combination of columns that each row has, and the first row of each combination."""
    codes = np.zeros(results.num_rows, dtype=np.int64)
    for name in names:
        own = codes_of(one_array(results[name]))
        codes = np.unique(codes * (own.max(initial=0) + 1) + own, return_inverse=True)[1].reshape(-1)
    return codes, np.unique(codes, return_index=True)[1]


def codes_of(column: pa.Array) -> Codes:
    """A number for each different value from 1 on, 0 for null. Floats are told apart by their bits."""
    if pa.types.is_floating(column.type):
        bits = column.fill_null(0.0).cast(pa.float64()).to_numpy(zero_copy_only=False).view(np.int64)
        codes = np.unique(bits, return_inverse=True)[1].reshape(-1) + 1
        return np.where(column.is_null().to_numpy(zero_copy_only=False), 0, codes)
    indices = column.dictionary_encode().indices
    return indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False) + 1
