"""The state diagram of a pattern: which event may follow which in a match, and the negations on the way.

A state binds one event to its variable, so that a match is a path of states. `glushkov` draws the diagram of a pattern,
`determinism` gives each binding one path only. What engines use are views of it: `template` (states by variable, for
binding and `explain`), `automaton` (preferred successors, for matching), `counting` (the least diagram, for trends).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from cep_core.language.errors import Position
from cep_core.language.patterns.automata.passed_negations import Steps, Ways
from cep_core.language.patterns.tree import Not


class TooManyStates(Exception):
    """The diagram outgrows what an engine takes; `at` says which part of the pattern does it."""

    def __init__(self, at: Position) -> None:
        super().__init__("too many states")
        self.at = at


@dataclass(frozen=True)
class Diagram:
    """States 0..n-1, each of which binds an event to `variables[state]`.

    `start` and `successors` are in order of preference: a run leaves a closure before it stays in it, the innermost
    closure first; it skips an optional part before it takes it; of an OR it takes the first branch in text order.
    """

    variables: tuple[str, ...]
    start: Steps
    end: Steps
    """By accepting state, ascending: the ways out."""
    successors: tuple[Steps, ...]
    loose: frozenset[tuple[int, int]] = frozenset()
    """Edges whose events may be concurrent, since they stand in any order; the later has the larger `seq`."""
    tied: frozenset[tuple[int, int]] = frozenset()
    """Edges whose events must be concurrent: another edge serves those that are not."""
    negations: tuple[Not, ...] = ()
    branches: tuple[tuple[int, ...], ...] = ()
    """The starting states of each branch of an OR around the whole pattern; else all of them, as one branch."""

    @cached_property
    def edges(self) -> Mapping[tuple[int, int], Ways]:
        """The ways from a state to each that may directly follow it, by state."""
        return {(state, after): ways for state, steps in enumerate(self.successors) for after, ways in steps.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each state: its variable, with a number where several states have the same.

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
        """The same against the time: edges lead from the later event to the earlier."""
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
        """The diagram with other numbers; states without a number are left out, states of one number become one.

        Where states become one, the successors of the last of them stand for all.
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
