"""The template of a pattern: a finite automaton over its positive variables (GRETA, Algorithm 1, section 4.1).

It has a state for each variable, and an edge (p, q) if an event of q may directly follow an event of p in a match: from
the ends of an element to the starts of the next, and from the ends of a closure to its starts. It is a view of the
state diagram in which all states of one variable are merged. Negated elements have no states (`splitting`). Bounds
other than `+`, `*` and `?` are not expressed: `{2,3}` has the edges of `+`. Time O(s^2) for s states; space
proportional to the edges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cep_core.language.patterns.automata.glushkov import diagram_of
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
    """The states in pattern order, the states that may come first and last, and the edges between states."""

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
    diagram = diagram_of(_outlined(pattern))
    names = diagram.variables
    return Template(
        tuple(dict.fromkeys(names)),
        frozenset(names[state] for state in diagram.start),
        frozenset(names[state] for state in diagram.end),
        frozenset((names[state], names[after]) for state, after in diagram.edges),
    )


def _outlined(pattern: Pattern) -> Pattern:
    """The smallest pattern with the same edges: fewest rounds and choices, no negations, and OR in place of AND."""
    match pattern:
        case Unit():
            return pattern
        case Not():
            return Sequence((), pattern.at)
        case AnyOf():
            return replace(pattern, n=min(pattern.n, 2))
        case Kleene():
            return Kleene(_outlined(pattern.body), min(pattern.least, 1), None if pattern.most != 1 else 1, pattern.at)
        case Sequence():
            return replace(pattern, elements=tuple(_outlined(element) for element in pattern.elements))
        case Alternative():
            return replace(pattern, options=tuple(_outlined(option) for option in pattern.options))
        case Conjunction():
            return Alternative((_outlined(pattern.left), _outlined(pattern.right)), pattern.at)
