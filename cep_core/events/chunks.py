"""A column of a table as one array."""

from __future__ import annotations

import pyarrow as pa


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The column's values as one array; an array is returned as it is.

    >>> one_array(pa.chunked_array([[1, 2], [3]])).to_pylist()
    [1, 2, 3]
    """
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
