"""One path for each binding: the state diagram of a pattern made unambiguous over its variables.

A binding spells one word of variables in the order of time, so to count bindings, not ways to read them, a diagram may
lead along one path only for each word. Sets of states do that (the subset construction); all states of such a set bind
the same variable, so the result is a diagram again. States that are followed alike become one (Moore's refinement).
`common` is the intersection that GRETA, section 9, needs to count a disjunction and a conjunction.

At most 2^states sets, in practice few more than states: a set grows only where a variable occurs several times.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from cep_core.language.errors import Position
from cep_core.language.patterns.automata.diagram import NO_WAY, Diagram, TooManyStates, Ways, both, either

MOST_SETS = 1 << 12

Steps = Mapping[int, tuple[Ways, bool]]
"""By target the ways to it, and whether its event may be tied with the one before."""


class Ambiguous(Exception):
    """Which reading of a binding counts depends on the events: readings that pass different negations, or tied ones."""


def determined(diagram: Diagram, at: Position) -> Diagram:
    """The least diagram that has one path for each binding of this one.

    Raises Ambiguous where no diagram can tell, TooManyStates (with `at`) where it would be too large.

    >>> from cep_core.language.patterns.automata.diagram import diagram_of
    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> either_side = diagram_of(name_variables(parse_pattern("SEQ(A+, B) OR SEQ(A, B+)")))
    >>> determined(either_side, Position(1, 1)).variables  # the first a, further ones, b after one a, b at the end
    ('A', 'A', 'B', 'B')
    """
    return _least(_sets(diagram, at) if diagram.repeats() else diagram)


def common(one: Diagram, other: Diagram, at: Position) -> Diagram:
    """The diagram of the bindings of both; each of the two has one path for each binding. Raises TooManyStates."""
    negations = (*one.negations, *(negation for negation in other.negations if negation not in one.negations))
    number = [negations.index(negation) for negation in other.negations]

    def renumbered(ways: Ways) -> Ways:
        return frozenset(frozenset(number[k] for k in way) for way in ways)

    states: dict[tuple[int, int], int] = {}
    waiting: list[tuple[int, int]] = []

    def paired(a: int, b: int) -> int:
        if (a, b) not in states:
            if len(states) == MOST_SETS:
                raise TooManyStates(at)
            states[a, b] = len(states)
            waiting.append((a, b))
        return states[a, b]

    start = {
        paired(a, b): both(ways, renumbered(others))
        for a, ways in one.start.items()
        for b, others in other.start.items()
        if one.variables[a] == other.variables[b]
    }
    edges: dict[tuple[int, int], Ways] = {}
    tied: set[tuple[int, int]] = set()
    for a, b in waiting:
        for s in one.successors(a):
            for t in other.successors(b):
                if one.variables[s] == other.variables[t]:
                    edge = states[a, b], paired(s, t)
                    edges[edge] = both(one.edges[a, s], renumbered(other.edges[b, t]))
                    if (a, s) in one.tied and (b, t) in other.tied:
                        tied.add(edge)
    end = {
        state: both(one.end[a], renumbered(other.end[b]))
        for (a, b), state in states.items()
        if a in one.end and b in other.end
    }
    variables = tuple(one.variables[a] for a, _ in states)
    return _least(_useful(Diagram(variables, start, end, edges, frozenset(tied), negations)))


def binding(diagram: Diagram, variables: frozenset[str]) -> Diagram:
    """The diagram of the bindings that bind one of the variables, one path for each as before."""
    states: dict[tuple[int, bool], int] = {}
    waiting: list[tuple[int, bool]] = []

    def reached(state: int, bound: bool) -> int:
        key = state, bound or diagram.variables[state] in variables
        if key not in states:
            states[key] = len(states)
            waiting.append(key)
        return states[key]

    start = {reached(state, False): ways for state, ways in diagram.start.items()}
    edges: dict[tuple[int, int], Ways] = {}
    tied: set[tuple[int, int]] = set()
    for source, bound in waiting:
        for target in diagram.successors(source):
            edge = states[source, bound], reached(target, bound)
            edges[edge] = diagram.edges[source, target]
            if (source, target) in diagram.tied:
                tied.add(edge)
    end = {number: diagram.end[state] for (state, bound), number in states.items() if bound and state in diagram.end}
    names = tuple(diagram.variables[state] for state, _ in states)
    return _least(_useful(Diagram(names, start, end, edges, frozenset(tied), diagram.negations)))


def avoiding(diagram: Diagram, variables: frozenset[str]) -> Diagram:
    """The diagram of the bindings that bind none of the variables."""
    kept = [state for state, name in enumerate(diagram.variables) if name not in variables]
    return _least(_useful(_renumbered(diagram, {state: number for number, state in enumerate(kept)})))


def _sets(diagram: Diagram, at: Position) -> Diagram:
    """The subset construction."""
    numbers: dict[frozenset[int], int] = {}
    waiting: list[frozenset[int]] = []

    def grouped(steps: Steps) -> dict[int, tuple[Ways, bool]]:
        """By set of states, one for each variable, the ways to it: the same to all of its states."""
        by_variable: dict[str, dict[int, tuple[Ways, bool]]] = {}
        for state, step in sorted(steps.items()):
            by_variable.setdefault(diagram.variables[state], {})[state] = step
        found = {}
        for members in by_variable.values():
            if len(set(members.values())) > 1:
                raise Ambiguous
            key = frozenset(members)
            if key not in numbers:
                if len(numbers) == MOST_SETS:
                    raise TooManyStates(at)
                numbers[key] = len(numbers)
                waiting.append(key)
            found[numbers[key]] = next(iter(members.values()))
        return found

    def after(members: frozenset[int]) -> Steps:
        steps: dict[int, tuple[Ways, bool]] = {}
        for source in members:
            for target in diagram.successors(source):
                ways, tied = steps.get(target, (NO_WAY, False))
                edge = source, target
                if ways and tied != (edge in diagram.tied):
                    raise Ambiguous
                steps[target] = either(ways, diagram.edges[edge]), edge in diagram.tied
        return steps

    start = {state: ways for state, (ways, _) in grouped({s: (w, False) for s, w in diagram.start.items()}).items()}
    edges: dict[tuple[int, int], Ways] = {}
    tied: set[tuple[int, int]] = set()
    for members in waiting:
        for target, (ways, is_tied) in grouped(after(members)).items():
            edges[numbers[members], target] = ways
            if is_tied:
                tied.add((numbers[members], target))
    end = {
        number: either(*(diagram.end.get(state, NO_WAY) for state in members))
        for members, number in numbers.items()
        if any(state in diagram.end for state in members)
    }
    variables = tuple(diagram.variables[min(members)] for members in numbers)
    return Diagram(variables, start, end, edges, frozenset(tied), diagram.negations)


def _useful(diagram: Diagram) -> Diagram:
    """Only the states from which a match can be completed."""
    useful = set(diagram.end)
    while True:
        more = {source for source, target in diagram.edges if target in useful} - useful
        if not more:
            break
        useful |= more
    return _renumbered(diagram, {state: k for k, state in enumerate(sorted(useful))})


def _least(diagram: Diagram) -> Diagram:
    """States that bind the same variable and are followed alike become one."""
    place: dict[int, int] = dict.fromkeys(range(len(diagram.variables)), 0)
    while True:
        kinds: dict[Hashable, int] = {}
        finer = {}
        for state, variable in enumerate(diagram.variables):
            after = frozenset(
                (place[target], diagram.edges[state, target], (state, target) in diagram.tied)
                for target in diagram.successors(state)
            )
            kind = (place[state], variable, diagram.end.get(state, NO_WAY), after)
            finer[state] = kinds.setdefault(kind, len(kinds))
        if len(kinds) == len(set(place.values())):
            return _renumbered(diagram, finer)
        place = finer


def _renumbered(diagram: Diagram, number: Mapping[int, int]) -> Diagram:
    """The diagram with other numbers; states without one are left out, states of one number are one."""
    variables = {number[state]: diagram.variables[state] for state in number}
    return Diagram(
        tuple(variables[k] for k in range(len(variables))),
        {number[s]: ways for s, ways in diagram.start.items() if s in number},
        {number[s]: ways for s, ways in diagram.end.items() if s in number},
        {(number[p], number[q]): w for (p, q), w in diagram.edges.items() if p in number and q in number},
        frozenset((number[p], number[q]) for p, q in diagram.tied if p in number and q in number),
        diagram.negations,
    )
