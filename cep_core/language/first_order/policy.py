"""A bound first-order policy: the formula as written, its names resolved, and the core formula that is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cep_core.events.schema import AttributeType, LogSchema
from cep_core.language.bound_query import POLICY
from cep_core.language.errors import Position
from cep_core.language.temporal.formulas import Formula


@dataclass(frozen=True)
class Policy:
    """A first-order policy. Its satisfactions are its result: violations of what its author wants to hold."""

    text: str
    path: str
    schema: LogSchema
    head: Position
    """The place of the formula."""
    formula: Formula
    """As written, names resolved, intervals in the log's unit, bound names apart, LET kept; `must hold` applied."""
    unfolded: Formula
    """`formula` with LET unfolded: causes are told by it."""
    plain: Formula
    """The formula with LET unfolded and sugar removed, not rewritten: reach and slicing follow it."""
    core: Formula
    """What is evaluated: `plain` rewritten, safe. Only nodes of `formulas.Core`. On every log it means the same."""
    variables: Mapping[str, AttributeType]
    """The types of the free variables, in order of their first occurrence in the formula."""
    types: Mapping[str, AttributeType]
    """The types of all variables of the core formula, free and bound."""
    for_each: tuple[str, ...] = ()
    """The attributes whose values make sub-logs: each event type that has them all is split by them."""
    condition: Formula | None = None
    """The left side, as a core formula, of a policy of which `condition IMPLIES ...` must hold. None: any other policy.

    Episodes pass over points where it is false. It is None, too, if the left side cannot be monitored by itself.
    """
    must_hold: bool = False
    """Whether the text says what must hold, so that `formula` is its negation."""
    kind: str = POLICY
