"""Equal parts of formulas as one node, so that what is kept with a node is found once for all of them.

EQUIV and rewriting write parts several times, and where they nest, a formula has exponentially more parts than nodes.
Parts count as equal if their places in the text are, too, since messages tell these. O(1) for each new node.
"""

from __future__ import annotations

from dataclasses import fields

from cep_core.language.temporal.formulas import Formula
from cep_core.language.temporal.walk import operands, with_operands


class SharedNodes:
    """The nodes of some formulas, each once. Atoms stay the nodes that they are.

    >>> from cep_core.language.temporal.formulas import And, Not, Predicate
    >>> p = Predicate("p")
    >>> both = SharedNodes().node(And(Not(p), Not(p)))
    >>> both.left is both.right
    True
    """

    def __init__(self) -> None:
        self._by_content: dict[tuple[object, ...], Formula] = {}
        self._of: dict[int, tuple[Formula, Formula]] = {}
        """The node for each one that was asked for, by its id; both are held, so that no id is used again."""

    def node(self, formula: Formula) -> Formula:
        """The one node that is equal to a formula."""
        if id(formula) not in self._of:
            made = with_operands(formula, self.node)
            parts = {id(part) for part in operands(made)}
            if parts:
                content = (
                    id(value) if id(value) in parts else value
                    for value in (getattr(made, field.name) for field in fields(made))
                )
                made = self._by_content.setdefault((type(made), *content), made)
            self._of[id(formula)] = formula, made
            self._of[id(made)] = made, made
        return self._of[id(formula)][1]
