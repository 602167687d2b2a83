"""Events looked up by their `seq`: matches name events, readers want their times and attributes.

`seq` is unique in a log, so an index over the events that a day's matches name serves every match.
Cost: one sort of those events, then a binary search for each event looked up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.chunks import one_array


class EventIndex:
    """Events of some days, by `seq`."""

    def __init__(self, events: pa.Table) -> None:
        order = pc.sort_indices(events, sort_keys=[("seq", "ascending")])
        self.events: pa.Table = events.take(order).combine_chunks()
        self.seqs: npt.NDArray[np.int64] = self.events["seq"].to_numpy()

    def positions(self, seqs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Row numbers in `events`; -1 for a `seq` that is not in it."""
        if not len(self.seqs):
            return np.full(len(seqs), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.seqs, seqs), len(self.seqs) - 1)
        return np.where(self.seqs[places] == seqs, places, -1)

    def attribute(self, name: str, seqs: npt.NDArray[np.int64]) -> pa.Array:
        """An attribute of each event; null if the event or the attribute is missing."""
        if name not in self.events.column_names:
            return pa.nulls(len(seqs))
        rows = self.positions(seqs)
        return one_array(self.events[name]).take(pa.array(np.maximum(rows, 0), mask=rows < 0))

    def get(self, seq: int) -> Mapping[str, Any] | None:
        """One event's columns."""
        [row] = self.positions(np.array([seq], dtype=np.int64))
        return None if row < 0 else {name: self.events[name][int(row)].as_py() for name in self.events.column_names}


def seqs_of(matches: Sequence[pa.Table], variables: Sequence[str]) -> pa.Array:
    """The events that matches, listed or compact, name for these variables; each once."""
    named = [pa.array([], pa.int64())]
    for rows in matches:
        for name in variables:
            if name in rows.column_names:
                for chunk in rows[name].chunks:
                    named.append((chunk.flatten() if pa.types.is_nested(chunk.type) else chunk).cast(pa.int64()))
    return pa.chunked_array(named).unique().drop_null()
