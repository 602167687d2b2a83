"""The few of many events on which an answer rests: parts are left out as long as the answer stays.

Larger parts first, then smaller ones, down to single events (delta debugging). Cost: an evaluation for each try.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")

SECONDS = 10.0
"""How long a person waits for a smaller case."""


def shrunk(items: Sequence[_Item], holds: Callable[[Sequence[_Item]], bool], seconds: float = SECONDS) -> list[_Item]:
    """Some of the items, for which `holds` is true as it is for all, and no longer without any single one of them.

    If the time is over, some items may still be left that could go.

    >>> shrunk(range(100), lambda some: {13, 77} <= set(some))
    [13, 77]
    """
    left, end = list(items), time.monotonic() + seconds
    size = max(len(left) // 2, 1)
    while True:
        before, begin = len(left), 0
        while begin < len(left) and time.monotonic() < end:
            rest = [*left[:begin], *left[begin + size :]]
            if rest and holds(rest):
                left = rest
            else:
                begin += size
        if time.monotonic() >= end or (size == 1 and len(left) == before):
            return left
        size = max(size // 2, 1)
