"""The ways through a pattern between two neighbouring events of a match, each as the set of negations that it passes.

A binding is a match if one of its paths passes no negation that happens (`docs/semantics.md`, 3). So a way that passes
all negations of another way and more is never needed, and is left out. A row of n choices between two negations has 2^n
ways, so the number of ways is limited by MOST_WAYS.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

Way = frozenset[int]
"""The numbers of the negations that are passed together."""
Ways = frozenset[Way]
"""Ways, none of which contains another. A match needs one way on which no negation happens. Empty: no way."""
Steps = Mapping[int, Ways]
"""The states that may come next, the preferred ones first. Each has at least one way to it."""

FREELY: Ways = frozenset({frozenset()})
"""A single way, which passes no negation."""
NO_WAY: Ways = frozenset()
MOST_WAYS = 1 << 10


class Ambiguous(Exception):
    """A binding's paths pass different negations, so that the events decide which one counts; or too many choices."""


def either(*choices: Ways) -> Ways:
    """The ways of all choices, without ways that contain another way. Raises Ambiguous.

    >>> sorted(map(sorted, either(frozenset({frozenset({1, 2})}), frozenset({frozenset({1})}))))
    [[1]]
    """
    ways = frozenset().union(*choices)
    if len(ways) > MOST_WAYS:
        raise Ambiguous
    return ways if len(ways) < 2 else frozenset(way for way in ways if not any(less < way for less in ways))


def both(first: Ways, second: Ways) -> Ways:
    """The ways through one place and then through the other. Raises Ambiguous."""
    if first == FREELY:
        return second
    if len(first) * len(second) > MOST_WAYS:
        raise Ambiguous
    return either(frozenset(before | after for before, after in product(first, second)))


def through(passing: Ways, steps: Steps) -> Steps:
    """The steps behind a place that is passed without an event; empty if no way leads through it."""
    if passing == FREELY:
        return steps
    return {state: both(passing, ways) for state, ways in steps.items()} if passing else {}


def joined(*several: Steps) -> Steps:
    """All steps; those of earlier mappings are preferred."""
    steps: dict[int, Ways] = dict(several[0]) if several else {}
    for more in several[1:]:
        for state, ways in more.items():
            steps[state] = either(steps[state], ways) if state in steps else ways
    return steps
