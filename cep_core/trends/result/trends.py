"""The aggregates of the trends of one slice, by partition and window."""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.arrays import Ints
from cep_core.numbers.codes import Coding
from cep_core.numbers.integers import Integers


@dataclass(frozen=True)
class Trends:
    """The aggregates of W pairs of a partition and a window, each with at least one trend."""

    partition: Ints
    window: Ints
    totals: tuple[Integers, ...]
    """The number of trends, then the totals of the plan."""
    shifts: tuple[int, ...]
    """Total i is its number divided by 2**shift. The shift of the number of trends is 0."""
    minima: tuple[Ints, ...]
    codings: tuple[Coding, ...]
