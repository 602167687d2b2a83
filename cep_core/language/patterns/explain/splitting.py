"""A pattern split into its positive part and its negated sub-patterns, each with its neighbours (GRETA, Algorithm 3).

A negation lies between the nearest neighbours that a match binds in the whole pattern: in `SEQ(A, SEQ(B, NOT E), C)` it
ends at C. If there is no neighbour, the window is its limit (`docs/semantics.md` 3). Space linear in the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cep_core.language.patterns.automata.template import template_of_pattern
from cep_core.language.patterns.bind.naming import may_be_empty
from cep_core.language.patterns.tree import Kleene, Not, Pattern, Sequence
from cep_core.language.patterns.walk import parts_of

States = frozenset[str]


@dataclass(frozen=True)
class Forbidden:
    """A negated sub-pattern: `body` must not happen after an event of `previous` and before one of `following`.

    An empty `previous` means from the window's start; an empty `following` means to the window's end. `inside` is the
    number of the negated sub-pattern that contains it, counted from 0 in the order of `split`; None if the positive
    part contains it.
    """

    body: Pattern
    previous: States
    following: States
    inside: int | None


def split(pattern: Pattern) -> tuple[Forbidden, ...]:
    """The negated sub-patterns of a named pattern, outer ones first, left to right.

    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> pattern = name_variables(parse_pattern("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+"))
    >>> [(sorted(part.previous), sorted(part.following), part.inside) for part in split(pattern)]
    [(['A'], ['B'], None), (['C'], ['D'], 0)]
    """
    forbidden: list[Forbidden] = []
    waiting: list[tuple[Pattern, States, States, int | None]] = [(pattern, frozenset(), frozenset(), None)]
    for part, before, after, inside in waiting:
        for negation in _negations(part, before, after):
            forbidden.append(Forbidden(negation.body, negation.previous, negation.following, inside))
            waiting.append((negation.body, negation.previous, negation.following, len(forbidden) - 1))
    return tuple(forbidden)


def _negations(pattern: Pattern, before: States, after: States) -> Iterator[Forbidden]:
    """The outermost negations of a pattern that lies between events of `before` and events of `after`."""
    if isinstance(pattern, Kleene):
        body = template_of_pattern(pattern.body)
        repeats = pattern.most != 1
        yield from _negations(
            pattern.body, before | body.end if repeats else before, after | body.start if repeats else after
        )
    elif isinstance(pattern, Sequence):
        for place, element in enumerate(pattern.elements):
            if not _holds_not(element):
                continue
            previous = _border(pattern.elements[:place][::-1], before, ends=True)
            following = _border(pattern.elements[place + 1 :], after, ends=False)
            if isinstance(element, Not):
                yield Forbidden(element.body, previous, following, None)
            else:
                yield from _negations(element, previous, following)
    elif not isinstance(pattern, Not):
        for part in parts_of(pattern):
            yield from _negations(part, before, after)


def _holds_not(pattern: Pattern) -> bool:
    return isinstance(pattern, Not) or any(map(_holds_not, parts_of(pattern)))


def _border(elements: tuple[Pattern, ...], outside: States, *, ends: bool) -> States:
    """The states next to a place: elements that may be absent are skipped, and at the end `outside` is added."""
    states: States = frozenset()
    for element in elements:
        template = template_of_pattern(element)
        states |= template.end if ends else template.start
        if not may_be_empty(element):
            return states
    return states | outside
