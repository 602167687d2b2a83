"""Aggregates of the trends of one slice, by partition and window."""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.arrays import Ints
from cep_core.numbers.codes import Coding
from cep_core.numbers.integers import Integers


@dataclass(frozen=True)
class Trends:
    """Aggregates of W pairs of a partition and a window that have a trend."""

    partition: Ints
    window: Ints
    totals: tuple[Integers, ...]
    """Number of trends, then the plan's totals."""
    shifts: tuple[int, ...]
    """Total i is its number over 2**shift; 0 for the number of trends."""
    minima: tuple[Ints, ...]
    codings: tuple[Coding, ...]
