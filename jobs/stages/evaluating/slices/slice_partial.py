"""What the evaluation of a slice gives for one block of days of one query: batches for the merge, and what it took."""

from __future__ import annotations

import resource
from dataclasses import dataclass

from jobs.stages.evaluating.left_batches import Batch

FINISHED = -1
"""The bucket of partial results that are ready for the merge."""


@dataclass(frozen=True)
class SlicePartial:
    """The partial result of one slice for one block of days of one query: record batches, here or in a file.

    `into`: the table that it was evaluated for; some batches may be for further tables of the query. `events`: read for
    each day of the block. Events that a piece reads before its first day count to that day.
    """

    query: str
    into: str
    plan_id: str
    slice: int
    block: int
    batches: tuple[Batch, ...]
    events: tuple[int, ...]
    rows: int
    seconds: float
    peak_memory: int
    together: int = 1
    """How many slices were evaluated in one call. `rows` and `seconds` are then this slice's share of the call's, by
    events, and the batches of all are with the first of them."""
    copies: float = 1.0
    """Copies of an event among these slices: the call read each event once."""
    bucket: int = FINISHED
    """Pieces of projected results with equal values are in the same bucket, from whatever slice."""


def peak_memory() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
