"""Where a pattern forbids what: its template, and for each transition, start and end the negations that guard it.

GRETA, section 5.1, splits off negated sub-patterns with the event types before and after them. Here a negation stands
in the template as a place of its own, so that the transitions from p to q that pass it are its paths from p to q over
such places alone: `SEQ(A, NOT E, B?, C)` guards A -> B and A -> C, `SEQ(A, (SEQ(NOT E, B))?, C)` only A -> B. A
transition that some path makes freely is not guarded: a match is a binding, however it is read. Negations of one
transition forbid each for itself (docs/semantics.md, 3). Negated sub-patterns are split likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.naming import may_be_empty
from cep_core.language.patterns.template import Template, template_of_pattern
from cep_core.language.patterns.tree import Alternative, AnyOf, Conjunction, Kleene, Not, Pattern, Sequence, Unit

Refuse = Callable[[str, Position], NotSupportedYet]
Guards = frozenset[int]

OUTSIDE = ""
"""Stands for what lies before the first and after the last event of a match."""
FREE: Guards = frozenset()


@dataclass(frozen=True)
class Guarded:
    """A template whose negations, `forbidden`, guard transitions and what may come first and last, by number."""

    template: Template
    forbidden: tuple[Guarded, ...] = ()
    at: tuple[Position, ...] = ()
    """Where each negation stands in the query."""
    between: Mapping[tuple[str, str], Guards] = field(default_factory=dict)
    """For each edge of the template that is guarded."""
    before: Mapping[str, Guards] = field(default_factory=dict)
    """For each start state that is guarded: nothing of it may happen between the window's start and the first event."""
    after: Mapping[str, Guards] = field(default_factory=dict)
    """For each end state that is guarded: nothing of it may happen between the last event and the window's end."""


def guarded(pattern: Pattern, refuse: Refuse) -> Guarded:
    """The guarded template of a named pattern. `refuse` makes the error for what is not supported yet.

    >>> from cep_core.language.patterns.naming import name_variables
    >>> from cep_core.language.patterns.parsing import parse_pattern
    >>> pattern = name_variables(parse_pattern("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+"))
    >>> whole = guarded(pattern, lambda what, at: NotSupportedYet(what, at))
    >>> whole.between, whole.forbidden[0].between
    ({('A', 'B'): frozenset({0})}, {('C', 'D'): frozenset({0})})
    """
    negations: list[Not] = []
    places = template_of_pattern(_with_places(pattern, negations))
    template = template_of_pattern(pattern)
    if not negations:
        return Guarded(template)
    number = {_place(k): k for k in range(len(negations))}

    def guards(source: str, target: str) -> Guards:
        ways = set(_ways(places, number, source, target))
        least = [way for way in ways if not any(other < way for other in ways)]
        if len(least) > 1:
            at = negations[min(min(way) for way in least)].at
            raise refuse("NOT that one way to read the pattern passes, and another passes a different one", at)
        return least[0]

    return Guarded(
        template,
        tuple(_forbidden(negation, refuse) for negation in negations),
        tuple(negation.at for negation in negations),
        {edge: found for edge in sorted(template.edges) if (found := guards(*edge))},
        {state: found for state in sorted(template.start) if (found := guards(OUTSIDE, state))},
        {state: found for state in sorted(template.end) if (found := guards(state, OUTSIDE))},
    )


def _forbidden(negation: Not, refuse: Refuse) -> Guarded:
    if may_be_empty(negation.body):
        raise refuse("NOT of what may be empty", negation.at)
    inner = guarded(negation.body, refuse)
    edges = [number for guards in (*inner.before.values(), *inner.after.values()) for number in guards]
    if edges:
        raise refuse("NOT at the edge of a negated sequence", inner.at[min(edges)])
    return inner


def _place(k: int) -> str:
    """The name of the k-th negation in the template; no variable is named so."""
    return f"NOT {k}"


def _with_places(pattern: Pattern, found: list[Not]) -> Pattern:
    """The pattern with a unit for each outermost negation, which are added to `found`."""
    match pattern:
        case Not():
            found.append(pattern)
            return Unit("", _place(len(found) - 1), pattern.at)
        case Sequence():
            return replace(pattern, elements=tuple(_with_places(element, found) for element in pattern.elements))
        case Alternative():
            return replace(pattern, options=tuple(_with_places(option, found) for option in pattern.options))
        case Conjunction():
            return replace(pattern, left=_with_places(pattern.left, found), right=_with_places(pattern.right, found))
        case Kleene():
            return replace(pattern, body=_with_places(pattern.body, found))
        case Unit() | AnyOf():
            return pattern


def _ways(places: Template, number: Mapping[str, int], source: str, target: str) -> Iterator[Guards]:
    """The negations passed on each path from source to target that passes negations only."""

    def onward(state: str, passed: Guards) -> Iterator[Guards]:
        reached = places.start if state == OUTSIDE else places.successors(state)
        if state in places.end if target == OUTSIDE else target in reached:
            yield passed
        for other in reached:
            if other in number and number[other] not in passed:
                yield from onward(other, passed | {number[other]})

    yield from onward(source, FREE)
