"""The ways to read one binding as a match, without walking through all of them: `reference.readings` for long matches.

A nested closure such as `(SEQ(A+ a[], B? b))+` reads n events in 2^(n-1) ways. What may still come and the place in the
binding are all that the rest of a reading depends on, so each such pair is looked at once. Cost: these pairs, and for
each the distinct readings that are kept.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from cep_core.language.patterns.tree import Pattern
from cep_core.matching.match_path import Path
from cep_core.matching.reference import Passed, Rest, continuations

MOST = 1_000
"""Readings that are kept, of those that pass different negated elements."""

Reading = tuple[Passed, ...]
"""The negated elements passed before the first event, between events, and after the last."""


def distinct_readings(pattern: Pattern, path: Path) -> tuple[Reading, ...]:
    """The ways to read a path that pass different negated elements: at most MOST of them.

    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> pattern = name_variables(parse_pattern("(SEQ(A+ a[], B? b))+"))
    >>> distinct_readings(pattern, tuple((row, "a") for row in range(2))), len(distinct_readings(
    ...     pattern, tuple((row, "a") for row in range(200))))
    ((((), (), ()),), 1)
    """
    known: dict[tuple[Rest, int], tuple[Reading, ...]] = {}

    def of(rest: Rest, place: int) -> tuple[Reading, ...]:
        if (rest, place) not in known:
            found: dict[Reading, None] = {}
            for step in continuations(rest):
                if step.unit is None and place == len(path):
                    found[(step.passed,)] = None
                elif step.unit is not None and place < len(path) and step.unit.variable == path[place][1]:
                    found.update(((step.passed, *later), None) for later in of(step.rest, place + 1))
            known[rest, place] = tuple(islice(found, MOST))
        return known[rest, place]

    return of((pattern,), 0)


def can_be_read(pattern: Pattern, path: Path, loose: Collection[int]) -> bool:
    """Whether some reading of a path has the events at these places in the same ANY as the ones before them."""
    known: dict[tuple[Rest, int], bool] = {}

    def of(rest: Rest, place: int) -> bool:
        if (rest, place) not in known:
            known[rest, place] = any(
                place == len(path)
                if step.unit is None
                else place < len(path)
                and step.unit.variable == path[place][1]
                and (step.loose or place not in loose)
                and of(step.rest, place + 1)
                for step in continuations(rest)
            )
        return known[rest, place]

    return of((pattern,), 0)
