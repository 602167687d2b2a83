"""The least and the greatest of a column's numbers, and whether they rise: one pass where NumPy takes four."""

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
    least = most = numbers[0]
    steps_down = 0
    for place in range(1, numbers.shape[0]):
        number = numbers[place]
        least, most = min(least, number), max(most, number)
        steps_down += number <= numbers[place - 1]
    return least, most, steps_down == 0
