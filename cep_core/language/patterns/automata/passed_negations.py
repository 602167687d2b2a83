"""Ways of reading a pattern between two neighbouring events of a match, each as the negations that it passes.

A binding is a match if one reading of it passes no negation that happens (`docs/semantics.md`, 3). So a way that passes
more than another never matters, and is left out. n choices in turn between two negations have 2^n ways, so that there
is a limit: MOST_WAYS.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

Way = frozenset[int]
"""The numbers of the negations that are passed together."""
Ways = frozenset[Way]
"""Ways, none of which passes all that another one passes; a match needs one that is undisturbed. Empty: no way."""
Steps = Mapping[int, Ways]
"""States that may come next, the preferred ones first, each with the ways to it, which are never empty."""

FREELY: Ways = frozenset({frozenset()})
"""One way, which passes no negation."""
NO_WAY: Ways = frozenset()
MOST_WAYS = 1 << 10


class Ambiguous(Exception):
    """Which reading of a binding counts depends on the events: they pass different negations, or too many choices."""


def either(*choices: Ways) -> Ways:
    """The ways of all choices, without those that pass more than another. Raises Ambiguous.

    >>> sorted(map(sorted, either(frozenset({frozenset({1, 2})}), frozenset({frozenset({1})}))))
    [[1]]
    """
    ways = frozenset().union(*choices)
    if len(ways) > MOST_WAYS:
        raise Ambiguous
    return ways if len(ways) < 2 else frozenset(way for way in ways if not any(less < way for less in ways))


def both(first: Ways, second: Ways) -> Ways:
    """The ways to pass one place and then the other. Raises Ambiguous."""
    if first == FREELY:
        return second
    if len(first) * len(second) > MOST_WAYS:
        raise Ambiguous
    return either(frozenset(before | after for before, after in product(first, second)))


def through(passing: Ways, steps: Steps) -> Steps:
    """What comes next behind a place that is passed without an event; nothing if no way leads through it."""
    if passing == FREELY:
        return steps
    return {state: both(passing, ways) for state, ways in steps.items()} if passing else {}


def joined(*several: Steps) -> Steps:
    """All steps, those of the first mapping preferred."""
    steps: dict[int, Ways] = dict(several[0]) if several else {}
    for more in several[1:]:
        for state, ways in more.items():
            steps[state] = either(steps[state], ways) if state in steps else ways
    return steps
