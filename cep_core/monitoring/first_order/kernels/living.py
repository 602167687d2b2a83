"""The values that rows of a part have and that still hold: a hash table that is as large as what it holds.

A full table is made anew without the values that no longer hold, and is twice as large if more than half of them do. So
its size follows what holds at one time, and each value is moved O(1) times on average.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.monitoring.first_order.kernels.hashing import longer, longer_rows, same
from cep_core.monitoring.first_order.kernels.partitions import HASH, ROW

_FEWEST = 64


class LivingValues(NamedTuple):
    """`slots`: the number of a value, or -1; by the lower bits of the hash, and the next slots follow.

    By value: its hash; an entry that has it; the end of its last row; for each side the head of the chain of its rows.
    """

    slots: Ints
    hashes: Ints
    entry: Ints
    last: Ints
    heads: Ints


@inner
def no_values(sides: int) -> LivingValues:
    """A small table without values."""
    return LivingValues(
        np.full(2 * _FEWEST, -1, np.int64),
        np.empty(_FEWEST, np.int64),
        np.empty(_FEWEST, np.int64),
        np.empty(_FEWEST, np.int64),
        np.empty((_FEWEST, sides), np.int64),
    )


@inner
def slot_for(values: LivingValues, rows: Ints, entries: Ints, entry: int) -> int:
    """The slot of an entry's value, or the empty slot where it belongs."""
    mask = values.slots.shape[0] - 1
    hashed = entries[entry, HASH]
    slot = hashed & mask
    while True:
        value = values.slots[slot]
        if value < 0 or (
            values.hashes[value] == hashed
            # The hash of one number is one to one.
            and (rows.shape[1] == 1 or same(rows, entries[entry, ROW], rows, entries[values.entry[value], ROW]))
        ):
            return slot
        slot = (slot + 1) & mask


@inner
def with_room(values: LivingValues, used: int, now: int) -> tuple[LivingValues, int]:
    """The values whose last row does not end before `now`, with room for as many again; and their number."""
    kept = 0
    for value in range(used):
        if values.last[value] >= now:
            values.hashes[kept] = values.hashes[value]
            values.entry[kept] = values.entry[value]
            values.last[kept] = values.last[value]
            for side in range(values.heads.shape[1]):
                values.heads[kept, side] = values.heads[value, side]
            kept += 1
    if 2 * kept > used:
        heads = longer_rows(values.heads, kept, 2 * used)
        slots = np.empty(2 * values.slots.shape[0], np.int64)
        values = LivingValues(slots, longer(values.hashes), longer(values.entry), longer(values.last), heads)
    values.slots[:] = -1
    mask = values.slots.shape[0] - 1
    for value in range(kept):
        slot = values.hashes[value] & mask
        while values.slots[slot] >= 0:
            slot = (slot + 1) & mask
        values.slots[slot] = value
    return values, kept
