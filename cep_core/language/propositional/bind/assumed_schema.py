"""The schema that a policy assumes, if none is declared: its atoms are event types, its `for each` their attributes."""

from __future__ import annotations

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.text.written import WrittenPolicy
from cep_core.language.temporal.walk import walk


def schema_mentioned_by(written: WrittenPolicy) -> LogSchema:
    """The schema that a parsed policy assumes.

    >>> from cep_core.language.propositional.text.parsing import parse
    >>> schema = schema_mentioned_by(parse("-- for each: plane\\nlate IMPLIES ONCE rain"))
    >>> {name: list(attributes) for name, attributes in schema.types.items()}
    {'late': ['plane'], 'rain': ['plane']}
    """
    columns = {name: Attribute(name, AttributeType.STRING, False) for name in written.for_each}
    types = {part.event_type: columns for part in walk(written.formula) if isinstance(part, Predicate)}
    return LogSchema(types, open_world=True, columns=columns)
