"""The loads of the slices of a log: the largest slice, the copies of an event, and how even the slices are.

Counted on the events themselves. Cost: one split of the events, in batches, so that memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.experiments.rival_slicers import Pairs

BATCH = 25_000
"""Events that are split at a time: their pairs with 64 slices fit into a processor's cache."""

Splitter = Callable[[pa.Table], Pairs]


@dataclass(frozen=True)
class Loads:
    """How many events each slice holds, and how many different events there are."""

    events: npt.NDArray[np.int64]
    relevant: int

    @property
    def maximum(self) -> float:
        """Events of the fullest slice, divided by all relevant events."""
        return float(self.events.max(initial=0) / self.relevant) if self.relevant else 0.0

    @property
    def replication(self) -> float:
        """Copies of a relevant event, on average."""
        return float(self.events.sum() / self.relevant) if self.relevant else 0.0

    @property
    def imbalance(self) -> float:
        """The fullest slice, divided by the mean of all slices, empty ones included. 1 is perfectly even."""
        return float(self.events.max() / self.events.mean()) if self.events.any() else 1.0


def loads_of(splitter: Splitter, slices: int, events: pa.Table, relevant: int) -> Loads:
    """Loads of the slices that a splitter makes of `events`. `relevant`: how many of them some atom matches."""
    counts = np.zeros(slices, np.int64)
    for start in range(0, events.num_rows, BATCH):
        counts += np.bincount(splitter(events.slice(start, BATCH))[1], minlength=slices)
    return Loads(counts, relevant)
