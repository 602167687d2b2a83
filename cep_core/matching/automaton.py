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

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Ordered
from dataclasses import dataclass, field
from math import comb

from cep_core.language.errors import NotSupportedYet, Position
from cep_core.language.patterns.tree import Alternative, AnyOf, Conjunction, Kleene, Not, Pattern, Sequence, Unit
from cep_core.language.patterns.walk import parts_of

MOST_STATES = 1 << 13
END = -1
"""Stands for the end of the match among the states that may come next."""

Passed = frozenset[int]
"""Numbers of negated elements."""
Step = tuple[int, Passed]
"""A state that may come next, and the negated elements on the way."""


@dataclass(frozen=True)
class Automaton:
    """States 0..n-1 in pattern order.

    `variables` names each state's variable; `starts` and `successors` are in order of preference.

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
        raise _unsupported(f"a pattern that unrolls to more than {MOST_STATES:,} states", pattern.at)
    states = _Numbering(alike or {})
    try:
        expanded = _expand(pattern)
        numbered = states.number(expanded)
        numbered.follow([(END, frozenset())], states)
    except RecursionError:
        raise _unsupported("a pattern that unrolls to so long a chain of optional parts", pattern.at) from None
    order = states.by_variable()
    place = {END: END, **{state: number for number, state in enumerate(order)}}
    starts = _moved(_fewest(numbered.first(), pattern.at), place)
    successors = [_moved(_fewest(states.successors[state], pattern.at), place) for state in order]
    options = numbered.parts if isinstance(expanded, Alternative) else (numbered,)
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


def _expand(pattern: Pattern) -> Pattern:
    """The pattern with only +, * and ? as quantifiers."""
    match pattern:
        case Sequence():
            return Sequence(tuple(_expand(element) for element in pattern.elements), pattern.at)
        case Alternative():
            return Alternative(tuple(_options(pattern)), pattern.at)
        case Kleene(least=0 | 1, most=None) | Kleene(least=0, most=1):
            return Kleene(_expand(pattern.body), pattern.least, pattern.most, pattern.at)
        case Kleene(body=Kleene(least=0, most=1) as optional):
            # a round that binds nothing is none, so that any number of rounds up to `most` binds something
            return _expand(Kleene(optional.body, 0, pattern.most, pattern.at))
        case Kleene():
            return _copies(_expand(pattern.body), pattern)
        case Conjunction():
            raise _unsupported("AND inside a pattern", pattern.at)
        case _:
            return pattern


def _options(pattern: Alternative) -> Iterator[Pattern]:
    """The branches, those of an OR that is a branch itself included."""
    for option in pattern.options:
        if isinstance(option, Alternative):
            yield from _options(option)
        else:
            yield _expand(option)


def _copies(body: Pattern, quantified: Kleene) -> Pattern:
    """`A{2,4}` as A A (A (A)?)?, `A{2,}` as A A+."""
    at = quantified.at
    if quantified.most is None:
        return Sequence((*[body] * (quantified.least - 1), Kleene(body, 1, None, at)), at)
    optional: Pattern | None = None
    for _ in range(quantified.most - quantified.least):
        optional = Kleene(body if optional is None else Sequence((body, optional), at), 0, 1, at)
    copies = [body] * quantified.least
    return Sequence((*copies, optional) if optional is not None else tuple(copies), at)


def _unsupported(what: str, at: Position) -> NotSupportedYet:
    return NotSupportedYet(f"{what} is not supported yet", at)


def _fewest(steps: Ordered[Step], at: Position) -> dict[int, Passed]:
    """The distinct states in order of preference, each with the fewest negated elements on the way."""
    ways: dict[int, list[Passed]] = {}
    for state, passed in steps:
        ways.setdefault(state, []).append(passed)
    fewest: dict[int, Passed] = {state: frozenset.intersection(*found) for state, found in ways.items()}
    for state, found in ways.items():
        if fewest[state] not in found:
            raise _unsupported("a pattern in which a match passes one negation or another", at)
    return fewest


class _Numbering:
    """Gives every unit a state and collects what may follow it."""

    def __init__(self, alike: Mapping[str, int]) -> None:
        self.variables: list[str] = []
        self.successors: list[list[Step]] = []
        self.negations: list[Not] = []
        self.loose: list[tuple[int, int]] = []
        self._alike = alike

    def number(self, pattern: Pattern) -> _Part:
        match pattern:
            case Unit():
                return _Part("unit", (), number=self._state(pattern.variable))
            case Not():
                self.negations.append(pattern)
                return _Part("negation", (), number=len(self.negations) - 1)
            case Sequence():
                return _Part("sequence", tuple(self.number(element) for element in pattern.elements))
            case Alternative():
                return _Part("choice", tuple(self.number(option) for option in pattern.options))
            case AnyOf():
                return self._orders(pattern)
            case Kleene():
                kind = {(1, None): "plus", (0, None): "star", (0, 1): "optional"}[pattern.least, pattern.most]
                return _Part(kind, (self.number(pattern.body),))
        raise TypeError(pattern)

    def by_variable(self) -> list[int]:
        """The states in pattern order of their variables, so that paths compare as bindings do."""
        first = {name: self.variables.index(name) for name in self.variables}
        return sorted(range(len(self.variables)), key=lambda state: (first[self.variables[state]], state))

    def _state(self, variable: str) -> int:
        self.variables.append(variable)
        self.successors.append([])
        return len(self.variables) - 1

    def _orders(self, pattern: AnyOf) -> _Part:
        """`ANY(n, ...)`: a state for each unit after each choice of other units; of units alike the first ones."""
        names = [unit.variable for unit in pattern.units]
        before = {
            name: {other for other in names[:place] if self._alike.get(other, other) == self._alike.get(name, name)}
            for place, name in enumerate(names)
        }
        layer: dict[frozenset[str], list[int]] = {frozenset(): []}
        first: list[int] = []
        for depth in range(pattern.n):
            found: dict[frozenset[str], list[int]] = {}
            for bound, ends in layer.items():
                for name in names:
                    if name in bound or not before[name] <= bound:
                        continue
                    state = self._state(name)
                    found.setdefault(bound | {name}, []).append(state)
                    if depth == 0:
                        first.append(state)
                    for end in ends:
                        self.successors[end].append((state, frozenset()))
                        self.loose.append((end, state))
            layer = found
        last = tuple(state for states in layer.values() for state in states)
        return _Part("any", (), entries=tuple(first), exits=last)


@dataclass(frozen=True)
class _Part:
    """A piece of the pattern over numbered states and negated elements."""

    kind: str
    parts: tuple[_Part, ...]
    number: int = END
    entries: tuple[int, ...] = ()
    exits: tuple[int, ...] = ()

    def passed(self) -> list[Passed]:
        """The ways to bind nothing here: what each passes; none if something must be bound."""
        if self.kind in ("unit", "any"):
            return []
        if self.kind == "negation":
            return [frozenset({self.number})]
        if self.kind == "sequence":
            ways: list[Passed] = [frozenset()]
            for part in self.parts:
                ways = _least([one | other for one in ways for other in part.passed()])
            return ways
        if self.kind in ("star", "optional"):
            return [frozenset()]
        return _least([some for part in self.parts for some in part.passed()])

    def first(self) -> list[Step]:
        """States that may begin the piece."""
        if self.kind == "unit":
            return [(self.number, frozenset())]
        if self.kind == "any":
            return [(state, frozenset()) for state in self.entries]
        if self.kind == "sequence":
            return _begin(self.parts, [])
        return [step for part in self.parts for step in part.first()]

    def enter(self, later: list[Step]) -> list[Step]:
        """What may come next where the piece does, by preference: `later` for each way to bind nothing here."""
        if self.kind == "choice":
            return list(dict.fromkeys(step for part in self.parts for step in part.enter(later)))
        if self.kind == "sequence":
            return _begin(self.parts, later)
        return [*((state, way | passed) for way in self.passed() for state, passed in later), *self.first()]

    def follow(self, after: list[Step], states: _Numbering) -> None:
        """Adds to each state of the piece what may come next, given what may come after the piece."""
        if self.kind == "unit":
            states.successors[self.number] += after
        elif self.kind == "any":
            for state in self.exits:
                states.successors[state] += after
        elif self.kind == "sequence":
            for place, part in enumerate(self.parts):
                part.follow(_begin(self.parts[place + 1 :], after), states)
        else:
            again = self.first() if self.kind in ("plus", "star") else []
            for part in self.parts:
                part.follow([*after, *again], states)


def _least(ways: Ordered[Passed]) -> list[Passed]:
    """The ways than which no other passes less."""
    return [way for way in dict.fromkeys(ways) if not any(other < way for other in ways)]


def _begin(parts: tuple[_Part, ...], after: list[Step]) -> list[Step]:
    """States that may come first in the parts one after another, then `after`."""
    if not parts:
        return list(after)
    return parts[0].enter(_begin(parts[1:], after))
