"""Policies for tests: a schema of events of every type, and a text bound to it."""

from __future__ import annotations

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.bind.positions import by_position
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.parsing import parse
from cep_core.language.first_order.text.printing import formula_text
from cep_core.language.temporal.formulas import Formula

INT, FLOAT, STRING, BOOL = AttributeType.INT, AttributeType.FLOAT, AttributeType.STRING, AttributeType.BOOL


def attributes(*nullable: str, **types: AttributeType) -> dict[str, Attribute]:
    return {name: Attribute(name, kind, name in nullable) for name, kind in types.items()}


SCHEMA = LogSchema(
    {
        "Departure": attributes("tail", tail=STRING, origin=STRING, delay=INT, cancelled=BOOL),
        "Weather": attributes("wind", origin=STRING, wind=FLOAT),
        "P": attributes(x=INT),
        "Q": attributes(x=INT),
        "R": attributes(x=INT, y=INT),
        "F": attributes(x=FLOAT),
        "W": attributes(x=STRING),
        "T": {},
        "O/1": attributes(a=INT),
        "O/2": attributes(a=INT, b=STRING),
    }
)


def bound(text: str, schema: LogSchema = SCHEMA, *, whole_log: bool = True, rewrite: bool = True) -> Policy:
    """The policy that a text means."""
    return bind_written(parse(text), schema, text, "p.mfotl", whole_log=whole_log, rewrite=rewrite)


def shown(formula: Formula, schema: LogSchema = SCHEMA) -> str:
    """A bound formula as text."""
    return formula_text(by_position(formula, schema))
