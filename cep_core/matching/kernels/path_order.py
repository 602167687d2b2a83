"""Sorts listed matches by their paths, element by element; a path comes before longer paths that begin with it.

Cost: a merge sort of each group of rows; linear if the rows are already in order.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints


@njit(cache=True)
def _in_order(offsets: Ints, values: Ints, one: int, other: int) -> bool:
    """Whether the path of row `one` is less than or equal to the path of row `other`."""
    length = min(offsets[one + 1] - offsets[one], offsets[other + 1] - offsets[other])
    for k in range(length):
        left, right = values[offsets[one] + k], values[offsets[other] + k]
        if left != right:
            return left < right
    return offsets[one + 1] - offsets[one] == length


@njit(cache=True)
def sort_groups(order: Ints, groups: Ints, offsets: Ints, values: Ints) -> None:
    """Sorts the rows of each group by path with a merge sort, which skips parts that are already in order."""
    spare = np.empty_like(order)
    for g in range(groups.shape[0] - 1):
        begin, end = groups[g], groups[g + 1]
        width = 1
        while width < end - begin:
            for low in range(begin, end, 2 * width):
                middle, high = min(low + width, end), min(low + 2 * width, end)
                if middle == high or _in_order(offsets, values, order[middle - 1], order[middle]):
                    continue
                i, j = low, middle
                for k in range(low, high):
                    take_left = j == high or (i < middle and _in_order(offsets, values, order[i], order[j]))
                    if take_left:
                        spare[k] = order[i]
                        i += 1
                    else:
                        spare[k] = order[j]
                        j += 1
                order[low:high] = spare[low:high]
            width *= 2
