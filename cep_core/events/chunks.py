"""A column of a table as one array."""

from __future__ import annotations

import pyarrow as pa


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The column's values as one array. A column of one piece is not copied.

    >>> one_array(pa.chunked_array([[1, 2], [3]])).to_pylist()
    [1, 2, 3]
    """
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
