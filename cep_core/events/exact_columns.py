"""Columns of numbers in types that no attribute has, such as DECIMAL, as a type that keeps different values different.

A float keeps 15 digits apart. So decimals of 15 digits are floats, whole decimals are integers of 64 bits, and whole
numbers beyond these are texts: as floats, two long identifiers could be one. Cost: nothing for columns of other types,
one pass for these.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

_DIGITS = 15


def exact_column(column: pa.ChunkedArray, name: str) -> tuple[pa.ChunkedArray, str | None]:
    """A column as one that can be an attribute, and a remark if its values are not quite what they were.

    >>> from decimal import Decimal
    >>> [kept, remark] = exact_column(pa.chunked_array([[Decimal("1.50"), None]]), "price")
    >>> kept.to_pylist(), remark
    ([1.5, None], None)
    >>> exact_column(pa.chunked_array([[Decimal(10**20)]]), "id")[1]
    "'id' holds whole numbers beyond 64 bits; they are read as texts"
    """
    if column.type == pa.uint64():
        return _whole(column, name)
    if not kinds.is_decimal(column.type):
        return column, None
    if column.type.scale <= 0:
        return _whole(column.cast(pa.decimal256(76, 0)), name)
    floats = column.cast(pa.float64())
    largest = max(abs(bound or 0) for bound in pc.min_max(column).as_py().values())
    if largest * 10**column.type.scale >= 10**_DIGITS:
        return floats, rounded_to_floats(name)
    return floats, None


def beyond_64_bits(name: str) -> str:
    """What is said of a column whose whole numbers became texts."""
    return f"'{name}' holds whole numbers beyond 64 bits; they are read as texts"


def rounded_to_floats(name: str) -> str:
    """What is said of a column whose numbers became floats that are not quite the same."""
    return f"'{name}' holds numbers of more than {_DIGITS} digits; they are rounded to floats of 64 bits"


def _whole(column: pa.ChunkedArray, name: str) -> tuple[pa.ChunkedArray, str | None]:
    try:
        return column.cast(pa.int64()), None
    except pa.ArrowInvalid:
        return column.cast(pa.string()), beyond_64_bits(name)
