"""Whether the stream has changed so much that the model must be trained again (pSPICE, section III-D).

A fresh transition matrix, from the observations since the last look, is compared with the one in use, by the mean
squared error of their entries. States with few fresh observations are left out, because their frequencies would depend
on chance.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Floats
from cep_core.shedding.model.observations import Observations

ENOUGH = 200
"""How many observations of a state are needed to compare its row."""


def deviation(used: Floats, fresh: Floats) -> float:
    """Mean squared error between two transition matrices.

    From seq(A; B; C) with each type in a third of the events to one where each is in half of them:

    >>> def chain(p):
    ...     return np.array([[1 - p, p, 0, 0], [0, 1 - p, p, 0], [0, 0, 1 - p, p], [0, 0, 0, 1]])
    >>> round(deviation(chain(1 / 3), chain(1 / 2)), 4)
    0.0104
    """
    return float(np.mean((used - fresh) ** 2))


def has_drifted(used: Floats, fresh: Observations, threshold: float) -> bool:
    """Whether the rows observed often enough deviate by more than `threshold`."""
    matrix = fresh.transitions()
    compared_rows = fresh.moves.sum(axis=1) >= ENOUGH
    return bool(compared_rows.any()) and deviation(used, np.where(compared_rows[:, None], matrix, used)) > threshold
