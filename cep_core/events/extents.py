"""The least and the greatest of a column's numbers, and whether they rise: one pass of numbers that rise, else two."""

from __future__ import annotations

from numba import njit

from cep_core.arrays import Ints


@njit(cache=True)
def extent(numbers: Ints) -> tuple[int, int, bool]:
    """The least number, the greatest, and whether each is greater than the one before. `numbers` is whole and
    read-only; of no numbers, both are 0.

    >>> from cep_core.arrays import read_only
    >>> import numpy as np
    >>> extent(read_only(np.array([3, 5, 4]))), extent(read_only(np.array([3, 5])))
    ((3, 5, False), (3, 5, True))
    """
    if numbers.shape[0] == 0:
        return 0, 0, True
    steps_down = 0
    for place in range(1, numbers.shape[0]):
        steps_down += numbers[place] <= numbers[place - 1]
    if steps_down == 0:
        return numbers[0], numbers[-1], True
    least = most = numbers[0]
    for place in range(1, numbers.shape[0]):
        least, most = min(least, numbers[place]), max(most, numbers[place])
    return least, most, False
