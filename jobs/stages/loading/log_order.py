"""The order of a day's events, and `seq`, which says it: `day number * 2^40 + the event's place in its day`.

Events are ordered by `ts`, then by their raw rows: source in declared order, the source's order columns (nulls first),
a hash of the row; then by event type. So the same input gives the same `seq`, however its files are cut.
A small load orders rows and then events; a large one merges runs that ascend by `ts`, and orders only events of equal
stamps by what stands in their `_row`. Cost: a sort of each source's rows and one of the events.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Floats, Ints, differ, value_ranks
from cep_core.candidates.grouping import stable_order

DAY_BITS = 40

ORDER = "_order_"
"""How the columns of order values are named: this, the place among the order columns, the kind of value."""


def row_places(columns: Sequence[pa.ChunkedArray]) -> Ints:
    """[rows] The place of each row by some columns; rows that are equal in all of them have the same place.

    >>> row_places([pa.chunked_array([[2.5, None, 10.0, 2.5]]), pa.chunked_array([["b", "a", "a", "b"]])]).tolist()
    [1, 0, 2, 1]
    """
    keys = [key for column in columns for key in _sorted_keys(column)]
    order = np.lexsort(keys[::-1])
    differs = np.zeros(len(order), np.bool_)
    for key in keys:
        differs[1:] |= _differ(key[order[:-1]], key[order[1:]])
    places = np.empty(len(order), np.int64)
    places[order] = np.cumsum(differs)
    return places


def are_tied(ts: Ints) -> Flags:
    """[events] Whether another event has the same stamp. `ts`: ascending.

    >>> are_tied(np.array([1, 2, 2, 3])).tolist()
    [False, True, True, False]
    """
    same = ts[1:] == ts[:-1]
    tied = np.zeros(len(ts), np.bool_)
    tied[1:] = same
    tied[:-1] |= same
    return tied


def ordering(columns: Sequence[str]) -> list[str]:
    """Those of some columns by which events are ordered, the first one first.

    >>> ordering(["event_type", "ts", "kwh", "_rank", "_id", "_hash", "_order_0_number"])
    ['ts', '_rank', '_order_0_number', '_hash', 'event_type']
    """
    return ["ts", "_rank", *(name for name in columns if name.startswith(ORDER)), "_hash", "event_type"]


def order_of_ties(events: pa.Table) -> Ints:
    """[events] Their places in the log's order. They have the columns that `ordering` names, and ascend by `ts`.

    One column after the other orders those events that all before it leave tied, so most columns are hardly looked at.

    >>> columns = {"ts": [5, 5], "_rank": [0, 0], "_order_0_number": [4, None], "_hash": [7, 7]}
    >>> order_of_ties(pa.table({**columns, "event_type": ["A", "A"]})).tolist()
    [1, 0]
    """
    order = np.arange(events.num_rows)
    ts = events["ts"].combine_chunks().to_numpy()
    begins = differ(ts)
    for name in ordering(events.column_names)[1:]:
        group = np.cumsum(begins) - 1
        tied = np.flatnonzero(are_tied(group))
        if not len(tied):
            break
        keys = _sorted_keys(events[name].take(pa.array(order[tied])))
        varying = [key for key in keys if _differ(key[1:], key[:-1]).any()]
        if varying:
            by = np.lexsort(varying[::-1])
            by = by[stable_order(group[tied[by]], int(group[-1]) + 1)]
            order[tied] = order[tied[by]]
            for key in varying:
                begins[tied[1:]] |= _differ(key[by[1:]], key[by[:-1]])
    return order


def _differ(before: Flags | Ints | Floats, after: Flags | Ints | Floats) -> Flags:
    """Whether two keys differ; one NaN is as another."""
    return (before != after) & ~((before != before) & (after != after))


def _sorted_keys(column: pa.ChunkedArray) -> tuple[Flags, Ints | Floats]:
    """Two numbers that sort as the column's values do: whether there is a value, and which."""
    valid = column.is_valid().combine_chunks().to_numpy(zero_copy_only=False)
    if pa.types.is_string(column.type):
        return valid, value_ranks(column.combine_chunks())
    if pa.types.is_date32(column.type):
        column = column.cast(pa.int32())
    elif not pa.types.is_floating(column.type):
        column = column.cast(pa.int64())
    zero = pa.scalar(0, column.type)
    return valid, column.fill_null(zero).combine_chunks().to_numpy()


def seq_of(day: Ints, ts: Ints, place: Ints, event_type: Ints) -> Ints:
    """[events] `seq`. `day`: as days since 1970-01-01; `place`: of the raw row, among those of all sources;
    `event_type`: ranks.

    >>> day, ts, place = np.array([15772, 15772, 15773]), np.array([9, 9, 99]), np.array([4, 3, 0])
    >>> (seq_of(day, ts, place, np.zeros(3, np.int64)) - 15772 * 2**40).tolist()
    [1, 0, 1099511627776]
    """
    order = np.lexsort((event_type, place, ts, day))
    in_order = day[order]
    first = np.searchsorted(in_order, in_order)
    seq = np.empty(len(order), np.int64)
    seq[order] = (in_order << DAY_BITS) + np.arange(len(order)) - first
    return seq
