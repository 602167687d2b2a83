"""Sorts listed matches by their paths, element by element; a path comes before longer paths that begin with it.

Cost: a merge sort of each group of rows; linear if the rows are already in order.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner


@inner
def _in_order(offsets: Ints, values: Ints, first: int, second: int) -> bool:
    """Whether the path of row `first` is less than or equal to the path of row `second`."""
    length = min(offsets[first + 1] - offsets[first], offsets[second + 1] - offsets[second])
    for k in range(length):
        left, right = values[offsets[first] + k], values[offsets[second] + k]
        if left != right:
            return left < right
    return offsets[first + 1] - offsets[first] == length


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
