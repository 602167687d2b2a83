"""A second round in slices: the first rows of a result are explained by the slices that own them, and by no others.

A slice does not know which of its rows are a day's first ones until all slices are merged. Then it is asked about
these alone (`ResultTable.in_slices`). It reads the events on which they depend: rows whose events overlap are explained
together. So what is read and made grows with the rows that a day keeps, however many slices there are.

Cost: for each slice a hash of the values of each row that is asked about, then the events in reach of those it owns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cep_core.language.evaluator import CERTAIN, Explain, Ownership
from cep_core.slicing import Plan, ownership
from jobs.stages.evaluating.large_slices import Rows
from jobs.stages.evaluating.left_batches import from_bytes, to_bytes
from jobs.stages.evaluating.reading import Moments, Reading, between

Asked = Mapping[int, bytes]
"""The rows to be explained, with `certain`, by block of days, as an IPC stream. A block without rows is missing."""


def asked_about(rows: Mapping[int, pa.Table]) -> Asked:
    """Rows by block of days, as they travel to workers."""
    return {block: to_bytes(own.combine_chunks().to_batches()[0]) for block, own in rows.items() if own.num_rows}


@dataclass(frozen=True)
class OwnedRows:
    """Rows of a block of days, with `certain`, of which a slice owns something."""

    rows: pa.Table
    owned: Ownership

    @classmethod
    def of(cls, asked: bytes, plan: Plan, number: int, query: str) -> OwnedRows:
        """Those among the rows that are asked about. `number`: of the slice."""
        rows = pa.Table.from_batches([from_bytes(asked)])
        owned = ownership(plan, number, None, query)
        kept = np.ones(rows.num_rows, np.bool_) if owned.owns is None else owned.owns(rows.drop_columns([CERTAIN]))
        if owned.days is not None:
            certain = rows[CERTAIN].to_numpy()
            kept &= (certain >= owned.days[0]) & (certain < owned.days[-1])
        return cls(rows.filter(pa.array(kept)), owned)

    def explained(
        self, explain: Explain, events: Rows, reading: Reading, parts: Sequence[Moments], inputs: tuple[int, int]
    ) -> Iterator[pa.RecordBatch]:
        """What the slice says of the rows.

        `parts`: the moments of certainty that it owns, as they respect the limit of rows. `inputs`: the moments
        [first, last) that the block of days may read.
        """
        certain = self.rows[CERTAIN].to_numpy()
        for part in parts:
            inside = between(certain, part[0], part[-1])
            for first, end, begin in _together(certain[inside].tolist(), reading, inputs[0]):
                own = self.rows.slice(inside.start + first, end - first)
                last = int(certain[inside.start + end - 1]) + 1
                span = between(reading.stamps, begin, last)
                seen = reading.points_of(begin, last, inputs)
                assert seen is not None, "a query whose rows are explained reads time-points"
                read = events.slice(span.start, span.stop - span.start)
                yield from explain(own.drop_columns([CERTAIN]), read, seen, self.owned)


def _together(certain: Sequence[int], reading: Reading, since: int) -> Iterator[tuple[int, int, int]]:
    """Places [first, end) of rows that are explained together, and the first moment that they depend on."""
    begins = [max(since, reading.start(moment)) for moment in certain]
    first = 0
    for place in range(1, len(certain) + 1):
        if place == len(certain) or begins[place] > certain[place - 1]:
            yield first, place, begins[first]
            first = place
