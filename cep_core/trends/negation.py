"""Where a pattern forbids what: its state diagram, and that of each negated sub-pattern, nested alike.

GRETA, section 5.1, splits off negated sub-patterns with the event types before and after them. Here each transition of
the diagram says which negations it passes, one way or another: `SEQ(A, NOT E, B?, C)` guards A -> B and A -> C,
`SEQ(A, (SEQ(NOT E, B))?, C)` only A -> B. A transition that some way makes freely is not guarded: a match is a binding,
however it is read. Negations of one way forbid each for itself (docs/semantics.md, 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cep_core.language.patterns.diagram import FREELY, Alike, Diagram, Ways, diagram_of


@dataclass(frozen=True)
class Guarded:
    """A diagram and, by number, what its negations forbid."""

    diagram: Diagram
    forbidden: tuple[Guarded, ...] = ()

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


def guarded(diagram: Diagram, alike: Alike) -> Guarded:
    """The diagram with those of its negations; these may have several paths for a binding.

    >>> from cep_core.language.patterns.naming import name_variables
    >>> from cep_core.language.patterns.parsing import parse_pattern
    >>> pattern = name_variables(parse_pattern("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+"))
    >>> whole = guarded(diagram_of(pattern), lambda unit: unit.variable)
    >>> [[(edge, sorted(map(sorted, ways))) for edge, ways in one.between.items()] for one in (whole, *whole.forbidden)]
    [[((0, 1), [[0]])], [((0, 1), [[0]])]]
    """
    inner = [guarded(diagram_of(negation.body, alike), alike) for negation in diagram.negations]
    return Guarded(diagram, tuple(inner))
