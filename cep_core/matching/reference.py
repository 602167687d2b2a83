"""Finds matches by definition, in plain Python. Tests compare the kernels with it. Cost: exponential.

A path is a tuple of (event, variable) steps in time order. `continuations` reads the pattern as a regular expression
over variables. The caller decides whether a step may extend a path (time, window, predicates). Among like units of an
ANY, only the first in text order is offered (`UnitsLeft`). For an `AnyOf`, each unit is a group of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from cep_core.language.patterns.tree import Alternative, AnyOf, Kleene, Not, Pattern, Sequence, Unit
from cep_core.matching.match_path import Path


@dataclass(frozen=True)
class UnitsLeft:
    """An ANY that takes `n` more units; the next unit is the first of a group of like units."""

    n: int
    groups: tuple[tuple[Unit, ...], ...]
    begun: bool = False


Rest = tuple[Pattern | UnitsLeft, ...]
"""The parts of the pattern still to match, from first to last."""
Passed = tuple[Not, ...]
"""The negated elements between two events of a match, or at its ends."""


class Step(NamedTuple):
    """A possible next step of a reading."""

    unit: Unit | None
    """The next unit; None: the end of the match."""
    rest: Rest
    """The parts of the pattern after the unit."""
    passed: Passed
    """The negated elements before the unit."""
    loose: bool = False
    """Whether the event may be concurrent with the event before it, because both belong to one ANY."""


Extends = Callable[[Path, int, Step], bool]
"""Whether an event may follow a path as the next event of a step's unit."""


def continuations(rest: Rest) -> Iterator[Step]:
    """The possible next steps, the preferred ones first."""
    if not rest:
        yield Step(None, (), ())
        return
    head, tail = rest[0], rest[1:]
    match head:
        case Unit():
            yield Step(head, tail, ())
        case AnyOf():
            yield from continuations((UnitsLeft(head.n, tuple((unit,) for unit in head.units)), *tail))
        case UnitsLeft():
            for place, group in enumerate(head.groups):
                remaining = (*head.groups[:place], *([group[1:]] if group[1:] else []), *head.groups[place + 1 :])
                more = (UnitsLeft(head.n - 1, remaining, True),) if head.n > 1 else ()
                yield Step(group[0], (*more, *tail), (), head.begun)
        case Not():
            for step in continuations(tail):
                yield step._replace(passed=(head, *step.passed))
        case Sequence():
            yield from continuations((*head.elements, *tail))
        case Alternative():
            for option in head.options:
                yield from continuations((option, *tail))
        case Kleene():
            body = list(continuations((head.body,)))
            empty = [()] if head.least == 0 else [step.passed for step in body if step.unit is None]
            for nothing in empty:
                for step in continuations(tail):
                    yield step._replace(passed=(*nothing, *step.passed))
            most = None if head.most is None else head.most - 1
            more_rounds = () if most == 0 else (replace(head, least=max(head.least - 1, 0), most=most),)
            for step in body if head.most != 0 else ():
                if step.unit is not None:  # a round must bind at least one event
                    yield step._replace(rest=(*step.rest, *more_rounds, *tail))
        case _:
            raise TypeError(head)


def readings(pattern: Pattern, path: Path) -> Iterator[tuple[Passed, ...]]:
    """The readings of a path as a match: the negations before its first event, between events, and after its last."""
    for steps in step_by_step(pattern, path):
        yield tuple(step.passed for step in steps)


def step_by_step(pattern: Pattern, path: Path) -> Iterator[tuple[Step, ...]]:
    """The readings of a path as a match: one step for each event and one for the end."""

    def go_on(rest: Rest, place: int) -> Iterator[tuple[Step, ...]]:
        for step in continuations(rest):
            if step.unit is None and place == len(path):
                yield (step,)
            elif step.unit is not None and place < len(path) and step.unit.variable == path[place][1]:
                for later in go_on(step.rest, place + 1):
                    yield (step, *later)

    return go_on((pattern,), 0)


def any_matches(pattern: Pattern, events: int, extends: Extends) -> set[Path]:
    """Skip-till-any-match: every path through the pattern over the events 0..events-1."""
    finished: set[Path] = set()

    def go_on(path: Path, rest: Rest) -> None:
        for step in continuations(rest):
            if step.unit is None:
                finished.update({path} if path else ())
                continue
            for event in range(path[-1][0] + 1 if path else 0, events):
                if extends(path, event, step):
                    go_on((*path, (event, step.unit.variable)), step.rest)

    go_on((), (pattern,))
    return finished


def run_matches(
    pattern: Pattern,
    events: int,
    extends: Extends,
    breaks: Callable[[Path, int], bool],
    settles: Callable[[Path, Rest], bool],
) -> dict[Path, bool]:
    """At most one match for each start event, and whether it could take more events.

    A run is offered the events one by one and takes the first that fits. `breaks(path, event)`: whether an event that
    the run could not take ends the run (contiguity). `settles(path, rest)`: whether all conditions hold that are
    settled while `rest` may still come. With an OR around the whole pattern: the matches of each side.
    """
    complete_runs: dict[Path, bool] = {}
    if isinstance(pattern, Alternative):
        for option in pattern.options:
            for match, open_end in run_matches(option, events, extends, breaks, settles).items():
                complete_runs[match] = complete_runs.get(match, True) and open_end
        return complete_runs
    for start in range(events):
        path: Path = ()
        rest: Rest = (pattern,)
        complete: tuple[Path, Rest] | None = None
        for event in range(start, events):
            for step in continuations(rest):
                if step.unit is None or not extends(path, event, step):
                    continue
                longer = (*path, (event, step.unit.variable))
                if settles(longer, step.rest):
                    path, rest = longer, step.rest
                    break
            else:
                if not path or breaks(path, event):
                    break
            if path and any(step.unit is None for step in continuations(rest)) and settles(path, ()):
                complete = path, rest
        if complete is not None:
            complete_runs[complete[0]] = any(step.unit is not None for step in continuations(complete[1]))
    return complete_runs
