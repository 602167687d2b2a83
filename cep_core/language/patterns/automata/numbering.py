"""The states of a pattern's automaton and what may follow each, by preference: Glushkov's construction, piece by piece.

A bounded quantifier has its body once for each round. Rounds that bind nothing are none, so that the first ones are
bound. Cost: the states, and for each those that may follow it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Ordered
from dataclasses import dataclass

from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.tree import Alternative, AnyOf, Conjunction, Kleene, Not, Pattern, Sequence, Unit

END = -1
"""Stands for the end of the match among the states that may come next."""

MOST_NEIGHBOURS = 1 << 19
"""Pairs of states that may follow each other: n optional parts in turn have n^2 / 2."""

Passed = frozenset[int]
"""Numbers of negated elements."""
Step = tuple[int, Passed]
"""A state that may come next, and the negated elements on the way."""


def unsupported(what: str, at: Position) -> NotSupportedYet:
    return NotSupportedYet(f"{what} is not supported yet", at)


class TooManyNeighbours(Exception):
    """More than MOST_NEIGHBOURS pairs of states may follow each other."""


class Numbering:
    """Gives every unit a state and collects what may follow it."""

    def __init__(self, alike: Mapping[str, int]) -> None:
        self.variables: list[str] = []
        self.successors: list[list[Step]] = []
        self.negations: list[Not] = []
        self.loose: list[tuple[int, int]] = []
        self._alike = alike
        self._neighbours = 0

    def lead(self, state: int, steps: list[Step]) -> None:
        """Adds what may follow a state. Raises TooManyNeighbours."""
        self.successors[state] += steps
        self._neighbours += len(steps)
        if self._neighbours > MOST_NEIGHBOURS:
            raise TooManyNeighbours

    def number(self, pattern: Pattern) -> Part:
        match pattern:
            case Unit():
                return Part("unit", (), number=self._state(pattern.variable))
            case Not():
                self.negations.append(pattern)
                return Part("negation", (), number=len(self.negations) - 1)
            case Sequence():
                return Part("sequence", tuple(self.number(element) for element in pattern.elements))
            case Alternative():
                return Part("choice", tuple(self.number(option) for option in _options(pattern)))
            case AnyOf():
                return self._orders(pattern)
            case Kleene():
                copies = max(pattern.least, 1) if pattern.most is None else pattern.most
                rounds = tuple(self.number(pattern.body) for _ in range(copies))
                return Part("rounds", rounds, least=pattern.least, endless=pattern.most is None)
            case Conjunction():
                raise unsupported("AND inside a pattern", pattern.at)
        raise TypeError(pattern)

    def by_variable(self) -> list[int]:
        """The states in pattern order of their variables, so that paths compare as bindings do."""
        first = {name: self.variables.index(name) for name in self.variables}
        return sorted(range(len(self.variables)), key=lambda state: (first[self.variables[state]], state))

    def _state(self, variable: str) -> int:
        self.variables.append(variable)
        self.successors.append([])
        return len(self.variables) - 1

    def _orders(self, pattern: AnyOf) -> Part:
        """`ANY(n, ...)`: a state for each unit after each choice of other units; of units alike the first ones."""
        names = [unit.variable for unit in pattern.units]
        before = {
            name: {other for other in names[:place] if self._alike.get(other, other) == self._alike.get(name, name)}
            for place, name in enumerate(names)
        }
        layer: dict[frozenset[str], list[int]] = {frozenset(): []}
        first: list[int] = []
        for depth in range(pattern.n):
            found: dict[frozenset[str], list[int]] = {}
            for bound, ends in layer.items():
                for name in names:
                    if name in bound or not before[name] <= bound:
                        continue
                    state = self._state(name)
                    found.setdefault(bound | {name}, []).append(state)
                    if depth == 0:
                        first.append(state)
                    for end in ends:
                        self.successors[end].append((state, frozenset()))
                        self.loose.append((end, state))
            layer = found
        last = tuple(state for states in layer.values() for state in states)
        return Part("any", (), entries=tuple(first), exits=last)


@dataclass(frozen=True)
class Part:
    """A piece of the pattern over numbered states and negated elements."""

    kind: str
    parts: tuple[Part, ...]
    number: int = END
    least: int = 0
    """Rounds without which a match needs a way to bind nothing in one."""
    endless: bool = False
    """Whether the last round may come again and again."""
    entries: tuple[int, ...] = ()
    exits: tuple[int, ...] = ()

    def passed(self) -> list[Passed]:
        """The ways to bind nothing here: what each passes; none if something must be bound."""
        if self.kind in ("unit", "any"):
            return []
        if self.kind == "negation":
            return [frozenset({self.number})]
        if self.kind == "sequence":
            ways: list[Passed] = [frozenset()]
            for part in self.parts:
                ways = _least([one | other for one in ways for other in part.passed()])
            return ways
        if self.kind == "rounds":
            return self._rest_of(0)
        return _least([some for part in self.parts for some in part.passed()])

    def first(self) -> list[Step]:
        """States that may begin the piece."""
        if self.kind == "unit":
            return [(self.number, frozenset())]
        if self.kind == "any":
            return [(state, frozenset()) for state in self.entries]
        if self.kind == "sequence":
            return _begin(self.parts, [])
        if self.kind == "rounds":
            return self.parts[0].first()
        return [step for part in self.parts for step in part.first()]

    def enter(self, later: list[Step]) -> list[Step]:
        """What may come next where the piece does, by preference: `later` for each way to bind nothing here."""
        if self.kind == "choice":
            return list(dict.fromkeys(step for part in self.parts for step in part.enter(later)))
        if self.kind == "sequence":
            return _begin(self.parts, later)
        return [*((state, way | passed) for way in self.passed() for state, passed in later), *self.first()]

    def follow(self, after: list[Step], states: Numbering) -> None:
        """Adds to each state of the piece what may come next, given what may come after the piece."""
        if self.kind == "unit":
            states.lead(self.number, after)
        elif self.kind == "any":
            for state in self.exits:
                states.lead(state, after)
        elif self.kind == "sequence":
            for part in reversed(self.parts):
                part.follow(after, states)
                after = part.enter(after)
        elif self.kind == "rounds":
            last = len(self.parts) - 1
            for place, part in enumerate(self.parts):
                leave = [(state, way | passed) for way in self._rest_of(place + 1) for state, passed in after]
                again = part.first() if self.endless and place == last else []
                again = self.parts[place + 1].first() if place < last else again
                part.follow([*leave, *again], states)
        else:
            for part in self.parts:
                part.follow(after, states)

    def _rest_of(self, bound: int) -> list[Passed]:
        """After so many rounds, the ways to bind nothing in those that are left."""
        return self.parts[bound].passed() if bound < self.least else [frozenset()]


def _least(ways: Ordered[Passed]) -> list[Passed]:
    """The ways than which no other passes less."""
    return [way for way in dict.fromkeys(ways) if not any(other < way for other in ways)]


def _begin(parts: tuple[Part, ...], after: list[Step]) -> list[Step]:
    """States that may come first in the parts one after another, then `after`."""
    steps = list(after)
    for part in reversed(parts):
        steps = part.enter(steps)
    return steps


def _options(pattern: Alternative) -> Iterator[Pattern]:
    """The branches, those of an OR that is a branch itself included."""
    for option in pattern.options:
        if isinstance(option, Alternative):
            yield from _options(option)
        else:
            yield option
