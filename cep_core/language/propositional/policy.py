"""A bound propositional policy: what must hold at every point, its atoms, and the core formula that is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cep_core.events.schema import LogSchema
from cep_core.language.bound_query import POLICY
from cep_core.language.errors import Position
from cep_core.language.patterns.tree import Expression
from cep_core.language.temporal.formulas import Formula


@dataclass(frozen=True)
class EventAtom:
    """An atom: it holds at the points that have an event of a type for which a condition is true, not unknown."""

    event_type: str
    condition: Expression | None = None
    """Over the attributes of the event type, as a vertex condition of a pattern; None: any event of the type."""
    attributes: tuple[str, ...] = ()
    """The attributes that the condition looks at."""


@dataclass(frozen=True)
class PropositionalPolicy:
    """A propositional policy. Its result is the points at which its formula is false."""

    text: str
    path: str
    schema: LogSchema
    head: Position
    """The place of the formula."""
    formula: Formula
    """As written, intervals in the log's unit; an outer ALWAYS without bounds is stripped. Says what must hold.

    Its atoms are predicates without arguments, whose `event_type` is the atom's name.
    """
    core: Formula
    """`formula` without sugar: Predicate, Truth, Not, And, Or, Prev, Next, Once, Eventually, Since, Until."""
    atoms: Mapping[str, EventAtom]
    """The atoms by name, in order of their first occurrence in the formula."""
    for_each: tuple[str, ...] = ()
    """The attributes whose values make sub-logs: each event type that has them all is split by them."""
    kind: str = POLICY
