"""Chooses things that differ: those that lead, then always the one with the most that none before it has.

Cost: a pass over what all things have for each that is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cep_core.arrays import Ints
from jobs.reports.answers.listing import SHOWN


def differing(held: Ints, lengths: Ints, leading: Sequence[int], at_most: int = SHOWN) -> list[int]:
    """Numbers of things: those `leading`, then each with the most that is new, until none has anything new.

    `held`: what the things have, as numbers, thing by thing; `lengths`: how much each of them has, at least one.

    >>> differing(np.array([1, 2, 3, 1, 2, 4, 1, 5, 6, 1, 2]), np.array([3, 3, 3, 2]), [0])
    [0, 2, 1]
    """
    _, held = np.unique(held, return_inverse=True)
    starts: Ints = np.cumsum(lengths) - lengths
    fresh = np.ones(held.max(initial=-1) + 1, dtype=np.int64)
    chosen: list[int] = []

    def take(number: int) -> None:
        chosen.append(number)
        fresh[held[starts[number] : starts[number] + lengths[number]]] = 0

    for number in leading[:at_most]:
        take(number)
    while len(chosen) < at_most:
        new = np.add.reduceat(fresh[held], starts)
        best = int(new.argmax())
        if not new[best]:
            break
        take(best)
    return chosen
