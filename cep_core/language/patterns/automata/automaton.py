"""The automaton that matching runs for a pattern: for each state the states that may follow, most preferred first.

It is a view of the pattern's state diagram. Its states are in the pattern's order of variables, as results are, and
each edge passes one set of negations. Runs (`docs/semantics.md` 3) use the diagram as it is drawn, after
`check_readings`. To find all matches, `one_path_each` gives each binding exactly one path, so that counting paths
counts matches.

Cost: that of the diagram. For one path for each binding, it is at worst exponential in a bounded quantifier; more than
MOST_STATES states are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cep_core.arrays import Ints
from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.automata.determinism import determined
from cep_core.language.patterns.automata.diagram import Diagram, TooManyStates
from cep_core.language.patterns.automata.glushkov import TooManyEdges, diagram_of
from cep_core.language.patterns.automata.passed_negations import Ambiguous, Steps, Way, Ways
from cep_core.language.patterns.tree import Not, Pattern, Unit

MOST_STATES = 1 << 13
MOST_EDGES = 1 << 19
"""The most pairs of states that may follow each other: n optional parts in a row have n^2 / 2 such pairs."""


@dataclass(frozen=True)
class Automaton:
    """States 0..n-1 in pattern order.

    `variables` names each state's variable; `starts` and `successors` are in order of preference.

    >>> from cep_core.language.patterns.tree import Kleene, Sequence
    >>> at = Position(1, 1)
    >>> a, b = Unit("A", "A", at), Unit("B", "B", at)
    >>> automaton_of(Kleene(Sequence((Kleene(a, 1, None, at), b), at), 1, None, at))
    Automaton(variables=('A', 'B'), starts=(0,), successors=((1, 0), (0,)), accepts=frozenset({1}))
    """

    variables: tuple[str, ...]
    starts: tuple[int, ...]
    successors: tuple[tuple[int, ...], ...]
    accepts: frozenset[int]
    negations: tuple[Not, ...] = field(default=(), repr=False)
    """The negated elements, in pattern order."""
    between: Mapping[tuple[int, int], Way] = field(default_factory=dict, repr=False)
    """For each edge, the numbers of the negations on it. Edges without a negation are left out."""
    before: Mapping[int, Way] = field(default_factory=dict, repr=False)
    """For each starting state, the negations before the first event."""
    after: Mapping[int, Way] = field(default_factory=dict, repr=False)
    """For each accepting state, the negations after the last event."""
    loose: frozenset[tuple[int, int]] = field(default=frozenset(), repr=False)
    """Edges between events of one ANY, which may be concurrent."""
    tied: frozenset[tuple[int, int]] = field(default=frozenset(), repr=False)
    """Edges between events of one ANY that must be concurrent. Other edges are for events that are not."""
    branches: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    """The starting states of each branch of an OR around the whole pattern; without such an OR, one branch with all."""

    def reaches(self, source: int, variable: str) -> bool:
        """Whether a match may bind the variable after an event of the state."""
        seen: set[int] = set()
        waiting = [*self.successors[source]]
        while waiting:
            state = waiting.pop()
            if self.variables[state] == variable:
                return True
            if state not in seen:
                seen.add(state)
                waiting += self.successors[state]
        return False

    def comes_back(self, variable: str) -> bool:
        """Whether a match may bind the variable, then others, then the variable again."""
        seen: set[int] = set()
        waiting = [t for s, t in self.edges if self.variables[s] == variable != self.variables[t]]
        while waiting:
            state = waiting.pop()
            if self.variables[state] == variable:
                return True
            seen.add(state)
            waiting += [t for t in self.successors[state] if t not in seen]
        return False

    def ends_open(self, variable: str) -> bool:
        """Whether a match that an event of the variable completes could take more events."""
        return any(self.variables[s] == variable and self.successors[s] for s in self.accepts)

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All pairs (state, successor), by state."""
        return tuple((s, t) for s, after in enumerate(self.successors) for t in after)

    @cached_property
    def edge_arrays(self) -> tuple[Ints, Ints]:
        """The edges for kernels: begin[s]:begin[s + 1] are those that leave state s, and target[e] their states."""
        begin = np.cumsum([0, *(len(after) for after in self.successors)])
        return begin, np.array([target for _, target in self.edges], np.int64)


def automaton_of(
    pattern: Pattern, alike: Mapping[str, int] | None = None, *, concurrent: bool = True, filled: bool = False
) -> Automaton:
    """The automaton of a pattern whose units are named, with a path for each reading of a binding.

    `alike`: variables of one ANY with the same number have the same type and tests, and are bound in text order.
    `concurrent`: whether two events may be concurrent. `filled`: only the readings of runs, which fill the rounds of a
    quantifier from the first. Raises NotSupportedYet, with the place, for a pattern that no engine can evaluate yet.
    """
    return _automaton(_drawn(pattern, alike or {}, concurrent=concurrent, filled=filled), pattern.at)


def one_path_each(pattern: Pattern, alike: Mapping[str, int] | None = None, *, concurrent: bool = True) -> Automaton:
    """The automaton with one path for each binding. Arguments and errors: as `automaton_of`.

    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> pattern = name_variables(parse_pattern("SEQ(A+, B) OR SEQ(A, B+)"))
    >>> len(automaton_of(pattern).variables), one_path_each(pattern).variables
    (4, ('A', 'A', 'B', 'B', 'B'))
    """
    diagram = _drawn(pattern, alike or {}, concurrent=concurrent, filled=False)
    rank = {name: place for place, name in enumerate(dict.fromkeys(diagram.variables))}
    try:
        diagram = determined(diagram, pattern.at, MOST_STATES)
    except TooManyStates:
        states = f"a pattern that can be read in so many ways that it takes more than {MOST_STATES:,} states"
        raise NotSupportedYet(f"{states} is not supported yet", pattern.at) from None
    except Ambiguous:
        raise _one_or_another(pattern.at) from None
    return _automaton(diagram, pattern.at, rank)


def _drawn(pattern: Pattern, alike: Mapping[str, int], *, concurrent: bool, filled: bool) -> Diagram:
    """The pattern's diagram, or the refusal of a pattern that is too large."""

    def key(unit: Unit) -> int | str:
        return alike.get(unit.variable, unit.variable)

    try:
        diagram = diagram_of(pattern, key, filled=filled, most_states=MOST_STATES, most_edges=MOST_EDGES)
    except TooManyStates:
        states = f"a pattern that unrolls to more than {MOST_STATES:,} states"
        raise NotSupportedYet(f"{states} is not supported yet", pattern.at) from None
    except TooManyEdges:
        pairs = f"a pattern in which more than {MOST_EDGES:,} pairs of events may follow each other"
        hint = "each of n optional parts in turn may be followed by any later one: n^2 / 2 pairs"
        raise NotSupportedYet(f"{pairs} is not supported yet", pattern.at, hint=hint) from None
    except Ambiguous:
        raise _one_or_another(pattern.at) from None
    except RecursionError:
        raise NotSupportedYet("a pattern that is nested so deep is not supported yet", pattern.at) from None
    return diagram if concurrent else replace(diagram, loose=frozenset())


def _automaton(diagram: Diagram, at: Position, rank: Mapping[str, int] | None = None) -> Automaton:
    """The automaton of a diagram. `rank`: the place of each variable in the pattern. Raises NotSupportedYet."""
    rank = rank or {name: place for place, name in enumerate(dict.fromkeys(diagram.variables))}
    order = sorted(range(len(diagram.variables)), key=lambda state: (rank[diagram.variables[state]], state))
    diagram = diagram.renumbered({state: number for number, state in enumerate(order)})
    return Automaton(
        variables=diagram.variables,
        starts=tuple(diagram.start),
        successors=tuple(tuple(steps) for steps in diagram.successors),
        accepts=frozenset(diagram.end),
        negations=diagram.negations,
        between={edge: way for edge, ways in diagram.edges.items() if (way := _only(ways, at))},
        before=_passed(diagram.start, at),
        after=_passed(diagram.end, at),
        loose=diagram.loose,
        tied=diagram.tied,
        branches=diagram.branches,
    )


def _passed(steps: Steps, at: Position) -> dict[int, Way]:
    return {state: way for state, ways in steps.items() if (way := _only(ways, at))}


def _only(ways: Ways, at: Position) -> Way:
    """The only way; refuses the pattern if there are several."""
    if len(ways) > 1:
        raise _one_or_another(at)
    (way,) = ways
    return way


def _one_or_another(at: Position) -> NotSupportedYet:
    return NotSupportedYet("a pattern in which a match passes one negation or another is not supported yet", at)
