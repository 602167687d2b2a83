"""Leaves out what is mostly like something above it. Cost: linear in the members of all sets."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def unlike(sets: Sequence[Collection[int]]) -> list[int]:
    """The numbers of the sets of which at most half is in the sets chosen before; empty ones are like none.

    >>> unlike([{1, 2, 3}, {2, 3, 4}, {3, 4}, set(), set()])
    [0, 2, 3, 4]
    """
    chosen: list[int] = []
    held: set[int] = set()
    for number, members in enumerate(sets):
        if 2 * sum(member in held for member in members) <= len(members):
            chosen.append(number)
            held.update(members)
    return chosen
