"""The loads at which strategies are compared, as shares of what the operator can bear, and the one that is told."""

from __future__ import annotations

from collections.abc import Iterable

LOADS = (1.2, 1.4, 1.6, 1.8, 2.0)
"""The paper's event rates (pSPICE, section IV)."""

_TOLD = 1.4


def load_told(loads: Iterable[float]) -> float:
    """The load whose day is told part by part: 140 % where it was measured, else the one in the middle.

    `loads`: at least one.

    >>> load_told([1.2, 1.4, 2.0]), load_told([1.2, 1.6, 2.0])
    (1.4, 1.6)
    """
    ordered = sorted(loads)
    return _TOLD if _TOLD in ordered else ordered[len(ordered) // 2]
