"""The rules of a run: how to choose victims, the detector, the tables. Flat arrays, for the kernels.

A shedder builds `Rules`; the kernels know the ways of choosing that are named below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Floats, Ints
from cep_core.shedding.model.overload import Detector

KEEP, LOWEST, CHANCE, EVENTS, LOWEST_AHEAD, USEFUL = range(6)
"""What is dropped. `KEEP`: nothing. `LOWEST`: partial matches of lowest utility. `CHANCE`: partial matches by chance.
`EVENTS`: events from windows, by type. `LOWEST_AHEAD`: the partial matches of lowest worth; a run without shedding
tells the worth. `USEFUL`: all partial matches that lead to no match in that run, then those of lowest worth if that is
not enough."""

UNTRACKED, RECORD, REPLAY = range(3)


class Rules(NamedTuple):
    """For Q patterns. Arrays that a way of choosing does not use are empty."""

    kind: int
    everywhere: bool
    """Whether all partial matches of the operator count and may be dropped, or only those that the event meets."""
    seed: int
    bound: int
    buffer: int
    processing: tuple[int, float, float]
    shedding: tuple[int, float, float]
    gain: Floats
    """Weighted completion probabilities of all patterns, row by row."""
    price: Floats
    """Remaining processing times, scaled, in the same order."""
    table_at: Ints
    """[Q + 1] where the tables of each pattern begin in `gain` and `price`."""
    bin: Ints
    """[Q] events between two rows of a table."""
    rate: Floats
    """[Q] events met in a unit of the clock."""
    lack: Floats
    """[K] the lack of utility of event type k: the larger it is, the more likely its events are dropped."""
    wanted_at: Floats
    """[B] ascending, from 0: the share of the load that is dropped if types are dropped with lack times a scale."""
    scale_at: Floats
    """[B] that scale. Between two entries both are interpolated linearly."""
    tracked: int
    worth: Ints
    """By node: the matches that a partial match and its descendants become."""
    left: Ints
    """By node: what the partial match and its descendants cost."""
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
