"""Neighbours brought together, as much as one task is to take. Cost: linear in the items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def bundles(items: Iterable[Item], size: Callable[[Item], int], most: int) -> Iterator[list[Item]]:
    """Items in their order, in lists of at most `most` in all; an item that is larger stands alone.

    >>> list(bundles([2, 1, 7, 1], int, 4))
    [[2, 1], [7], [1]]
    """
    bundle: list[Item] = []
    whole = 0
    for item in items:
        if bundle and whole + size(item) > most:
            yield bundle
            bundle, whole = [], 0
        bundle.append(item)
        whole += size(item)
    if bundle:
        yield bundle
