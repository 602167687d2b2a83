"""Relations whose rows hold for runs of time-points.

A row is a valuation of the relation's variables that holds at the points [begin, end). In normal form the runs of one
valuation are disjoint and do not touch, so that a valuation has as few rows as possible. Rows are in no order that
users may rely on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.int64] | npt.NDArray[np.float64]
"""Integers, floats, or the codes of texts in the slice's dictionary."""


@dataclass(frozen=True)
class Relation:
    """`columns`: one for each of `variables`, as long as `begin` and `end`, the int64 points of the runs."""

    variables: tuple[str, ...]
    columns: tuple[Column, ...]
    begin: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]

    @property
    def rows(self) -> int:
        return len(self.begin)
