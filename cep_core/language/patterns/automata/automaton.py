"""The automaton of a pattern: which variable may follow which, most preferred first.

One state for each unit, entered by binding an event to the unit's variable, so that a match is a path of (event, state)
pairs (Glushkov's construction; GRETA, Algorithm 1, draws the same edges; SASE++, section 2.2, splits a Kleene state in
two). A bounded quantifier `{n,m}` becomes m copies of the states of its body; `ANY(n, ...)` a state for each unit and
each choice of units before it. Successors are ordered as runs choose (`docs/semantics.md` 3): leave a closure before
staying in it, the innermost closure first; skip an optional before taking it; the first branch of OR in text order.

Where all matches are wanted, each binding must be exactly one path: `one_path_each` (`deciding`).

A negated element is no state. It is passed on the way from one state to the next, to the first or from the last, and
so lies between the nearest neighbours that a match binds in the whole pattern. Where two ways of reading one binding
pass different negations, the one that passes fewer counts: a binding is a match if some reading makes it one.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Ordered
from dataclasses import dataclass, field
from math import comb

from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.automata.numbering import (
    END,
    MOST_NEIGHBOURS,
    Numbering,
    Passed,
    Step,
    TooManyNeighbours,
    unsupported,
)
from cep_core.language.patterns.tree import Alternative, AnyOf, Kleene, Not, Pattern, Unit
from cep_core.language.patterns.walk import parts_of

MOST_STATES = 1 << 13


@dataclass(frozen=True)
class Automaton:
    """States 0..n-1 in pattern order.

    `variables` names each state's variable; `starts` and `successors` are in order of preference.

    >>> from cep_core.language.patterns.tree import Sequence
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
    between: Mapping[tuple[int, int], Passed] = field(default_factory=dict, repr=False)
    """By edge, those that lie on it, by number; edges without one are left out."""
    before: Mapping[int, Passed] = field(default_factory=dict, repr=False)
    """By starting state, those that lie before the first event."""
    after: Mapping[int, Passed] = field(default_factory=dict, repr=False)
    """By accepting state, those that lie after the last event."""
    loose: frozenset[tuple[int, int]] = field(default=frozenset(), repr=False)
    """Edges between events of one ANY, which may be concurrent."""
    tied: frozenset[tuple[int, int]] = field(default=frozenset(), repr=False)
    """Edges between events of one ANY that must be concurrent: another edge serves those that are not."""
    branches: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    """The starting states of each branch of an OR around the whole pattern; else all of them, as one."""

    def reaches(self, source: int, variable: str) -> bool:
        """Whether a match may bind the variable after an event of the state."""
        seen: set[int] = set()
        todo = [*self.successors[source]]
        while todo:
            state = todo.pop()
            if self.variables[state] == variable:
                return True
            if state not in seen:
                seen.add(state)
                todo += self.successors[state]
        return False

    def comes_back(self, variable: str) -> bool:
        """Whether a match may bind the variable, then others, then the variable again."""
        seen: set[int] = set()
        todo = [t for s, t in self.edges if self.variables[s] == variable != self.variables[t]]
        while todo:
            state = todo.pop()
            if self.variables[state] == variable:
                return True
            seen.add(state)
            todo += [t for t in self.successors[state] if t not in seen]
        return False

    def ends_open(self, variable: str) -> bool:
        """Whether a match that is complete with an event of the variable might take more."""
        return any(self.variables[s] == variable and self.successors[s] for s in self.accepts)

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All (state, successor), by state."""
        return tuple((s, t) for s, after in enumerate(self.successors) for t in after)


def automaton_of(pattern: Pattern, alike: Mapping[str, int] | None = None) -> Automaton:
    """The automaton of a pattern whose units are named.

    `alike`: variables of one ANY with the same number are alike in type and tests, and bound in text order. Raises
    NotSupportedYet at what no engine evaluates so far.
    """
    if _size(pattern) > MOST_STATES:
        raise unsupported(f"a pattern that unrolls to more than {MOST_STATES:,} states", pattern.at)
    states = Numbering(alike or {})
    try:
        numbered = states.number(pattern)
        numbered.follow([(END, frozenset())], states)
    except TooManyNeighbours:
        pairs = f"a pattern in which more than {MOST_NEIGHBOURS:,} pairs of events may follow each other"
        hint = "each of n optional parts in turn may be followed by any later one: n^2 / 2 pairs"
        raise NotSupportedYet(f"{pairs} is not supported yet", pattern.at, hint=hint) from None
    except RecursionError:
        raise unsupported("a pattern that is nested so deep", pattern.at) from None
    order = states.by_variable()
    place = {END: END, **{state: number for number, state in enumerate(order)}}
    starts = _moved(_fewest(numbered.first(), pattern.at), place)
    successors = [_moved(_fewest(states.successors[state], pattern.at), place) for state in order]
    options = numbered.parts if isinstance(pattern, Alternative) else (numbered,)
    return Automaton(
        variables=tuple(states.variables[state] for state in order),
        starts=tuple(starts),
        successors=tuple(tuple(s for s in after if s != END) for after in successors),
        accepts=frozenset(state for state, after in enumerate(successors) if END in after),
        negations=tuple(states.negations),
        between={
            (s, t): passed for s, after in enumerate(successors) for t, passed in after.items() if passed and t != END
        },
        before={t: passed for t, passed in starts.items() if passed},
        after={s: after[END] for s, after in enumerate(successors) if after.get(END)},
        loose=frozenset((place[s], place[t]) for s, t in states.loose),
        branches=tuple(tuple(place[s] for s in dict.fromkeys(step[0] for step in one.first())) for one in options),
    )


def _size(pattern: Pattern) -> int:
    """How many states the pattern unrolls to, at most."""
    match pattern:
        case Unit() | Not():
            return 1
        case AnyOf():
            others = len(pattern.units) - 1
            return len(pattern.units) * sum(comb(others, chosen) for chosen in range(pattern.n))
        case Kleene():
            copies = max(pattern.least, 1) if pattern.most is None else pattern.most
            return copies * _size(pattern.body)
        case _:
            return sum(_size(part) for part in parts_of(pattern))


def _moved(steps: Mapping[int, Passed], place: Mapping[int, int]) -> dict[int, Passed]:
    return {place[state]: passed for state, passed in steps.items()}


def _fewest(steps: Ordered[Step], at: Position) -> dict[int, Passed]:
    """The distinct states in order of preference, each with the fewest negated elements on the way."""
    ways: dict[int, list[Passed]] = {}
    for state, passed in steps:
        ways.setdefault(state, []).append(passed)
    fewest: dict[int, Passed] = {state: frozenset.intersection(*found) for state, found in ways.items()}
    for state, found in ways.items():
        if fewest[state] not in found:
            raise unsupported("a pattern in which a match passes one negation or another", at)
    return fewest
