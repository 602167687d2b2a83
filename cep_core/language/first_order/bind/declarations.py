"""Finding the event type and the attributes that a written predicate means, in a log's schema.

`tp`, `ts` and `tpts` are predicates of every log: the point's index, its time-stamp, both. A name that is declared with
several numbers of attributes is kept in the schema as "P/1", "P/2".
"""

from __future__ import annotations

from collections.abc import Mapping

from cep_core.events.schema import AttributeType, LogSchema
from cep_core.language.errors import Position
from cep_core.language.hints import did_you_mean
from cep_core.language.temporal.bind.reporting import Report
from cep_core.language.temporal.formulas import Predicate

BUILT_IN: Mapping[str, tuple[str, ...]] = {"tp": ("tp",), "ts": ("ts",), "tpts": ("tp", "ts")}
"""The predicates that every log has, with the names of their arguments. All are integers."""
OF_EVERY_EVENT = ("seq", "ts")
"""What may be named in any atom, whatever attributes its event type has. Integers."""


def is_built_in(predicate: Predicate) -> bool:
    """Whether a bound predicate is `tp`, `ts` or `tpts`."""
    return predicate.names is not None and BUILT_IN.get(predicate.event_type) == predicate.names


def declared(schema: LogSchema, name: str, arguments: int | None, at: Position, report: Report) -> str | None:
    """The schema's name of the event type that is written `name`; None if it was reported.

    `arguments`: how many it has, or None if they are named.
    """
    if name in BUILT_IN and arguments in (len(BUILT_IN[name]), None):
        if schema.has_type(name) and not schema.open_world:
            report(
                f"the log has events '{name}', and '{name}' is a predicate of every log", at, "rename the event type"
            )
        return name
    exact = f"{name}/{arguments}"
    if exact in schema.types:
        return exact
    if schema.has_type(name):
        return name
    overloads = [known for known in schema.types if known.rpartition("/")[0] == name]
    if overloads:
        numbers = " or ".join(known.rpartition("/")[2] for known in overloads)
        report(f"{name} takes {numbers} arguments, not {arguments}", at, "")
        return None
    known_names = [*(known.partition("/")[0] for known in schema.types), *BUILT_IN]
    report(f"unknown event type '{name}'", Position(at.line, at.column, len(name)), did_you_mean(name, known_names))
    return None


def positional_names(
    schema: LogSchema, event_type: str, arguments: int, at: Position, report: Report
) -> tuple[str, ...] | None:
    """The attributes that arguments without names stand for, in the schema's order; None if the number is wrong.

    No argument at all looks at no attribute: `Departure()` is any departure.
    """
    if event_type in BUILT_IN and len(BUILT_IN[event_type]) == arguments:
        return BUILT_IN[event_type]
    attributes = tuple(schema.attributes_of(event_type))
    if arguments in (0, len(attributes)):
        return attributes[:arguments]
    shown = ", ".join(attributes[:12]) + (", ..." if len(attributes) > 12 else "")
    said = f"{len(attributes)} argument{'' if len(attributes) == 1 else 's'}"
    hint = f"{event_type}({shown}); or by name: {event_type}({attributes[0]}=x)" if attributes else f"{event_type}()"
    report(f"{event_type} takes {said}, not {arguments}", at, hint)
    return None


def known_names(
    schema: LogSchema, event_type: str, names: tuple[str, ...], at: Position, report: Report
) -> tuple[str, ...] | None:
    """The names of named arguments, if the event type has them all. That each stands there once is the parser's.

    With names, `tp` is an event type of the log. `tp(tp=x)` could not be told from the predicate of every log.
    """
    if BUILT_IN.get(event_type) == names:
        shown = f"{event_type}({', '.join(names)})"
        hint = f"{shown} is that of every log; if events are meant, rename their type or attribute"
        report(f"{event_type} is a predicate of every log, whose arguments have no names", at, hint)
        return None
    attributes = schema.attributes_of(event_type)
    unknown = [name for name in names if name not in attributes and name not in OF_EVERY_EVENT]
    for name in unknown:
        hint = did_you_mean(name, [*attributes, *OF_EVERY_EVENT])
        report(f"unknown attribute '{name}' of {event_type}", at, hint)
    return None if unknown else names


def type_of_attribute(schema: LogSchema, event_type: str, name: str) -> AttributeType:
    """The type of an argument of a bound predicate. A bool is the integer 0 or 1.

    >>> from cep_core.events.schema import Attribute
    >>> schema = LogSchema({"D": {"late": Attribute("late", AttributeType.BOOL)}})
    >>> type_of_attribute(schema, "D", "late").value, type_of_attribute(schema, "D", "seq").value
    ('int', 'int')
    """
    attribute = schema.attributes_of(event_type).get(name)
    if attribute is None or attribute.type is AttributeType.BOOL:
        return AttributeType.INT
    return attribute.type
