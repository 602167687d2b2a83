"""Past operators over columns of bits, block by block: what a block needs of earlier ones is carried in small arrays.

Flags say where a sub-log begins, and where the end of a closed one stands, which is later than any interval reaches.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Ints
from cep_core.monitoring.propositional.arrays.trace import Bits as Column
from cep_core.monitoring.propositional.stream.kernels.points import FIRST_POINT, LAST_POINT
from cep_core.monitoring.propositional.stream.kernels.rewriting import ENDLESS, distance
from cep_core.monitoring.propositional.stream.kernels.state import Codes


@njit(cache=True)
def prev_column(body: Column, stamps: Ints, flags: Codes, near: np.uint64, far: np.uint64, last: Ints) -> Column:
    """PREV. `last`: the stamp of the point before the block, whether the body held there."""
    holds = np.empty(body.shape[0], np.bool_)
    stamp, held = last[0], last[1] == 1
    for i in range(body.shape[0]):
        gap = ENDLESS if flags[i] == LAST_POINT else distance(stamp, stamps[i])
        holds[i] = flags[i] != FIRST_POINT and held and near <= gap <= far
        stamp, held = stamps[i], body[i]
    last[0] = stamp
    last[1] = held
    return holds


@njit(cache=True)
def since_column(
    left: Column, right: Column, stamps: Ints, flags: Codes, near: np.uint64, far: np.uint64, queue: Ints, ends: Ints
) -> Column:
    """SINCE. queue[ends[0]:ends[1]]: the stamps at which the right side held and since when the left side has held.

    One stamp suffices if the interval begins at 0, the latest, or has no end, the earliest. Else the queue has one
    entry for each stamp that is not too old. It has room for the stamps of the block.
    """
    holds = np.empty(left.shape[0], np.bool_)
    begin, end = ends[0], ends[1]
    none = np.uint64(0)
    for i in range(left.shape[0]):
        now = stamps[i]
        if flags[i] == FIRST_POINT or not left[i]:
            begin, end = 0, 0
        if flags[i] == LAST_POINT:
            holds[i] = (begin < end and far == ENDLESS) or (right[i] and near == none)
            continue
        while begin < end and distance(queue[begin], now) > far:
            begin += 1
        if right[i] and (begin == end or (far != ENDLESS and queue[end - 1] != now)):
            if begin == end or near == none:
                begin, end = 0, 0
            queue[end] = now
            end += 1
        holds[i] = begin < end and distance(queue[begin], now) >= near
    ends[0], ends[1] = begin, end
    return holds


@njit(cache=True)
def write_bit(letters: Bits, column: Column, word: int, bit: int) -> None:
    """Sets a leaf's bit in the letters of the points where it holds."""
    flag = np.uint64(1) << np.uint64(bit)
    for i in range(column.shape[0]):
        if column[i]:
            letters[i, word] |= flag
