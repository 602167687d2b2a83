"""The ways to read one binding as a match, without trying every one: `reference.readings` for long matches.

A nested closure such as `(SEQ(A+ a[], B? b))+` reads n events in 2^(n-1) ways. The rest of a reading depends only on
the rest of the pattern and the place in the binding. So each such pair is computed once. Cost: the number of these
pairs, times the distinct readings kept for each.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from cep_core.language.patterns.tree import Pattern
from cep_core.matching.match_path import Path
from cep_core.matching.reference import Passed, Rest, continuations

MOST = 1_000
"""The largest number of readings kept; they differ in the negated elements that they pass."""

Reading = tuple[Passed, ...]
"""The negated elements passed before the first event, between events, and after the last."""


def distinct_readings(pattern: Pattern, path: Path) -> tuple[Reading, ...]:
    """The readings of a path that differ in the negated elements that they pass; at most MOST of them.

    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> pattern = name_variables(parse_pattern("(SEQ(A+ a[], B? b))+"))
    >>> distinct_readings(pattern, tuple((row, "a") for row in range(2))), len(distinct_readings(
    ...     pattern, tuple((row, "a") for row in range(200))))
    ((((), (), ()),), 1)
    """
    cache: dict[tuple[Rest, int], tuple[Reading, ...]] = {}

    def of(rest: Rest, place: int) -> tuple[Reading, ...]:
        if (rest, place) not in cache:
            distinct: dict[Reading, None] = {}
            for step in continuations(rest):
                if step.unit is None and place == len(path):
                    distinct[(step.passed,)] = None
                elif step.unit is not None and place < len(path) and step.unit.variable == path[place][1]:
                    distinct.update(((step.passed, *later), None) for later in of(step.rest, place + 1))
            cache[rest, place] = tuple(islice(distinct, MOST))
        return cache[rest, place]

    return of((pattern,), 0)


def can_be_read(pattern: Pattern, path: Path, loose: Collection[int]) -> bool:
    """Whether in some reading each event at these places belongs to the same ANY as the event before it."""
    cache: dict[tuple[Rest, int], bool] = {}

    def of(rest: Rest, place: int) -> bool:
        if (rest, place) not in cache:
            cache[rest, place] = any(
                place == len(path)
                if step.unit is None
                else place < len(path)
                and step.unit.variable == path[place][1]
                and (step.loose or place not in loose)
                and of(step.rest, place + 1)
                for step in continuations(rest)
            )
        return cache[rest, place]

    return of((pattern,), 0)
