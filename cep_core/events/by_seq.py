"""The rows of events by their `seq`. Cost: one sort of the log's `seq`, then a search for each event."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints


class BySeq:
    """Finds events of a log by `seq`.

    >>> events = BySeq(pa.table({"seq": [7, 5, 9]}))
    >>> events.row(5), events.row(6), events.rows([9, 7]).tolist()
    (1, None, [2, 0])
    """

    def __init__(self, events: pa.Table) -> None:
        seqs = events["seq"].to_numpy()
        self._order = np.argsort(seqs, kind="stable")
        self._seqs = seqs[self._order]

    def row(self, seq: int) -> int | None:
        """The row of an event; None if no event has this `seq`."""
        place = int(np.searchsorted(self._seqs, seq))
        is_present = place < len(self._seqs) and self._seqs[place] == seq
        return int(self._order[place]) if is_present else None

    def rows(self, seqs: Ints | list[int]) -> Ints:
        """The row of each event. Raises ValueError if the log lacks some."""
        wanted = np.asarray(seqs, dtype=np.int64)
        places = np.searchsorted(self._seqs, wanted)
        inside = np.minimum(places, max(len(self._seqs) - 1, 0))
        if len(wanted) and (not len(self._seqs) or (self._seqs[inside] != wanted).any()):
            raise ValueError("matches name events that this log does not have: give the log in which they were found")
        return self._order[inside]
