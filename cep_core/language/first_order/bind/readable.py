"""A bound formula as its author would write it: arguments by position where they were, calls of definitions too."""

from __future__ import annotations

from dataclasses import replace

from cep_core.events.schema import LogSchema
from cep_core.language.temporal.formulas import Formula, Predicate
from cep_core.language.temporal.terms import Variable
from cep_core.language.temporal.walk import with_operands


def readable(formula: Formula, schema: LogSchema) -> Formula:
    """The formula with arguments by position, where all are there or the attributes have numbers for names.

    >>> from cep_core.events.schema import Attribute, AttributeType
    >>> schema = LogSchema({"P/2": {name: Attribute(name, AttributeType.INT) for name in "12"}})
    >>> readable(Predicate("P/2", (Variable("x"),), ("2",)), schema)
    Predicate(event_type='P', arguments=(Variable(name='_'), Variable(name='x')), names=None)
    """
    if not isinstance(formula, Predicate):
        return with_operands(formula, lambda part: readable(part, schema))
    if formula.names is None or formula.event_type not in schema.types:
        return replace(formula, names=None)  # a definition or a predicate of every log
    attributes = tuple(schema.attributes_of(formula.event_type))
    name, _, number = formula.event_type.rpartition("/")
    if name and number == str(len(attributes)):
        formula = replace(formula, event_type=name)
    if formula.names == attributes:
        return replace(formula, names=None)
    numbers = tuple(str(index + 1) for index in range(len(attributes)))
    if attributes != numbers or not set(formula.names or ()) <= set(numbers) or not formula.names:
        return formula
    given = dict(zip(formula.names, formula.arguments, strict=True))
    return replace(formula, names=None, arguments=tuple(given.get(key, Variable("_")) for key in numbers))
