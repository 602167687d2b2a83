"""Where a pattern forbids events: its state diagram, and the diagram of each negated sub-pattern, nested likewise.

GRETA, section 5.1, splits off negated sub-patterns with the event types before and after them. Here each transition of
the diagram names the negations that it passes, for each way to read the pattern: `SEQ(A, NOT E, B?, C)` guards A -> B
and A -> C, `SEQ(A, (SEQ(NOT E, B))?, C)` guards only A -> B. If one way passes a transition without any negation, the
transition is not guarded: a match is a binding, however it is read. Each negation of a way forbids on its own
(docs/semantics.md, 3).
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
    """A diagram and the guarded diagram of each of its negations, by the negation's number."""

    diagram: Diagram
    forbidden: tuple[Guarded, ...] = ()
    comparisons: Mapping[tuple[int, int], tuple[tuple[Comparison, ...], ...]] = field(default_factory=dict)
    """For each edge, the alternatives: all comparisons of one of them must hold. `left` is about the earlier event."""

    @property
    def starts_free(self) -> bool:
        """Whether nothing is forbidden before the first event."""
        return all(ways == FREELY for ways in self.diagram.start.values())

    @property
    def ends_free(self) -> bool:
        """Whether nothing is forbidden after the last event."""
        return all(ways == FREELY for ways in self.diagram.end.values())

    def mirrored(self) -> Guarded:
        """The same diagrams reversed in time: edges lead from the later event to the earlier event."""
        return Guarded(
            self.diagram.mirrored(),
            tuple(nested.mirrored() for nested in self.forbidden),
            {(q, p): comparisons for (p, q), comparisons in self.comparisons.items()},
        )

    @property
    def between(self) -> Mapping[tuple[int, int], Ways]:
        """For each guarded edge: the negations of each way."""
        return {edge: ways for edge, ways in sorted(self.diagram.edges.items()) if ways != FREELY}

    @property
    def before(self) -> Mapping[int, Ways]:
        """For each guarded start: the negations of each way, between the window's start and the first event."""
        return {state: ways for state, ways in sorted(self.diagram.start.items()) if ways != FREELY}

    @property
    def after(self) -> Mapping[int, Ways]:
        """For each guarded end: the negations of each way, between the last event and the window's end."""
        return {state: ways for state, ways in sorted(self.diagram.end.items()) if ways != FREELY}


def guarded(diagram: Diagram, alike: Alike, comparisons: ByVariables) -> Guarded:
    """The diagram with the diagrams of its negations. Those may have several paths for one binding.

    `comparisons`: the alternatives between neighbours, by the variables of the earlier and the later event.

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
        (p, q): tuple(options)
        for p, q in sorted(diagram.edges)
        if (options := comparisons.get((diagram.variables[p], diagram.variables[q])))
    }
    return Guarded(diagram, tuple(inner), on_edges)
