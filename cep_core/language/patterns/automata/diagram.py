"""The state diagram of a pattern: which event may follow which in a match, and the negations between them.

A state binds one event to its variable, so a match is a path of states. `glushkov` draws the diagram of a pattern;
`determinism` gives each binding only one path. Engines use views of it: `template` (states by variable, for binding and
`explain`), `automaton` (preferred successors, for matching), `counting` (the least diagram, for trends).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from cep_core.language.errors import Position
from cep_core.language.patterns.automata.passed_negations import Steps, Ways
from cep_core.language.patterns.tree import Not


class TooManyStates(Exception):
    """The diagram is too large for an engine; `at` is the part of the pattern that makes it so."""

    def __init__(self, at: Position) -> None:
        super().__init__("too many states")
        self.at = at


@dataclass(frozen=True)
class Diagram:
    """States 0..n-1, each of which binds an event to `variables[state]`.

    `start` and `successors` are in order of preference: a run prefers to leave a closure rather than stay in it, the
    innermost closure first. It prefers to skip an optional part. Of an OR it prefers the first branch in text order.
    """

    variables: tuple[str, ...]
    start: Steps
    end: Steps
    """For each accepting state, in ascending order: the ways from it to the end of the match."""
    successors: tuple[Steps, ...]
    loose: frozenset[tuple[int, int]] = frozenset()
    """Edges whose events may be concurrent, since an ANY takes them in any order. The later has the larger `seq`."""
    tied: frozenset[tuple[int, int]] = frozenset()
    """Edges whose events must be concurrent. Other edges are for events that are not."""
    negations: tuple[Not, ...] = ()
    branches: tuple[tuple[int, ...], ...] = ()
    """The starting states of each branch of an OR around the whole pattern; without such an OR, one branch with all."""

    @cached_property
    def edges(self) -> Mapping[tuple[int, int], Ways]:
        """For each edge (state, successor), the ways from the state to its successor."""
        return {(state, after): ways for state, steps in enumerate(self.successors) for after, ways in steps.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each state: its variable, with a number if several states have the same variable.

        >>> Diagram(("A", "B", "A"), {}, {}, ({}, {}, {})).names
        ('A', 'B', 'A#2')
        """
        count: dict[str, int] = {}
        names = []
        for variable in self.variables:
            count[variable] = count.get(variable, 0) + 1
            names.append(variable if count[variable] == 1 else f"{variable}#{count[variable]}")
        return tuple(names)

    def repeats(self) -> bool:
        """Whether several states have the same variable."""
        return len(set(self.variables)) < len(self.variables)

    def mirrored(self) -> Diagram:
        """The diagram in reverse order of time: edges lead from the later event to the earlier."""
        predecessors: list[dict[int, Ways]] = [{} for _ in self.variables]
        for (state, after), ways in self.edges.items():
            predecessors[after][state] = ways
        return Diagram(
            self.variables,
            self.end,
            self.start,
            tuple(predecessors),
            frozenset((after, state) for state, after in self.loose),
            frozenset((after, state) for state, after in self.tied),
            self.negations,
        )

    def renumbered(self, number: Mapping[int, int]) -> Diagram:
        """The diagram with new numbers. States without a number are left out; states with the same number are merged.

        A merged state has the successors of the last of its states.
        """
        variables = {number[state]: self.variables[state] for state in number}
        successors = {number[state]: _renumbered(self.successors[state], number) for state in number}
        return Diagram(
            tuple(variables[state] for state in range(len(variables))),
            _renumbered(self.start, number),
            dict(sorted(_renumbered(self.end, number).items())),
            tuple(successors[state] for state in range(len(variables))),
            _edges_renumbered(self.loose, number),
            _edges_renumbered(self.tied, number),
            self.negations,
            tuple(tuple(number[state] for state in branch if state in number) for branch in self.branches),
        )


def _renumbered(steps: Steps, number: Mapping[int, int]) -> Steps:
    return {number[state]: ways for state, ways in steps.items() if state in number}


def _edges_renumbered(edges: frozenset[tuple[int, int]], number: Mapping[int, int]) -> frozenset[tuple[int, int]]:
    return frozenset((number[state], number[after]) for state, after in edges if state in number and after in number)
