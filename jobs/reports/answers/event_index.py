"""Events looked up by their `seq`: matches name events, readers want their times and attributes.

`seq` is unique in a log, so an index over the events that a day's matches name serves every match.
Cost: a sort of those events, unless they are in order, as the events of a day's files are; then a binary search for
each event looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags, Ints, are_in_order, distinct
from cep_core.events.chunks import one_array


class EventIndex:
    """Events of some days, by `seq`."""

    def __init__(self, events: pa.Table) -> None:
        if not are_in_order(events["seq"].to_numpy()):
            events = events.take(pc.sort_indices(events, sort_keys=[("seq", "ascending")]))
        self.events: pa.Table = events.combine_chunks()
        self.seqs: Ints = self.events["seq"].to_numpy()

    def positions(self, seqs: Ints) -> Ints:
        """Row numbers in `events`; -1 for a `seq` that is not in it."""
        if not len(self.seqs):
            return np.full(len(seqs), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.seqs, seqs), len(self.seqs) - 1)
        return np.where(self.seqs[places] == seqs, places, -1)

    def attribute(self, name: str, seqs: Ints) -> pa.Array:
        """An attribute of each event; null if the event or the attribute is missing."""
        if name not in self.events.column_names:
            return pa.nulls(len(seqs))
        rows = self.positions(seqs)
        return one_array(self.events[name]).take(pa.array(np.maximum(rows, 0), mask=rows < 0))

    def get(self, seq: int) -> Mapping[str, Any] | None:
        """One event's columns."""
        [row] = self.positions(np.array([seq], dtype=np.int64))
        return None if row < 0 else {name: self.events[name][int(row)].as_py() for name in self.events.column_names}


def seqs_of(matches: pa.Table, variables: Iterable[str]) -> Ints:
    """The events that matches, listed or compact, name for these variables: ascending, each once."""
    named = [np.zeros(0, np.int64)]
    for name in variables:
        if name in matches.column_names:
            for chunk in matches[name].chunks:
                seqs = chunk.flatten() if pa.types.is_nested(chunk.type) else chunk
                named.append(seqs.cast(pa.int64()).drop_null().to_numpy())
    seqs = np.concatenate(named)
    return seqs if _ascend(seqs) else distinct(seqs)


def are_among(seqs: Ints, named: Ints) -> Flags:
    """[seqs] Whether each is `named`, which ascend. Cost: where `seqs` ascend, as those of a file do, a binary search
    for each that is named between their ends; else one for each of them.

    >>> are_among(np.array([2, 3, 5, 7]), np.array([1, 3, 7, 9])).tolist()
    [False, True, False, True]
    >>> are_among(np.array([7, 2, 3]), np.array([1, 3, 7, 9])).tolist()
    [True, False, True]
    """
    flags = np.zeros(len(seqs), np.bool_)
    if not len(seqs) or not len(named):
        return flags
    if _ascend(seqs):
        begin, end = np.searchsorted(named, seqs[[0, -1]])
        within = named[begin : end + 1]
        places = np.minimum(np.searchsorted(seqs, within), len(seqs) - 1)
        flags[places[seqs[places] == within]] = True
        return flags
    places = np.minimum(np.searchsorted(named, seqs), len(named) - 1)
    return np.equal(named[places], seqs, out=flags)


def _ascend(seqs: Ints) -> bool:
    """Whether they ascend, and none comes twice."""
    return bool((seqs[:-1] < seqs[1:]).all())
