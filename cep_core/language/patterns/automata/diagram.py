"""The state diagram of a pattern: everything that `template` draws, and what a template leaves out.

A state for each occurrence of a variable (Glushkov's construction; GRETA, Algorithm 1, section 4.1), so that a match is
a path of states. Beyond the template it has bounded repetition (`{n,m}` unrolled: GRETA, section 9), units in any order
(`ANY`), and on each way in, between and out the negations that lie there: a negation is passed between the nearest
events that a match binds. Where two ways of reading pass different negations, a match needs one of them undisturbed.

Several paths may spell one binding: see `determinism`. States are at most so many as the unrolled pattern has units,
times the choices of an ANY; O(states^2) edges.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from collections.abc import Sequence as Ordered
from dataclasses import dataclass, field
from itertools import product

from cep_core.language.errors import Position
from cep_core.language.patterns.tree import Alternative, AnyOf, Conjunction, Kleene, Not, Pattern, Sequence, Unit

Way = frozenset[int]
"""Negations passed together, by number."""
Ways = frozenset[Way]
"""Ways of reading, none of which passes all that another passes; a match needs one undisturbed. Empty: no way."""

FREELY: Ways = frozenset({frozenset()})
"""One way, which passes no negation."""
NO_WAY: Ways = frozenset()
MOST_STATES = 1 << 8

Alike = Callable[[Unit], Hashable]
"""Units of an ANY with equal keys are interchangeable."""


class TooManyStates(Exception):
    """The diagram outgrows what any engine takes; `at` says which part of the pattern does it."""

    def __init__(self, at: Position) -> None:
        super().__init__("too many states")
        self.at = at


@dataclass(frozen=True)
class Diagram:
    """States 0..n-1, each of which binds an event to `variables[state]`; ways in, between and out are never empty.

    `tied`: the edges whose events may be of one time, since they stand in any order; the later has the larger `seq`.
    """

    variables: tuple[str, ...]
    start: Mapping[int, Ways]
    end: Mapping[int, Ways]
    edges: Mapping[tuple[int, int], Ways]
    tied: frozenset[tuple[int, int]] = frozenset()
    negations: tuple[Not, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each state: its variable, with a number where several states have the same.

        >>> Diagram(("A", "B", "A"), {}, {}, {}).names
        ('A', 'B', 'A#2')
        """
        seen: dict[str, int] = {}
        found = []
        for variable in self.variables:
            seen[variable] = seen.get(variable, 0) + 1
            found.append(variable if seen[variable] == 1 else f"{variable}#{seen[variable]}")
        return tuple(found)

    def successors(self, state: int) -> list[int]:
        """The states that may directly follow a state, ascending."""
        return sorted(target for source, target in self.edges if source == state)

    def repeats(self) -> bool:
        """Whether several states have the same variable."""
        return len(set(self.variables)) < len(self.variables)


def diagram_of(pattern: Pattern, alike: Alike = lambda unit: unit.variable) -> Diagram:
    """The diagram of a named pattern without AND. Raises TooManyStates.

    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> drawn = diagram_of(name_variables(parse_pattern("SEQ(A{2,3}, B)")))
    >>> drawn.variables, sorted(drawn.edges)
    (('A', 'A', 'A', 'B'), [(0, 1), (1, 2), (1, 3), (2, 3)])
    >>> drawn = diagram_of(name_variables(parse_pattern("SEQ(A, NOT C, B?, D)")))
    >>> sorted(edge for edge, ways in drawn.edges.items() if ways != FREELY)  # C is forbidden after a, up to the next
    [(0, 1), (0, 2)]
    """
    drawing = _Drawing(alike)
    part = drawing.draw(pattern)
    return Diagram(
        tuple(drawing.variables),
        part.first,
        part.last,
        drawing.edges,
        frozenset(drawing.tied),
        tuple(drawing.negations),
    )


def either(*choices: Ways) -> Ways:
    """The ways of all choices, without those that pass more than another.

    >>> sorted(map(sorted, either(frozenset({frozenset({1, 2})}), frozenset({frozenset({1})}))))
    [[1]]
    """
    found = frozenset().union(*choices)
    return frozenset(way for way in found if not any(other < way for other in found))


def both(one: Ways, other: Ways) -> Ways:
    """The ways to pass one place and then the other."""
    if one == FREELY:
        return other
    return either(frozenset(a | b for a, b in product(one, other)))


@dataclass(frozen=True)
class _Part:
    """A piece of the pattern: the ways to its first states, from its last ones, and through it without any event."""

    first: dict[int, Ways] = field(default_factory=dict)
    last: dict[int, Ways] = field(default_factory=dict)
    empty: Ways = NO_WAY

    def optional(self) -> _Part:
        return _Part(self.first, self.last, FREELY)


class _Drawing:
    """A diagram in the making."""

    def __init__(self, alike: Alike) -> None:
        self.alike = alike
        self.variables: list[str] = []
        self.edges: dict[tuple[int, int], Ways] = {}
        self.tied: set[tuple[int, int]] = set()
        self.negations: list[Not] = []

    def draw(self, pattern: Pattern) -> _Part:
        match pattern:
            case Unit():
                state = self._state(pattern.variable, pattern.at)
                return _Part({state: FREELY}, {state: FREELY})
            case Not():
                if pattern not in self.negations:
                    self.negations.append(pattern)
                return _Part(empty=frozenset({frozenset({self.negations.index(pattern)})}))
            case Sequence():
                return self._sequence(self.draw(element) for element in pattern.elements)
            case Alternative():
                parts = [self.draw(option) for option in pattern.options]
                first, last = _united([part.first for part in parts]), _united([part.last for part in parts])
                return _Part(first, last, either(*(part.empty for part in parts)))
            case Kleene():
                return self._repeated(pattern)
            case AnyOf():
                return self._in_any_order(pattern)
            case Conjunction():
                raise ValueError("AND has no diagram of its own: its sides are matched apart")

    def _state(self, variable: str, at: Position) -> int:
        if len(self.variables) == MOST_STATES:
            raise TooManyStates(at)
        self.variables.append(variable)
        return len(self.variables) - 1

    def _join(self, last: Mapping[int, Ways], first: Mapping[int, Ways]) -> None:
        for (source, out), (target, into) in product(last.items(), first.items()):
            self.edges[source, target] = either(self.edges.get((source, target), NO_WAY), both(out, into))

    def _sequence(self, parts: Iterable[_Part]) -> _Part:
        whole = _Part(empty=FREELY)
        for part in parts:
            self._join(whole.last, part.first)
            first = _united([whole.first, _passing(whole.empty, part.first)])
            last = _united([part.last, _passing(part.empty, whole.last)])
            whole = _Part(first, last, both(whole.empty, part.empty))
        return whole

    def _repeated(self, pattern: Kleene) -> _Part:
        if pattern.most is None:
            copies = [self.draw(pattern.body) for _ in range(max(pattern.least, 1))]
            self._join(copies[-1].last, copies[-1].first)
            whole = self._sequence(copies)
            return whole.optional() if pattern.least == 0 else whole
        copies = [self.draw(pattern.body) for _ in range(pattern.most)]
        mandatory, optional = copies[: pattern.least], copies[pattern.least :]
        while len(optional) > 1:  # from the last: each is there only if the one before is
            optional[-2:] = [self._sequence([optional[-2], optional[-1].optional()])]
        return self._sequence([*mandatory, *(part.optional() for part in optional)])

    def _in_any_order(self, pattern: AnyOf) -> _Part:
        """A state for each unit taken last and how many of each kind are taken: of alike units the first come first."""
        kinds: dict[Hashable, list[Unit]] = {}
        for unit in pattern.units:
            kinds.setdefault(self.alike(unit), []).append(unit)
        units = list(kinds.values())
        states: dict[tuple[tuple[int, ...], int], int] = {}
        level: list[tuple[int, ...]] = [(0,) * len(units)]
        first: dict[int, Ways] = {}
        for taken in range(pattern.n):
            onward: dict[tuple[int, ...], None] = {}
            for counts in level:
                for kind, members in enumerate(units):
                    if counts[kind] == len(members):
                        continue
                    after = (*counts[:kind], counts[kind] + 1, *counts[kind + 1 :])
                    onward[after] = None
                    if (after, kind) not in states:
                        states[after, kind] = self._state(members[counts[kind]].variable, pattern.at)
                    target = states[after, kind]
                    if taken == 0:
                        first[target] = FREELY
                    for before in range(len(units)):
                        if (counts, before) in states:
                            edge = states[counts, before], target
                            self.edges[edge] = FREELY
                            self.tied.add(edge)
            level = list(onward)
        last = {state: FREELY for (counts, _), state in states.items() if sum(counts) == pattern.n}
        return _Part(first, last)


def _united(parts: Ordered[Mapping[int, Ways]]) -> dict[int, Ways]:
    found: dict[int, Ways] = {}
    for part in parts:
        for state, ways in part.items():
            found[state] = either(found.get(state, NO_WAY), ways)
    return found


def _passing(passed: Ways, part: Mapping[int, Ways]) -> dict[int, Ways]:
    return {state: both(passed, ways) for state, ways in part.items()} if passed else {}
