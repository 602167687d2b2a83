"""Diagrams as sets of bindings, with one path for each binding: minimisation, intersection, and subsets.

Trends are counted by counting paths, so each binding needs exactly one path, and few states save work. States with the
same continuations are merged (Moore's refinement). `common` is the intersection that GRETA, section 9, needs to count a
disjunction and a conjunction. Cost: the states of the result times their edges, for each round of refinement.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from cep_core.language.errors import Position
from cep_core.language.patterns.automata.determinism import determined
from cep_core.language.patterns.automata.diagram import Diagram, TooManyStates
from cep_core.language.patterns.automata.passed_negations import NO_WAY, Ambiguous, Ways, both

MOST_UNROLLED = 1 << 8
"""The most states of a diagram that is minimised."""
MOST_STATES = 1 << 12
"""The most states with one path for each binding, before equivalent states are merged."""


def least(diagram: Diagram, at: Position) -> Diagram:
    """The smallest diagram with the same bindings and one path for each binding.

    Raises Ambiguous if there is no such diagram, or only one that needs to know which events are concurrent. Raises
    TooManyStates (with `at`) if it would be too large.

    >>> from cep_core.language.patterns.automata.glushkov import diagram_of
    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> either_side = diagram_of(name_variables(parse_pattern("SEQ(A+, B) OR SEQ(A, B+)")))
    >>> least(either_side, Position(1, 1)).variables  # the first a, further ones, b after one a, b at the end
    ('A', 'A', 'B', 'B')
    """
    unambiguous = determined(diagram, at, MOST_STATES, by_number=True)
    if unambiguous.tied:
        raise Ambiguous
    return _merged(unambiguous)


def common(left: Diagram, right: Diagram, at: Position) -> Diagram:
    """The diagram of the bindings that both have.

    Both must have one path for each binding. Raises TooManyStates.
    """
    negations = (*left.negations, *(negation for negation in right.negations if negation not in left.negations))
    number = [negations.index(negation) for negation in right.negations]

    def renumbered(ways: Ways) -> Ways:
        return frozenset(frozenset(number[negation] for negation in way) for way in ways)

    states: dict[tuple[int, int], int] = {}
    waiting: list[tuple[int, int]] = []

    def paired(pair: tuple[int, int]) -> int:
        if pair not in states:
            if len(states) == MOST_STATES:
                raise TooManyStates(at)
            states[pair] = len(states)
            waiting.append(pair)
        return states[pair]

    def together(left_steps: Mapping[int, Ways], right_steps: Mapping[int, Ways]) -> dict[tuple[int, int], Ways]:
        return {
            (a, b): both(left_steps[a], renumbered(right_steps[b]))
            for a in sorted(left_steps)
            for b in sorted(right_steps)
            if left.variables[a] == right.variables[b]
        }

    start = {paired(pair): ways for pair, ways in together(left.start, right.start).items()}
    successors = []
    loose: set[tuple[int, int]] = set()
    for a, b in waiting:
        steps = together(left.successors[a], right.successors[b])
        successors.append({paired(pair): ways for pair, ways in steps.items()})
        loose.update(
            (states[a, b], states[pair]) for pair in steps if (a, pair[0]) in left.loose and (b, pair[1]) in right.loose
        )
    end = {
        state: both(left.end[a], renumbered(right.end[b]))
        for (a, b), state in states.items()
        if a in left.end and b in right.end
    }
    variables = tuple(left.variables[a] for a, _ in states)
    return _merged(_useful(Diagram(variables, start, end, tuple(successors), frozenset(loose), negations=negations)))


def binding(diagram: Diagram, variables: frozenset[str]) -> Diagram:
    """The diagram of the bindings that bind at least one of the variables. Each binding keeps its one path."""
    states: dict[tuple[int, bool], int] = {}
    waiting: list[tuple[int, bool]] = []

    def reached(state: int, bound: bool) -> int:
        key = state, bound or diagram.variables[state] in variables
        if key not in states:
            states[key] = len(states)
            waiting.append(key)
        return states[key]

    start = {reached(state, False): ways for state, ways in diagram.start.items()}
    successors = []
    loose: set[tuple[int, int]] = set()
    for source, bound in waiting:
        steps = {}
        for target, ways in sorted(diagram.successors[source].items()):
            edge = states[source, bound], reached(target, bound)
            steps[edge[1]] = ways
            if (source, target) in diagram.loose:
                loose.add(edge)
        successors.append(steps)
    end = {number: diagram.end[state] for (state, bound), number in states.items() if bound and state in diagram.end}
    names = tuple(diagram.variables[state] for state, _ in states)
    whole = Diagram(names, start, end, tuple(successors), frozenset(loose), negations=diagram.negations)
    return _merged(_useful(whole))


def avoiding(diagram: Diagram, variables: frozenset[str]) -> Diagram:
    """The diagram of the bindings that bind none of the variables."""
    kept = [state for state, name in enumerate(diagram.variables) if name not in variables]
    return _merged(_useful(diagram.renumbered({state: number for number, state in enumerate(kept)})))


def _useful(diagram: Diagram) -> Diagram:
    """The diagram with only the states from which a match can be completed."""
    predecessors: list[list[int]] = [[] for _ in diagram.variables]
    for state, after in diagram.edges:
        predecessors[after].append(state)
    useful = set(diagram.end)
    waiting = list(useful)
    while waiting:
        new = set(predecessors[waiting.pop()]) - useful
        useful |= new
        waiting += new
    return diagram.renumbered({state: number for number, state in enumerate(sorted(useful))})


def _merged(diagram: Diagram) -> Diagram:
    """Merges states that bind the same variable and have the same continuations."""
    place: dict[int, int] = dict.fromkeys(range(len(diagram.variables)), 0)
    while True:
        kinds: dict[Hashable, int] = {}
        finer = {}
        for state, variable in enumerate(diagram.variables):
            after = frozenset(
                (place[target], ways, (state, target) in diagram.loose)
                for target, ways in diagram.successors[state].items()
            )
            kind = (place[state], variable, diagram.end.get(state, NO_WAY), after)
            finer[state] = kinds.setdefault(kind, len(kinds))
        if len(kinds) == len(set(place.values())):
            return diagram.renumbered(finer)
        place = finer
