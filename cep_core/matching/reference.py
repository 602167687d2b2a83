"""What a match is, by definition, in plain Python: for tests to hold the kernels against. Exponential.

A path is a tuple of (event, variable) steps in the order of time. `continuations` reads the pattern as a regular
expression over variables; whether a step may extend a path (time, window, predicates) is the caller's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from cep_core.language.patterns.tree import Alternative, Kleene, Not, Pattern, Sequence, Unit

Path = tuple[tuple[int, str], ...]
Rest = tuple[Pattern, ...]
"""What is still to be matched, first to last."""
Passed = tuple[Not, ...]
"""Negated elements between two events of a match, or at its ends."""
Extends = Callable[[Path, int, str], bool]
"""Whether an event may follow a path as the next event of a variable."""


def continuations(rest: Rest) -> Iterator[tuple[Unit | None, Rest, Passed]]:
    """What may come next, most preferred first: a unit (None: the end), what follows it, and negations on the way."""
    if not rest:
        yield None, (), ()
        return
    head, tail = rest[0], rest[1:]
    match head:
        case Unit():
            yield head, tail, ()
        case Not():
            for unit, after, passed in continuations(tail):
                yield unit, after, (head, *passed)
        case Sequence():
            yield from continuations((*head.elements, *tail))
        case Alternative():
            for option in head.options:
                yield from continuations((option, *tail))
        case Kleene():
            body = list(continuations((head.body,)))
            empty = [()] if head.least == 0 else [passed for unit, _, passed in body if unit is None]
            for nothing in empty:
                for unit, after, passed in continuations(tail):
                    yield unit, after, (*nothing, *passed)
            if head.most != 0:
                more = replace(head, least=max(head.least - 1, 0), most=None if head.most is None else head.most - 1)
                for unit, after, passed in body:
                    if unit is not None:  # a round that binds nothing is no round
                        yield unit, (*after, more, *tail), passed
        case _:
            raise TypeError(head)


def readings(pattern: Pattern, path: Path) -> Iterator[tuple[Passed, ...]]:
    """The ways to read a path as a match: the negations passed before its first event, ..., and after its last."""

    def go_on(rest: Rest, place: int) -> Iterator[tuple[Passed, ...]]:
        for unit, after, passed in continuations(rest):
            if unit is None and place == len(path):
                yield (passed,)
            elif unit is not None and place < len(path) and unit.variable == path[place][1]:
                for later in go_on(after, place + 1):
                    yield (passed, *later)

    return go_on((pattern,), 0)


def any_matches(pattern: Pattern, events: int, extends: Extends) -> set[Path]:
    """Skip-till-any-match: every path through the pattern over the events 0..events-1."""
    found: set[Path] = set()

    def go_on(path: Path, rest: Rest) -> None:
        for unit, after, _ in continuations(rest):
            if unit is None:
                found.update({path} if path else ())
                continue
            for event in range(path[-1][0] + 1 if path else 0, events):
                if extends(path, event, unit.variable):
                    go_on((*path, (event, unit.variable)), after)

    go_on((), (pattern,))
    return found


def run_matches(pattern: Pattern, events: int, extends: Extends, breaks: Callable[[Path, int], bool]) -> set[Path]:
    """At most one match for each start event: a run is offered the events one by one and takes the first that fits.

    `breaks(path, event)`: whether an event that the run could not take ends it (contiguity).
    """
    found: set[Path] = set()
    for start in range(events):
        path: Path = ()
        rest: Rest = (pattern,)
        complete: Path = ()
        for event in range(start, events):
            for unit, after, _ in continuations(rest):
                if unit is not None and extends(path, event, unit.variable):
                    path, rest = (*path, (event, unit.variable)), after
                    break
            else:
                if not path or breaks(path, event):
                    break
            if any(unit is None for unit, _, _ in continuations(rest)):
                complete = path
        found.update({complete} if complete else ())
    return found
