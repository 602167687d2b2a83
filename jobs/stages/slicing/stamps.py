"""The ascending time-stamps of days, which the planner searches: a file that is mapped, so they take no memory.

Fifty million events have 400 MB of stamps; a search touches a few pages of them. Cost: a read of two columns, and 8
bytes of disk for each event while the array is in use.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jobs.stages.slicing.event_pieces import event_pieces


def ascending_stamps(events: Path, days: Collection[date]) -> npt.NDArray[np.int64]:
    """The stamps of all events of some days. `events`: the folder of the table. The file goes with the array."""
    with tempfile.TemporaryFile(prefix="trendmill-stamps-") as file:
        for piece in event_pieces(events, ["ts", "seq"], days):
            file.write(piece["ts"].to_numpy().tobytes())
        if not file.tell():
            return np.empty(0, np.int64)
        file.flush()
        return np.memmap(file, np.int64, mode="r")
