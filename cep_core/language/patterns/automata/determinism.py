"""Gives each binding one path: makes a state diagram unambiguous over its variables, by the subset construction.

If branches of an OR, rounds of a quantifier or orders of an ANY bind the same variable, one binding can have several
paths: `SEQ(A+, B) OR SEQ(A, B+)` matches a1 b2 on both sides. The states that one binding may be in become one state.
All of them bind the same variable, so the result is again a diagram. Edges inside an ANY allow concurrent events. If
such an edge and an edge that does not allow them start at one state, the next state depends on whether the two events
are concurrent.

There are at most 2^states sets. In practice there are few more sets than states, since a set has several states only if
a variable occurs several times.
"""

from __future__ import annotations

from collections.abc import Iterator

from cep_core.language.errors import Position
from cep_core.language.patterns.automata.diagram import Diagram, TooManyStates
from cep_core.language.patterns.automata.passed_negations import NO_WAY, Ambiguous, Steps, Ways, either

States = frozenset[int]


def determined(diagram: Diagram, at: Position, most_states: int, *, by_number: bool = False) -> Diagram:
    """A diagram of the same bindings with one path for each; the diagram itself if it already has this property.

    States are numbered as they are reached, breadth first: in order of preference or, with `by_number`, by their old
    numbers. Raises Ambiguous if there is no such diagram, and TooManyStates (with `at`) beyond `most_states`.

    >>> from cep_core.language.patterns.automata.glushkov import diagram_of
    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> diagram = diagram_of(name_variables(parse_pattern("SEQ(A+, B) OR SEQ(A, B+)")))
    >>> determined(diagram, Position(1, 1), 9).variables  # the first a and b, further ones of either, b at the end
    ('A', 'B', 'A', 'B', 'B')
    """
    if not diagram.repeats():
        return diagram
    subsets = _Subsets(diagram, at, most_states, by_number)
    unambiguous = subsets.diagram()
    return diagram if not by_number and all(len(members) == 1 for members in subsets.number) else unambiguous


class _Subsets:
    """The sets of states reached so far, numbered as they are reached."""

    def __init__(self, diagram: Diagram, at: Position, most_states: int, by_number: bool) -> None:
        self.number: dict[States, int] = {}
        self._given = diagram
        self._at = at
        self._most_states = most_states
        self._by_number = by_number
        self._waiting: list[States] = []
        self._loose: set[tuple[int, int]] = set()
        self._tied: set[tuple[int, int]] = set()

    def diagram(self) -> Diagram:
        original = self._given
        start = {self._state(members): ways for members, ways in self._agreed(original.start)}
        successors = [self._follow(number, members) for number, members in enumerate(self._waiting)]
        return Diagram(
            tuple(original.variables[min(members)] for members in self.number),
            start,
            {
                number: either(*(original.end.get(state, NO_WAY) for state in members))
                for members, number in self.number.items()
                if not members.isdisjoint(original.end)
            },
            tuple(successors),
            frozenset(self._loose),
            frozenset(self._tied),
            original.negations,
            (tuple(start),),
        )

    def _state(self, members: States) -> int:
        if members not in self.number:
            if len(self.number) == self._most_states:
                raise TooManyStates(self._at)
            self.number[members] = len(self.number)
            self._waiting.append(members)
        return self.number[members]

    def _follow(self, source: int, members: States) -> Steps:
        """The steps after a set of states, for a later and for a concurrent next event."""
        original = self._given
        later: dict[int, Ways] = {}
        concurrent: dict[int, Ways] = {}
        for state in sorted(members):
            for after, ways in original.successors[state].items():
                later[after] = either(later.get(after, NO_WAY), ways)
                if (state, after) in original.loose:
                    concurrent[after] = either(concurrent.get(after, NO_WAY), ways)
        tied = {original.variables[min(targets)]: (targets, ways) for targets, ways in self._agreed(concurrent)}
        steps: dict[int, Ways] = {}
        for targets, ways in self._agreed(later):
            edge = source, self._state(targets)
            steps[edge[1]] = ways
            if_concurrent = tied.get(original.variables[min(targets)])
            if if_concurrent == (targets, ways):
                self._loose.add(edge)
            elif if_concurrent is not None:
                edge = source, self._state(if_concurrent[0])
                if edge[1] in steps:
                    raise Ambiguous
                steps[edge[1]] = if_concurrent[1]
                self._tied.add(edge)
        return steps

    def _agreed(self, steps: Steps) -> Iterator[tuple[States, Ways]]:
        """The next states grouped by variable, with the ways to each group.

        Raises Ambiguous if the ways to the states of a group differ.
        """
        together: dict[str, set[int]] = {}
        for state in sorted(steps) if self._by_number else steps:
            together.setdefault(self._given.variables[state], set()).add(state)
        for members in together.values():
            ways = {steps[state] for state in members}
            if len(ways) > 1:
                raise Ambiguous
            yield frozenset(members), ways.pop()
