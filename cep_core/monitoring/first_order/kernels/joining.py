"""Rows of several relations with equal values whose runs overlap: a hash join that sweeps over time.

Each side comes ordered by its first point. Rows are dealt into parts by their values (`kernels/partitions.py`). In a
part, a row meets the rows of the other sides that began earlier, have its values and have not ended; it gives all
combinations of them, if no side has none. Rows that have ended are taken off their chain when they are met, and values
that no longer hold leave the table when it is full (`kernels/living.py`). So a step is a row, a row of the result, or
the last time that a row is looked at: O(rows in + rows out) steps, and a table of O(values that hold at one time)
slots. The results of all parts are then ordered by their first point. This is the sweep of Hu, Sintos, Gao, Agarwal and
Yang (SIGMOD 2022, "Computing Complex Temporal Join Queries Efficiently") for joins in which all sides share one key.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.monitoring.first_order.kernels.grouping import order_of
from cep_core.monitoring.first_order.kernels.hashing import longer_rows
from cep_core.monitoring.first_order.kernels.living import LivingValues, no_values, slot_for, with_room
from cep_core.monitoring.first_order.kernels.partitions import BEGIN, END, HASH, ROW, dealt

_DONE = 0
_FULL_TABLE = -1


class _Sweep(NamedTuple):
    """How far the sweep over a part is. By side: its next entry, the end of its entries, the end of its last run.

    `numbers`: of values in the table, and of results. By entry: the entry before it in the chain of its value and side.
    """

    at: Ints
    stop: Ints
    ends: Ints
    numbers: Ints
    following: Ints


@njit(cache=True)
def overlapping_rows(
    rows: Ints, begin: Ints, end: Ints, first: Ints, together: int, most: int
) -> tuple[Ints, Ints, Ints, bool]:
    """[sides, results] The rows of each result, its begin and end, and whether these are all results.

    Side s has the rows first[s]..first[s + 1] - 1. `together`: as in `dealt`. It stops if there are more than `most`
    results.
    """
    sides = first.shape[0] - 1
    start, entries = dealt(rows, begin, end, first, together)
    parts = (start.shape[0] - 1) // sides
    results = np.empty((1024, sides + 2), np.int64)
    values = no_values(sides)
    numbers = np.zeros(2, np.int64)
    following = np.empty(begin.shape[0], np.int64)
    met = np.empty(sides, np.int64)
    for part in range(parts):
        at = start[part * sides : (part + 1) * sides].copy()
        stop = start[part * sides + 1 : (part + 1) * sides + 1]
        sweep = _Sweep(at, stop, np.zeros(sides, np.int64), numbers, following)
        values.slots[:] = -1
        numbers[0] = 0
        while True:
            needed = _swept(rows, entries, sweep, values, results, met)
            if needed == _DONE:
                break
            if needed == _FULL_TABLE:
                values, numbers[0] = with_room(values, numbers[0], _next_begin(entries, at, stop))
            elif numbers[1] + needed > most:
                return np.empty((sides, 0), np.int64), begin[:0].copy(), begin[:0].copy(), False
            else:
                results = longer_rows(results, numbers[1], 2 * numbers[1] + needed)
    order = order_of(results[: numbers[1], sides]) if parts > 1 else np.arange(numbers[1])
    return *_of_results(results, order), numbers[1] <= most


@inner
def _swept(rows: Ints, entries: Ints, sweep: _Sweep, values: LivingValues, results: Ints, met: Ints) -> int:
    """Sweeps on: `_DONE`, `_FULL_TABLE`, or the number of results for which there is no room.

    Nothing is allocated here, so that arrays need no counting of references at each row.
    """
    at, stop, ends, numbers, following = sweep
    sides = at.shape[0]
    while True:
        side = _next_side(entries, at, stop, ends)
        if side < 0:
            return _DONE
        if numbers[0] == values.hashes.shape[0]:
            return _FULL_TABLE
        entry = at[side]
        until = entries[entry, END]
        slot = slot_for(values, rows, entries, entry)
        value = values.slots[slot]
        if value < 0:
            value = numbers[0]
            numbers[0] += 1
            values.slots[slot] = value
            values.hashes[value] = entries[entry, HASH]
            values.entry[value] = entry
            values.last[value] = until
            for s in range(sides):
                values.heads[value, s] = -1
        else:
            number = _combinations(values.heads, value, side, following, entries, entries[entry, BEGIN])
            if numbers[1] + number > results.shape[0]:
                return number
            if number:
                _combine(results, numbers, values.heads[value], (side, entry), following, entries, met)
        following[entry] = values.heads[value, side]
        values.heads[value, side] = entry
        values.last[value] = max(values.last[value], until)
        ends[side] = max(ends[side], until)
        at[side] += 1


@inner
def _next_side(entries: Ints, at: Ints, stop: Ints, ends: Ints) -> int:
    """The side whose next row begins first; -1 if no row that comes can meet rows of all sides."""
    side = -1
    now = np.int64(0)
    for s in range(at.shape[0]):
        if at[s] < stop[s] and (side < 0 or entries[at[s], BEGIN] < now):
            side, now = s, entries[at[s], BEGIN]
    for s in range(at.shape[0]):
        if side < 0 or (s != side and at[s] == stop[s] and ends[s] <= now):
            return -1
    return side


@inner
def _next_begin(entries: Ints, at: Ints, stop: Ints) -> int:
    """Where the next row begins; there is one."""
    now = np.iinfo(np.int64).max
    for s in range(at.shape[0]):
        if at[s] < stop[s]:
            now = min(now, entries[at[s], BEGIN])
    return now


@inner
def _combinations(heads: Ints, value: int, side: int, following: Ints, entries: Ints, now: int) -> int:
    """How many combinations there are of one row of each other side that has the value and holds now.

    Takes off their chains the rows that have ended.
    """
    for s in range(heads.shape[1]):
        if s != side:
            head = heads[value, s]
            while head >= 0 and entries[head, END] <= now:
                head = following[head]
            heads[value, s] = head
            if head < 0:
                return 0
    number = 1
    for s in range(heads.shape[1]):
        if s != side:
            length, last = 1, heads[value, s]
            entry = following[last]
            while entry >= 0:
                if entries[entry, END] > now:
                    following[last] = entry
                    last = entry
                    length += 1
                entry = following[entry]
            following[last] = -1
            number *= length
    return number


@inner
def _combine(
    results: Ints, numbers: Ints, chains: Ints, new: tuple[int, int], following: Ints, entries: Ints, met: Ints
) -> None:
    """Adds all combinations of the new row with one row of each other side: their rows, begin and end.

    `chains`: the heads of the sides. `met`: room for an entry of each side.
    """
    side, entry = new
    sides = met.shape[0]
    for s in range(sides):
        met[s] = entry if s == side else chains[s]
    done = False
    while not done:
        result = numbers[1]
        numbers[1] += 1
        end = entries[entry, END]
        for s in range(sides):
            results[result, s] = entries[met[s], ROW]
            end = min(end, entries[met[s], END])
        results[result, sides] = entries[entry, BEGIN]
        results[result, sides + 1] = end
        done = True
        for s in range(sides):
            if s != side:
                met[s] = following[met[s]]
                if met[s] >= 0:
                    done = False
                    break
                met[s] = chains[s]


@inner
def _of_results(results: Ints, order: Ints) -> tuple[Ints, Ints, Ints]:
    """[sides, results] The rows of results in an order, their begins and ends."""
    count, sides = order.shape[0], results.shape[1] - 2
    rows = np.empty((sides, count), np.int64)
    begin = np.empty(count, np.int64)
    end = np.empty(count, np.int64)
    for place in range(count):
        result = order[place]
        for s in range(sides):
            rows[s, place] = results[result, s]
        begin[place] = results[result, sides]
        end[place] = results[result, sides + 1]
    return rows, begin, end
