"""Matrix products on one core.

OpenBLAS, which NumPy multiplies with, wakes a thread on every core for a product of more than 2^18 steps, and these
spin while they wait for each other. For products that take microseconds this costs many times the work, and on a busy
machine it takes longer, too. So rows are multiplied a few at a time.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Floats

STEPS = 1 << 18
"""The most steps of a matrix product that OpenBLAS makes on one core."""
VECTOR_STEPS = 9 << 10
"""The same of a product of a matrix and a vector."""


def product(left: Floats, right: Floats) -> Floats:
    """`left @ right`.

    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    inner, columns = right.shape
    most = STEPS if columns > 1 else VECTOR_STEPS
    rows = max(most // max(inner * columns, 1) - 1, 2)
    if len(left) <= rows:
        made: Floats = left @ right
        return made
    return np.concatenate([left[first : first + rows] @ right for first in range(0, len(left), rows)])
