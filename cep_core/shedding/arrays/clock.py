"""The virtual clock: log time is scaled so that the operator has the given load.

Load x: the day's unshed virtual cost is x times the scaled day's length (`docs/semantics.md` 7). Only
products and quotients of doubles are rounded, one after another, so the result is the same on every machine.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Ints


def arrivals(ts: Ints, begin: int, end: int, cost: int, load: float) -> Ints:
    """Virtual nanoseconds at which events at `ts` arrive, if log time [begin, end) costs `cost` unshed at load 1.

    >>> arrivals(np.array([0, 50, 100]), 0, 100, 1000, 2.0).tolist()
    [0, 250, 500]
    """
    if load <= 0 or end <= begin:
        raise ValueError("a load is positive, and log time has a length")
    unit = cost / load / (end - begin)
    return np.floor((np.asarray(ts, np.int64) - begin) * unit).astype(np.int64)
