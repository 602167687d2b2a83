"""Computes the confidence of matches by definition, in plain Python. Tests compare the kernels with it. Exponential.

Each choice of one moment for every event is a possible world, in which time is precise. The confidence of a match is
the total probability of the worlds that contain it (SASE++, section 2.3). Probabilities are exact.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeVar

Match = TypeVar("Match", bound=Hashable)

Interval = tuple[int, int]
"""First and last moment, both included."""


def possible_worlds(intervals: Sequence[Interval]) -> Iterator[tuple[int, ...]]:
    """All choices of one moment for each event.

    >>> list(possible_worlds([(1, 2), (5, 5)]))
    [(1, 5), (2, 5)]
    """
    return itertools.product(*(range(low, high + 1) for low, high in intervals))


def confidences(
    intervals: Sequence[Interval], matches: Callable[[tuple[int, ...]], Iterable[Match]]
) -> dict[Match, Fraction]:
    """The probability of every match of any world; `matches(world)` yields the matches of one world, each once.

    >>> confidences([(1, 2), (2, 3)], lambda world: ["in order"] if world[0] < world[1] else [])
    {'in order': Fraction(3, 4)}
    """
    of_a_world = Fraction(1, math.prod(high - low + 1 for low, high in intervals))
    probabilities: dict[Match, Fraction] = {}
    for world in possible_worlds(intervals):
        for match in matches(world):
            probabilities[match] = probabilities.get(match, Fraction(0)) + of_a_world
    return probabilities
