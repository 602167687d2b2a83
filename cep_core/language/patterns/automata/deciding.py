"""An automaton in which every binding is exactly one path, so that counting paths counts matches.

Where branches of an OR, rounds of a bounded repetition or orders of an ANY bind the same variable, one binding may be
read in several ways: `SEQ(A+, B) OR SEQ(A, B+)` reads a1 b2 on both sides. Sets of states that one binding may be in
become one state each (subset construction over variables instead of letters). An edge inside an ANY admits concurrent
events; beside an edge that does not it leads elsewhere, depending on whether the two events are concurrent.

Aggregation decides its diagrams alike (`automata/determinism.py`), with other choices: it refuses where events
may or may not be concurrent, joins states that are followed alike, and lets a binding pass one negation or another.
Here states keep the order of the pattern, in which results stand.

Assumes that the readings of one binding pass the same negations between the same events, else NotSupportedYet. Cost:
as many states as there are such sets, at worst exponential in a bounded repetition and refused beyond MOST_STATES;
patterns without it, without ANY and without a variable in two branches are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations, groupby

from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.automata.automaton import MOST_STATES, Automaton
from cep_core.language.patterns.automata.numbering import Passed
from cep_core.language.patterns.tree import Not

States = frozenset[int]
NOTHING: Passed = frozenset()


def one_path_each(automaton: Automaton, at: Position) -> Automaton:
    """The automaton itself if no binding has two paths in it, else one that accepts the same bindings.

    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> from cep_core.language.patterns.automata.automaton import automaton_of
    >>> automaton = automaton_of(name_variables(parse_pattern("SEQ(A+, B) OR SEQ(A, B+)")))
    >>> len(automaton.variables), one_path_each(automaton, Position(1, 1)).variables
    (4, ('A', 'A', 'B', 'B', 'B'))
    """
    return _Subsets(automaton, at).automaton()


def check_readings(automaton: Automaton, at: Position) -> None:
    """Refuses an automaton of whose states a run may take one where another reads the same event, with other negations.

    A run is one path. A binding stands if some reading lets it (`docs/semantics.md` 3); branches of an OR around the
    whole pattern have runs of their own. Raises NotSupportedYet.
    """
    choices = [(starts, {s: automaton.before.get(s, NOTHING) for s in starts}) for starts in automaton.branches]
    for state, after in enumerate(automaton.successors):
        choices.append((after, {s: automaton.between.get((state, s), NOTHING) for s in after}))
    for states, passed in choices:
        by_variable = sorted(states, key=lambda state: automaton.variables[state])
        alike = (list(its) for _, its in groupby(by_variable, key=lambda state: automaton.variables[state]))
        for one, other in (pair for its in alike for pair in combinations(its, 2)):
            if _bodies(automaton, passed[one]) != _bodies(automaton, passed[other]) or not _alike_after(
                automaton, one, other
            ):
                message = "an event that can be read in two ways of which only one forbids something"
                hint = "an OR around the whole pattern, or different names"
                raise NotSupportedYet(f"{message} is not supported yet under one match for each start", at, hint=hint)


def _alike_after(automaton: Automaton, one: int, other: int) -> bool:
    """Whether what may follow both is forbidden the same."""
    found: list[dict[str | None, set[frozenset[Not]]]] = []
    for state in (one, other):
        leaving: dict[str | None, set[frozenset[Not]]] = {}
        for after in automaton.successors[state]:
            passed = _bodies(automaton, automaton.between.get((state, after), NOTHING))
            leaving.setdefault(automaton.variables[after], set()).add(passed)
        if state in automaton.accepts:
            leaving[None] = {_bodies(automaton, automaton.after.get(state, NOTHING))}
        found.append(leaving)
    return all(found[0][name] == found[1][name] for name in found[0].keys() & found[1].keys())


def _bodies(automaton: Automaton, passed: Passed) -> frozenset[Not]:
    """The negated elements themselves: rounds of a quantifier number theirs apart."""
    return frozenset(automaton.negations[number] for number in passed)


class _Subsets:
    """The sets of states reached so far, numbered as they are found."""

    def __init__(self, automaton: Automaton, at: Position) -> None:
        self.given = automaton
        self.at = at
        self.number: dict[States, int] = {}
        self.subsets: list[States] = []
        self.successors: list[list[int]] = []
        self.between: dict[tuple[int, int], Passed] = {}
        self.loose: set[tuple[int, int]] = set()
        self.tied: set[tuple[int, int]] = set()

    def automaton(self) -> Automaton:
        given = self.given
        starts = [self._state(found) for found in self._by_variable(given.starts)]
        before = {self._state(found): self._agreed(given.before, found) for found in self._by_variable(given.starts)}
        subsets = self.subsets
        for done, found in enumerate(subsets):  # which grows meanwhile
            self._follow(found, done)
        if all(len(found) == 1 for found in subsets):
            return given
        variables = [given.variables[min(found)] for found in subsets]
        order = sorted(range(len(subsets)), key=lambda s: (given.variables.index(variables[s]), s))
        place = {state: number for number, state in enumerate(order)}
        after = {s: self._agreed(given.after, found & given.accepts) for s, found in enumerate(subsets)}
        edges = {(s, t): (place[s], place[t]) for s, nexts in enumerate(self.successors) for t in nexts}
        return replace(
            given,
            variables=tuple(variables[state] for state in order),
            starts=tuple(place[state] for state in starts),
            successors=tuple(tuple(place[t] for t in self.successors[state]) for state in order),
            accepts=frozenset(place[s] for s, found in enumerate(subsets) if found & given.accepts),
            between={edges[edge]: passed for edge, passed in self.between.items() if passed},
            before={place[s]: passed for s, passed in before.items() if passed},
            after={place[s]: passed for s, passed in after.items() if passed},
            loose=frozenset(edges[edge] for edge in self.loose),
            tied=frozenset(edges[edge] for edge in self.tied),
            branches=(tuple(place[state] for state in starts),),
        )

    def _state(self, found: States) -> int:
        if found not in self.number:
            if len(self.subsets) == MOST_STATES:
                message = f"a pattern that can be read in so many ways that it takes more than {MOST_STATES:,} states"
                raise NotSupportedYet(f"{message} is not supported yet", self.at)
            self.number[found] = len(self.subsets)
            self.subsets.append(found)
            self.successors.append([])
        return self.number[found]

    def _by_variable(self, states: Iterable[int]) -> list[States]:
        """The states that bind the same variable together, in order of preference of the first of each."""
        together: dict[str, set[int]] = {}
        for state in states:
            together.setdefault(self.given.variables[state], set()).add(state)
        return [frozenset(found) for found in together.values()]

    def _follow(self, found: States, source: int) -> None:
        """Adds the edges that leave a set of states."""
        given = self.given
        together: dict[str, list[tuple[int, int]]] = {}
        for s in sorted(found):
            for t in given.successors[s]:
                together.setdefault(given.variables[t], []).append((s, t))
        for leading in together.values():
            after = frozenset(t for _, t in leading)
            concurrent = frozenset(t for s, t in leading if (s, t) in given.loose)
            passed = self._same([given.between.get(edge, frozenset()) for edge in leading])
            self._edge(source, after, passed, loose=concurrent == after)
            if concurrent and concurrent != after:
                self._edge(source, concurrent, passed, tied=True)

    def _edge(self, source: int, found: States, passed: Passed, *, loose: bool = False, tied: bool = False) -> None:
        edge = source, self._state(found)
        self.successors[source].append(edge[1])
        self.between[edge] = passed
        if loose:
            self.loose.add(edge)
        if tied:
            self.tied.add(edge)

    def _agreed(self, passed: Mapping[int, Passed], states: States) -> Passed:
        return self._same([passed.get(state, frozenset()) for state in sorted(states)])

    def _same(self, ways: list[Passed]) -> Passed:
        """What all readings pass."""
        if any(way != ways[0] for way in ways):
            message = "a pattern in which a match passes one negation or another is not supported yet"
            raise NotSupportedYet(message, self.at)
        return ways[0] if ways else frozenset()
