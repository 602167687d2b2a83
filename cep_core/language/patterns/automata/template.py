"""The template of a pattern: a finite automaton over its positive variables (GRETA, Algorithm 1, section 4.1).

A state for each variable; an edge (p, q) where an event of q may directly follow one of p in a match: from the ends
of an element to the starts of the next, and from the ends of a closure to its starts. Each unit occurs once, so a
binding is one path (Glushkov's construction). Negated elements are no states (`splitting`). Bounds other than `+`,
`*` and `?` are not expressed: `{2,3}` has the edges of `+`. Time O(s^2) for s states, space that of the edges.
"""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import (
    Alternative,
    AnyOf,
    Conjunction,
    Kleene,
    Not,
    Pattern,
    Sequence,
    Unit,
)


@dataclass(frozen=True)
class Template:
    """States in pattern order, those that may come first and last, and who may follow whom."""

    states: tuple[str, ...]
    start: frozenset[str]
    end: frozenset[str]
    edges: frozenset[tuple[str, str]]

    @property
    def mid(self) -> frozenset[str]:
        """States that neither start nor end a match."""
        return frozenset(self.states) - self.start - self.end

    def predecessors(self, state: str) -> tuple[str, ...]:
        """The states whose events may directly precede an event of `state`, in pattern order."""
        return tuple(source for source in self.states if (source, state) in self.edges)

    def successors(self, state: str) -> tuple[str, ...]:
        """The states whose events may directly follow an event of `state`, in pattern order."""
        return tuple(target for target in self.states if (state, target) in self.edges)

    def reaches(self, source: str, target: str, avoiding: frozenset[str] = frozenset()) -> bool:
        """Whether a path of at least one edge leads from source to target with no inner state in `avoiding`."""
        seen: set[str] = set()
        front = [source]
        while front:
            for state in self.successors(front.pop()):
                if state == target:
                    return True
                if state not in seen and state not in avoiding:
                    seen.add(state)
                    front.append(state)
        return False


def template_of(query: Query) -> Template:
    """The template of a bound query's pattern.

    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> template = template_of_pattern(name_variables(parse_pattern("(SEQ(A+, B))+")))
    >>> template.predecessors("A"), template.predecessors("B"), template.mid
    (('A', 'B'), ('A',), frozenset())
    """
    return template_of_pattern(query.pattern)


def template_of_pattern(pattern: Pattern) -> Template:
    """The template of a pattern whose units are named."""
    part = _part(pattern)
    return Template(tuple(dict.fromkeys(part.states)), part.start, part.end, part.edges)


@dataclass(frozen=True)
class _Part:
    """A sub-pattern's states, borders and edges, and whether it may match nothing."""

    states: tuple[str, ...]
    start: frozenset[str]
    end: frozenset[str]
    edges: frozenset[tuple[str, str]]
    empty: bool


_NOTHING = _Part((), frozenset(), frozenset(), frozenset(), True)


def _part(pattern: Pattern) -> _Part:
    match pattern:
        case Unit():
            border = frozenset({pattern.variable})
            return _Part((pattern.variable,), border, border, frozenset(), False)
        case Sequence():
            return _in_turn([_part(element) for element in pattern.elements])
        case Kleene():
            body = _part(pattern.body)
            repeated = _pairs(body.end, body.start) if pattern.most != 1 else frozenset()
            return _Part(body.states, body.start, body.end, body.edges | repeated, body.empty or pattern.least == 0)
        case Alternative():
            return _either([_part(option) for option in pattern.options])
        case Conjunction():
            return _either([_part(pattern.left), _part(pattern.right)])
        case AnyOf():
            names = [unit.variable for unit in pattern.units]
            every = frozenset(names)
            edges = frozenset((p, q) for p, q in _pairs(every, every) if p != q) if pattern.n > 1 else frozenset()
            return _Part(tuple(names), every, every, edges, False)
        case Not():
            return _NOTHING


def _in_turn(parts: list[_Part]) -> _Part:
    """One after another; linear in what comes out."""
    states: list[str] = []
    start: set[str] = set()
    end: set[str] = set()
    edges: set[tuple[str, str]] = set()
    empty = True
    for part in parts:
        states += part.states
        edges |= part.edges
        edges.update((source, target) for source in end for target in part.start)
        start |= part.start if empty else set()
        end = end | part.end if part.empty else set(part.end)
        empty &= part.empty
    return _Part(tuple(states), frozenset(start), frozenset(end), frozenset(edges), empty)


def _either(parts: list[_Part]) -> _Part:
    return _Part(
        tuple(state for part in parts for state in part.states),
        frozenset().union(*(part.start for part in parts)),
        frozenset().union(*(part.end for part in parts)),
        frozenset().union(*(part.edges for part in parts)),
        any(part.empty for part in parts),
    )


def _pairs(sources: frozenset[str], targets: frozenset[str]) -> frozenset[tuple[str, str]]:
    return frozenset((source, target) for source in sources for target in targets)
