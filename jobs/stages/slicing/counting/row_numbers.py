"""A number for each row's combination of values in a few columns: what is counted by number needs no grouping of rows.

Columns that hold few values, or whole numbers that lie close to each other, are numbered without a hash table.
Cost: one or two passes over each column.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, repeated
from cep_core.events.chunks import one_array
from jobs.stages.slicing.counting.spilled_sums import with_texts

CLOSE = 4
"""Integers lie close to each other if their range has at most so many numbers for each."""
COUNTERS_FOR_EACH = 16
"""The most counters for each row: beyond, combinations are looked up in a hash table, or sorted."""


def numbered(rows: pa.Table) -> tuple[Ints, pa.Table]:
    """[rows] a number for each row's combination of values, and the combinations by number.

    >>> numbers, combinations = numbered(pa.table({"kind": ["A", "B", "A"], "hour": [0, 0, 0]}))
    >>> numbers.tolist(), combinations.to_pylist()
    ([0, 1, 0], [{'kind': 'A', 'hour': 0}, {'kind': 'B', 'hour': 0}])
    """
    numbers: Ints = np.zeros(rows.num_rows, np.int64)
    combinations: list[pa.Array] = []
    known = min(1, rows.num_rows)
    for column in rows.columns:
        codes, values = encoded(column)
        combined = codes if known == 1 else numbers if len(values) == 1 else numbers * len(values) + codes
        numbers, present = _without_gaps(combined, known * len(values))
        combinations = [own.take(pa.array(present // len(values))) for own in combinations]
        combinations.append(values.take(pa.array(present % len(values))))
        known = len(present)
    return numbers, with_texts(pa.table(combinations, rows.column_names))


def _without_gaps(numbers: Ints, below: int) -> tuple[Ints, Ints]:
    """Numbers that are below a limit as places among those that occur, and these, by place."""
    if below > COUNTERS_FOR_EACH * len(numbers):
        encoded_numbers = pa.array(numbers).dictionary_encode()
        return encoded_numbers.indices.to_numpy().astype(np.int64), encoded_numbers.dictionary.to_numpy()
    if below <= 1:
        return numbers, np.arange(below)
    occurs = np.bincount(numbers, minlength=below) > 0
    present = np.flatnonzero(occurs)
    return (numbers if len(present) == below else (np.cumsum(occurs) - 1)[numbers]), present


def encoded(column: pa.Array | pa.ChunkedArray) -> tuple[Ints, pa.Array]:
    """Values as places in an array of different values, at least one; null is place 0. Integers that are close to each
    other, and days, are their own places.

    >>> places, values = encoded(pa.array([7, 9, 7]))
    >>> places.tolist(), values.to_pylist()
    ([0, 2, 0], [7, 8, 9])
    """
    array = one_array(column)
    kind = array.type
    if (pa.types.is_int64(kind) or pa.types.is_date32(kind)) and len(array) and not array.null_count:
        numbers = (array.view(pa.int32()) if pa.types.is_date32(kind) else array).to_numpy()
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < CLOSE * len(numbers):
            values = pa.array(np.arange(low, high + 1, dtype=numbers.dtype)).cast(kind)
            return (numbers.astype(np.int64) - low if high > low else repeated(0, len(numbers))), values
    codes = array if pa.types.is_dictionary(kind) else array.dictionary_encode()
    values = codes.dictionary if len(codes.dictionary) else pa.nulls(1, codes.type.value_type)
    if len(values) == 1:
        return repeated(0, len(array)), values
    places = pc.fill_null(codes.indices, 0) if codes.null_count else codes.indices
    return places.to_numpy(zero_copy_only=False).astype(np.int64), values
