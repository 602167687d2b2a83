"""Groups rows with equal values, numbered in the order of the columns. Sorted rows are not sorted again."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.events.chunks import one_array
from cep_core.numbers.codes import ordered_codes, unknown

ROOM = 1 << 62
MOST_EMPTY = 4
"""Groups are looked up in a table that has so many places for each row; sorting would take several times as long."""


def group_rows(columns: list[Ints]) -> tuple[Ints, Ints]:
    """The group of each row, 0.. in the order of the columns, and the first row of each group.

    Where each row is greater than the one before, both are one array. O(rows) if the rows are sorted or their values
    lie close together, else O(rows * log rows).

    >>> group_rows([np.array([7, 5, 7, 5]), np.array([1, 2, 1, 1])])
    (array([2, 1, 2, 0]), array([3, 1, 0]))
    """
    rows = len(columns[0])
    if (columns[0][1:] > columns[0][:-1]).all():  # each row is a group
        each = np.arange(rows)
        return each, each
    key, width = np.zeros(rows, dtype=np.int64), 1
    for column in columns:
        low, high = int(column.min()), int(column.max())
        cells = high - low + 1
        if cells == 1:
            continue
        if width * cells >= ROOM:
            key, width = _dense(key)
            column, cells = _dense(column)
            low = 0
        key = key * cells + (column - low)
        width *= cells
    rises = key[1:] > key[:-1]
    if rises.all():
        each = np.arange(rows)
        return each, each
    if (key[1:] >= key[:-1]).all():
        groups = np.zeros(rows, np.int64)
        np.cumsum(rises, out=groups[1:])
        return groups, np.concatenate([[0], np.flatnonzero(rises) + 1])
    if width <= MOST_EMPTY * rows:
        occurs = np.zeros(width, np.bool_)
        occurs[key] = True
        groups = (np.cumsum(occurs) - 1)[key]
        firsts = np.empty(np.count_nonzero(occurs), np.int64)
        firsts[groups[::-1]] = np.arange(rows - 1, -1, -1)  # the last that is written is the first row
        return groups, firsts
    _, firsts, groups = np.unique(key, return_index=True, return_inverse=True)
    return groups.astype(np.int64), firsts.astype(np.int64)


def column_codes(column: pa.ChunkedArray | pa.Array, *, differ: bool = False) -> list[Ints]:
    """A column as integers of the same order: one column, or two if there are nulls. Nulls come last.

    `differ`: the values differ; then texts are sorted once, and not looked up before.

    >>> column_codes(pa.array([7, None, 5]))
    [array([0, 1, 0]), array([7, 0, 5])]
    >>> column_codes(pa.array(["b", "a"]), differ=True)
    [array([2, 1])]
    """
    array = one_array(column)
    if differ and not array.null_count and pa.types.is_string(array.type):
        return [pc.rank(array, tiebreaker="dense").to_numpy().astype(np.int64)]
    codes = ordered_codes(array)[0]
    return [unknown(array).astype(np.int64), codes] if array.null_count else [codes]


def _dense(column: Ints) -> tuple[Ints, int]:
    values, places = np.unique(column, return_inverse=True)
    return places.astype(np.int64), len(values)
