"""Bound formulas as an author would write them: arguments by position where a predicate looks at all attributes."""

from __future__ import annotations

from dataclasses import replace

from cep_core.events.schema import LogSchema
from cep_core.language.first_order.bind.declarations import BUILT_IN, OF_EVERY_EVENT
from cep_core.language.temporal.formulas import Formula, Predicate
from cep_core.language.temporal.terms import Variable
from cep_core.language.temporal.walk import with_operands


def by_position(formula: Formula, schema: LogSchema) -> Formula:
    """The formula with arguments by position where that is shorter, and types by their name without `/2`.

    Attributes without names (`1`, `2`, ...) are always by position; `_` stands for those that are not looked at.

    >>> from cep_core.events.schema import Attribute, AttributeType
    >>> schema = LogSchema({"P/2": {name: Attribute(name, AttributeType.INT) for name in ("1", "2")}})
    >>> shown = by_position(Predicate("P/2", (Variable("x"),), ("2",)), schema)
    >>> shown.event_type, [argument.name for argument in shown.arguments]
    ('P', ['_', 'x'])
    """
    if not isinstance(formula, Predicate):
        return with_operands(formula, lambda part: by_position(part, schema))
    if formula.names is None:
        return formula
    attributes = BUILT_IN.get(formula.event_type)
    if attributes is None or attributes != formula.names:
        attributes = tuple(schema.attributes_of(formula.event_type))
        if not set(formula.names) <= {*attributes, *OF_EVERY_EVENT}:
            return replace(formula, names=None)  # a call of a definition
    name, _, number = formula.event_type.rpartition("/")
    written = replace(formula, event_type=name if name and number.isdecimal() else formula.event_type)
    terms = dict(zip(formula.names, formula.arguments, strict=True))
    if not terms.keys() <= set(attributes) or not terms:
        return written
    if len(terms) < len(attributes) and not attributes[0].isdecimal():
        return written
    return replace(written, names=None, arguments=tuple(terms.get(name, Variable("_")) for name in attributes))
