"""A trace: the stamps of points, and which atoms hold at them; many sub-logs lie side by side.

Both engines read traces. One sub-log after the other, each with its points in order; a log without sub-logs is a
single one. Memory: 8 bytes a point for its stamp, and one byte for each atom.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.bool_]
"""[n] one truth value for each point."""


@dataclass(frozen=True)
class Trace:
    """n points of k sub-logs, and the truth of a atoms."""

    stamps: npt.NDArray[np.int64]
    """[n] non-decreasing within each sub-log."""
    atoms: dict[str, Bits]
    """By atom's name, [n]."""
    starts: npt.NDArray[np.int64]
    """[k + 1] sub-log i has the points [starts[i], starts[i + 1])."""

    @property
    def points(self) -> int:
        return len(self.stamps)
