"""Ascending time-stamps that are only searched: a file that is mapped, so they take no memory.

The planner searches those of days, an evaluation those of a slice. Fifty million events have 400 MB of stamps; a search
touches a few pages of them. Cost: a read of their columns, and 8 bytes of disk for each event while the array is in
use.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jobs.stages.slicing.event_pieces import event_pieces


def ascending_stamps(events: Path, days: Collection[date]) -> npt.NDArray[np.int64]:
    """The stamps of all events of some days. `events`: the folder of the table. The file goes with the array."""
    return mapped(piece["ts"].to_numpy() for piece in event_pieces(events, ["ts", "seq"], days))


def mapped(parts: Iterable[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Numbers that come in parts, in a file that goes with the array.

    >>> mapped([np.array([3, 5]), np.array([8])]).tolist(), mapped([]).tolist()
    ([3, 5, 8], [])
    """
    with tempfile.TemporaryFile(prefix="trendmill-stamps-") as file:
        for part in parts:
            file.write(part.tobytes())
        if not file.tell():
            return np.empty(0, np.int64)
        file.flush()
        return np.memmap(file, np.int64, mode="r")
