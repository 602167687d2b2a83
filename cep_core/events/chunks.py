"""A column of a table as one array."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The column's values as one array. A column of one piece is not copied.

    >>> one_array(pa.chunked_array([[1, 2], [3]])).to_pylist()
    [1, 2, 3]
    """
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def taken(values: pa.Array, rows: Ints) -> pa.Array:
    """The values at some rows, all of which are there.

    >>> import numpy as np
    >>> taken(pa.array([2.5, 4.0]), np.array([1, 1])).to_pylist()
    [4.0, 4.0]
    """
    if values.type in (pa.int64(), pa.float64()) and not values.null_count:  # a call of Arrow's takes 50 us, if of few
        return pa.array(values.to_numpy()[rows])
    return pc.take(values, pa.array(rows), boundscheck=False)  # to look whether rows are there takes half of the time
