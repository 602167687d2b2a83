"""From a pattern to its state diagram: Glushkov's construction, piece by piece (GRETA, Algorithm 1, section 4.1).

Every unit has a state, so a match is a path of (event, state) pairs (SASE++, section 2.2, splits a Kleene state in
two). A bounded quantifier `{n,m}` repeats its body for each of m rounds (GRETA, section 9). `ANY(n, ...)` has a state
for each unit after each choice of other units. A negated element has no state. It is passed on the way from one state
to the next, to the first state, or from the last one. So it lies between the nearest events that a match binds in the
whole pattern.

One binding may have several paths: see `determinism`. The cost is O(states + edges) without negations, with at most s^2
edges for s states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from collections.abc import Sequence as Ordered
from functools import reduce

from cep_core.language.errors import NotSupportedYet
from cep_core.language.patterns.automata.diagram import Diagram, TooManyStates
from cep_core.language.patterns.automata.passed_negations import (
    FREELY,
    NO_WAY,
    Steps,
    Ways,
    both,
    either,
    joined,
    through,
)
from cep_core.language.patterns.tree import Alternative, AnyOf, Conjunction, Kleene, Not, Pattern, Sequence, Unit

END = -1
"""The end of the match, among the states that may come next."""

Alike = Callable[[Unit], Hashable]
"""Gives a key to each unit. Units of an ANY with equal keys are interchangeable, and are bound in text order."""


class TooManyEdges(Exception):
    """The diagram has more edges than an engine allows."""


def by_variable(unit: Unit) -> str:
    """The key of a unit when no two units are interchangeable."""
    return unit.variable


def diagram_of(
    pattern: Pattern,
    alike: Alike = by_variable,
    *,
    filled: bool = False,
    most_states: int | None = None,
    most_edges: int | None = None,
) -> Diagram:
    """The diagram of a named pattern without AND. States are numbered in pattern order, and round after round.

    `filled`: only the readings that fill the rounds of a quantifier from the first, as a run does.
    Raises TooManyStates, TooManyEdges, Ambiguous (too many choices between negations) and, for AND, NotSupportedYet.

    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> diagram = diagram_of(name_variables(parse_pattern("SEQ(A{2,3}, B)")))
    >>> diagram.variables, sorted(diagram.edges)
    (('A', 'A', 'A', 'B'), [(0, 1), (1, 2), (1, 3), (2, 3)])
    >>> diagram = diagram_of(name_variables(parse_pattern("SEQ(A, NOT C, B?, D)")))
    >>> sorted(edge for edge, ways in diagram.edges.items() if ways != FREELY)  # C is forbidden after a, up to the next
    [(0, 1), (0, 2)]
    """
    drawing = _Drawing(alike, filled, most_states, most_edges)
    whole = drawing.piece(pattern)
    whole.follow({END: FREELY}, drawing)
    options = whole.parts if isinstance(whole, _Choice) else (whole,)
    return Diagram(
        tuple(drawing.variables),
        whole.first,
        {state: after[END] for state, after in enumerate(drawing.after) if END in after},
        tuple({state: ways for state, ways in after.items() if state != END} for after in drawing.after),
        loose=frozenset(drawing.loose),
        negations=tuple(drawing.negations),
        branches=tuple(tuple(option.first) for option in options),
    )


class _Drawing:
    """Gives every unit a state and collects the states that may follow it."""

    def __init__(self, alike: Alike, filled: bool, most_states: int | None, most_edges: int | None) -> None:
        self.variables: list[str] = []
        self.after: list[Steps] = []
        self.loose: set[tuple[int, int]] = set()
        self.negations: dict[Not, int] = {}
        self._alike = alike
        self._filled = filled
        self._most_states = most_states
        self._most_edges = most_edges
        self._edges = 0

    def lead(self, state: int, after: Steps) -> None:
        """Sets the steps after a state. Raises TooManyEdges."""
        self.after[state] = after
        self._edges += len(after)
        if self._most_edges is not None and self._edges > self._most_edges:
            raise TooManyEdges

    def piece(self, pattern: Pattern) -> _Piece:
        """The piece that a part of the pattern becomes. Raises TooManyStates."""
        match pattern:
            case Unit():
                only: Steps = {self._state(pattern): FREELY}
                return _States(only, only)
            case Not():
                return _Negation(self.negations.setdefault(pattern, len(self.negations)))
            case Sequence():
                return _Sequence([self.piece(element) for element in pattern.elements])
            case Alternative():
                return _Choice([self.piece(option) for option in _options(pattern)])
            case Kleene():
                rounds = max(pattern.least, 1) if pattern.most is None else pattern.most
                bodies = [self.piece(pattern.body) for _ in range(rounds)]
                return _Rounds(bodies, pattern.least, endless=pattern.most is None, filled=self._filled)
            case AnyOf():
                return self._any_order(pattern)
            case Conjunction():
                raise NotSupportedYet("AND inside a pattern is not supported yet", pattern.at)

    def _state(self, unit: Unit) -> int:
        if len(self.variables) == self._most_states:
            raise TooManyStates(unit.at)
        self.variables.append(unit.variable)
        self.after.append({})
        return len(self.variables) - 1

    def _any_order(self, pattern: AnyOf) -> _Piece:
        """`ANY(n, ...)`: a state for each unit after each choice of others. Interchangeable units are in text order."""
        keys = [self._alike(unit) for unit in pattern.units]
        required = [{earlier for earlier in range(place) if keys[earlier] == key} for place, key in enumerate(keys)]
        ends: dict[frozenset[int], list[int]] = {frozenset(): []}
        first: Steps = {}
        for depth in range(pattern.n):
            longer: dict[frozenset[int], list[int]] = {}
            for bound, last in ends.items():
                begun: dict[int, Ways] = {}
                for place, unit in enumerate(pattern.units):
                    if place not in bound and required[place] <= bound:
                        state = self._state(unit)
                        longer.setdefault(bound | {place}, []).append(state)
                        begun[state] = FREELY
                if depth == 0:
                    first = begun
                for state in last:
                    self.lead(state, begun)
                    self.loose.update((state, after) for after in begun)
            ends = longer
        return _States(first, {state: FREELY for states in ends.values() for state in states})


class _Piece(ABC):
    """A piece of the pattern over numbered states and negations."""

    first: Steps
    """The states that may begin the piece, the preferred ones first."""
    last: Steps
    """The states that may end the piece."""
    passing: Ways = NO_WAY
    """The ways to pass the piece without binding an event."""

    def enter(self, later: Steps) -> Steps:
        """The steps into the piece, and over it if it can bind no event; `later` are the steps behind the piece."""
        return joined(through(self.passing, later), self.first)

    @abstractmethod
    def follow(self, after: Steps, drawing: _Drawing) -> None:
        """Sets the steps after each state of the piece; `after` are the steps behind the piece."""


class _States(_Piece):
    """A unit, or the units of an ANY."""

    def __init__(self, first: Steps, last: Steps) -> None:
        self.first = first
        self.last = last

    def follow(self, after: Steps, drawing: _Drawing) -> None:
        for state in self.last:
            drawing.lead(state, after)


class _Negation(_Piece):
    """A negated element."""

    def __init__(self, number: int) -> None:
        self.first = self.last = {}
        self.passing = frozenset({frozenset({number})})

    def follow(self, after: Steps, drawing: _Drawing) -> None:
        """Does nothing: a negation has no state."""


class _Sequence(_Piece):
    """Pieces one after another."""

    def __init__(self, parts: Ordered[_Piece]) -> None:
        self._parts = parts
        self.first = self.enter({})
        self.last = {}
        for part in parts:
            self.last = joined(part.last, through(part.passing, self.last))
        self.passing = reduce(both, (part.passing for part in parts), FREELY)

    def enter(self, later: Steps) -> Steps:
        for part in reversed(self._parts):
            later = part.enter(later)
        return later

    def follow(self, after: Steps, drawing: _Drawing) -> None:
        for part in reversed(self._parts):
            part.follow(after, drawing)
            after = part.enter(after)


class _Choice(_Piece):
    """Alternative pieces: a match takes one of them."""

    def __init__(self, parts: Ordered[_Piece]) -> None:
        self.parts = parts
        self.first = joined(*(part.first for part in parts))
        self.last = joined(*(part.last for part in parts))
        self.passing = either(*(part.passing for part in parts))

    def enter(self, later: Steps) -> Steps:
        return joined(*(part.enter(later) for part in self.parts))

    def follow(self, after: Steps, drawing: _Drawing) -> None:
        for part in self.parts:
            part.follow(after, drawing)


class _Rounds(_Piece):
    """A quantifier: one copy of its body for each round. A match needs `least` rounds; if `endless`, the last repeats.

    If every last state passes the same negations as a round that binds no event, such a round can be moved to the end.
    Otherwise a required round may bind no event at any place: `(SEQ(NOT N, A?)){2}` forbids no n behind an a.
    """

    def __init__(self, bodies: Ordered[_Piece], least: int, *, endless: bool, filled: bool) -> None:
        self._bodies = bodies
        self._least = least
        self._endless = endless
        self._anywhere = not filled and any(
            body.passing and both(ways, body.passing) != ways for body in bodies for ways in body.last.values()
        )
        self.first = self._from(0)
        self.last = joined(*(through(self._left(place + 1), body.last) for place, body in enumerate(bodies)))
        self.passing = self._left(0)

    def follow(self, after: Steps, drawing: _Drawing) -> None:
        last = len(self._bodies) - 1
        for place, body in enumerate(self._bodies):
            again = body.first if self._endless and place == last else self._from(place + 1)
            body.follow(joined(through(self._left(place + 1), after), again), drawing)

    def _left(self, done: int) -> Ways:
        """After `done` rounds, the ways to bind no event in the remaining rounds."""
        return self._bodies[done].passing if done < self._least else FREELY

    def _from(self, begin: int) -> Steps:
        """The states that may begin round `begin`, or a later round if the rounds before it bind no event."""
        steps: Steps = self._bodies[begin].first if begin < len(self._bodies) else {}
        if self._anywhere and begin < self._least:
            later = (through(body.passing, body.first) for body in self._bodies[begin + 1 : self._least])
            steps = joined(steps, *later)
        return steps


def _options(pattern: Alternative) -> Iterator[Pattern]:
    """The branches of an OR; a branch that is itself an OR is replaced by its branches."""
    for option in pattern.options:
        if isinstance(option, Alternative):
            yield from _options(option)
        else:
            yield option
