"""The rules of a run: how to choose victims, the detector, the tables. Flat arrays, for the kernels.

A shedder builds `Rules`; the kernels know the ways of choosing that are named below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Floats, Ints
from cep_core.shedding.model.overload import Detector

KEEP, LOWEST, CHANCE, EVENTS, LOWEST_AHEAD, USEFUL = range(6)
"""What is dropped: nothing; the partial matches of lowest utility; partial matches by chance; events from windows, by
type; the partial matches of lowest worth, as a run without shedding knows it; all partial matches that, by such a run,
lead to no match, and if that is not enough those of lowest worth."""

UNTRACKED, RECORD, REPLAY = range(3)


class Rules(NamedTuple):
    """For Q patterns. Arrays that a way of choosing does not use are empty."""

    kind: int
    everywhere: bool
    """Whether all partial matches of the operator count and may go, or only those that the event meets."""
    seed: int
    bound: int
    buffer: int
    processing: tuple[int, float, float]
    shedding: tuple[int, float, float]
    gain: Floats
    """Weighted completion probabilities of all patterns, row by row."""
    price: Floats
    """Remaining processing times, scaled, likewise."""
    table_at: Ints
    """[Q + 1]."""
    bin: Ints
    """[Q] events between two rows."""
    rate: Floats
    """[Q] events met in a unit of the clock."""
    lack: Floats
    """[K] how readily events of type k are dropped: its lack of utility."""
    wanted_at: Floats
    """[B] ascending, from 0: the share of the load that is dropped if each type goes with its lack times a scale."""
    scale_at: Floats
    """[B] that scale; between two of them both are linear."""
    tracked: int
    worth: Ints
    """By node: matches that a partial match and those that spring from it become."""
    left: Ints
    """By node: what they cost."""
    first_child: Ints
    next_sibling: Ints
    root: Ints
    """[W] the node with which a window opens."""


NO_INTS = np.zeros(0, np.int64)
NO_FLOATS = np.zeros(0, np.float64)

WITHOUT = Rules(
    KEEP,
    True,
    0,
    0,
    0,
    (0, 0.0, 0.0),
    (0, 0.0, 0.0),
    NO_FLOATS,
    NO_FLOATS,
    NO_INTS,
    NO_INTS,
    NO_FLOATS,
    NO_FLOATS,
    NO_FLOATS,
    NO_FLOATS,
    UNTRACKED,
    NO_INTS,
    NO_INTS,
    NO_INTS,
    NO_INTS,
    NO_INTS,
)
"""Nothing is dropped."""


def guarded(detector: Detector, kind: int, seed: int) -> Rules:
    """Rules with a detector; how victims are chosen is filled in by the shedder."""
    f, g = detector.processing, detector.shedding
    return WITHOUT._replace(
        kind=kind,
        seed=seed,
        bound=detector.bound,
        buffer=detector.buffer,
        processing=(f.kind, f.base, f.slope),
        shedding=(g.kind, g.base, g.slope),
    )
