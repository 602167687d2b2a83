"""Formulas that are nothing but an atom below ONCE, EVENTUALLY and EXISTS: rows of events, and for how long they hold.

EXISTS may be made at once, on the events: a value that nobody asks for needs no column, wherever EXISTS stands.
"""

from __future__ import annotations

from dataclasses import dataclass

from cep_core.language.temporal.formulas import Eventually, Exists, Formula, Once, Predicate


@dataclass(frozen=True)
class AtomBelow:
    """`operators`: those above the atom, the innermost first. `hidden`: variables that one of them binds."""

    atom: Predicate
    operators: tuple[Once | Eventually | Exists, ...]
    hidden: frozenset[str]

    @property
    def windows(self) -> tuple[Once | Eventually, ...]:
        """The operators that give events runs, the innermost first."""
        return tuple(operator for operator in self.operators if isinstance(operator, Once | Eventually))


def atom_below(formula: Formula) -> AtomBelow | None:
    """The atom of such a formula, and what is above it; None for another formula.

    >>> from cep_core.language.temporal.interval import ANY_TIME
    >>> from cep_core.language.temporal.terms import Variable
    >>> below = atom_below(Once(ANY_TIME, Exists(("x",), Predicate("P", (Variable("x"), Variable("y"))))))
    >>> below.atom.event_type, [type(part).__name__ for part in below.operators], sorted(below.hidden)
    ('P', ['Exists', 'Once'], ['x'])
    """
    operators: list[Once | Eventually | Exists] = []
    hidden: set[str] = set()
    while not isinstance(formula, Predicate):
        match formula:
            case Exists(variables=names):
                hidden.update(names)
            case Once(interval=interval) | Eventually(interval=interval) if not interval.is_empty:
                pass
            case _:
                return None
        operators.insert(0, formula)
        formula = formula.body
    return AtomBelow(formula, tuple(operators), frozenset(hidden))
