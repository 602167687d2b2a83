"""Where a pattern forbids what: its state diagram, and that of each negated sub-pattern, nested alike.

GRETA, section 5.1, splits off negated sub-patterns with the event types before and after them. Here each transition of
the diagram says which negations it passes, one way or another: `SEQ(A, NOT E, B?, C)` guards A -> B and A -> C,
`SEQ(A, (SEQ(NOT E, B))?, C)` only A -> B. A transition that some way makes freely is not guarded: a match is a binding,
however it is read. Negations of one way forbid each for itself (docs/semantics.md, 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cep_core.language.patterns.automata.binding_sets import MOST_UNROLLED
from cep_core.language.patterns.automata.diagram import Diagram
from cep_core.language.patterns.automata.glushkov import Alike, diagram_of
from cep_core.language.patterns.automata.passed_negations import FREELY, Ways
from cep_core.language.patterns.tree import Comparison

ByVariables = Mapping[tuple[str, str], Sequence[tuple[Comparison, ...]]]


@dataclass(frozen=True)
class Guarded:
    """A diagram and, by number, what its negations forbid."""

    diagram: Diagram
    forbidden: tuple[Guarded, ...] = ()
    comparisons: Mapping[tuple[int, int], tuple[tuple[Comparison, ...], ...]] = field(default_factory=dict)
    """Of neighbouring events, `left` about the earlier one: all comparisons of one of the alternatives hold."""

    @property
    def starts_free(self) -> bool:
        """Whether nothing is forbidden before the first event."""
        return all(ways == FREELY for ways in self.diagram.start.values())

    @property
    def ends_free(self) -> bool:
        """Whether nothing is forbidden after the last event."""
        return all(ways == FREELY for ways in self.diagram.end.values())

    def mirrored(self) -> Guarded:
        """The same against the time: edges lead from the later event to the earlier."""
        return Guarded(
            self.diagram.mirrored(),
            tuple(nested.mirrored() for nested in self.forbidden),
            {(q, p): comparisons for (p, q), comparisons in self.comparisons.items()},
        )

    @property
    def between(self) -> Mapping[tuple[int, int], Ways]:
        """For each edge that no way makes freely."""
        return {edge: ways for edge, ways in sorted(self.diagram.edges.items()) if ways != FREELY}

    @property
    def before(self) -> Mapping[int, Ways]:
        """For each guarded start: nothing of some way may happen between the window's start and the first event."""
        return {state: ways for state, ways in sorted(self.diagram.start.items()) if ways != FREELY}

    @property
    def after(self) -> Mapping[int, Ways]:
        """For each guarded end: nothing of some way may happen between the last event and the window's end."""
        return {state: ways for state, ways in sorted(self.diagram.end.items()) if ways != FREELY}


def guarded(diagram: Diagram, alike: Alike, comparisons: ByVariables) -> Guarded:
    """The diagram with those of its negations; these may have several paths for a binding.

    `comparisons`: the alternatives between neighbours, by the variables of the earlier and of the later.

    >>> from cep_core.language.patterns.bind.naming import name_variables
    >>> from cep_core.language.patterns.text.parsing import parse_pattern
    >>> pattern = name_variables(parse_pattern("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+"))
    >>> whole = guarded(diagram_of(pattern), lambda unit: unit.variable, {})
    >>> [[(edge, sorted(map(sorted, ways))) for edge, ways in one.between.items()] for one in (whole, *whole.forbidden)]
    [[((0, 1), [[0]])], [((0, 1), [[0]])]]
    """
    bodies = [negation.body for negation in diagram.negations]
    inner = [guarded(diagram_of(body, alike, most_states=MOST_UNROLLED), alike, comparisons) for body in bodies]
    on_edges = {
        (p, q): tuple(found)
        for p, q in sorted(diagram.edges)
        if (found := comparisons.get((diagram.variables[p], diagram.variables[q])))
    }
    return Guarded(diagram, tuple(inner), on_edges)
