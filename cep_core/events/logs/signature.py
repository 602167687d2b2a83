"""MonPoly's signatures: the event types of a log, `publish(author: string, file: int)`.

Attributes have the names of the signature; one without a name is called by its position, "1", "2", and so on. A name
with several numbers of arguments stands for several event types, which the schema calls "P/1", "P/2".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cep_core.events.logs.errors import SignatureError
from cep_core.events.schema import Attribute, AttributeType, LogSchema

_IGNORED = re.compile(r"(\s|;|#[^\n]*|--[^\n]*|\(\*.*?\*\))+", re.DOTALL)
_TYPE = re.compile(r"([^\W\d][\w\-/.!]*)\s*\(\s*([^()]*)\)")
_ATTRIBUTE = re.compile(r"(?:([^\W\d][\w\-/]*)?\s*:)?\s*(\w+)")
_TYPES = {**{kind.value: kind for kind in AttributeType}, "regexp": AttributeType.STRING}


@dataclass(frozen=True)
class _EventType:
    name: str
    attributes: dict[str, Attribute]
    line: int


def parse_signature(text: str, path: str = "<signature>") -> LogSchema:
    """The schema of a log. A `regexp` is read as a string. Raises SignatureError with the line.

    >>> schema = parse_signature("publish(a: string, f: int)  P(int) P(int, float)")
    >>> list(schema.types), list(schema.types["publish"]), schema.types["P/2"]["2"].type
    (['publish', 'P/1', 'P/2'], ['a', 'f'], <AttributeType.FLOAT: 'float'>)
    """
    declared = _event_types(text, path)
    lengths: dict[str, set[int]] = {}
    for event_type in declared:
        lengths.setdefault(event_type.name, set()).add(len(event_type.attributes))
    types: dict[str, dict[str, Attribute]] = {}
    for event_type in declared:
        name, attributes = event_type.name, event_type.attributes
        key = name if len(lengths[name]) == 1 else f"{name}/{len(attributes)}"
        if types.setdefault(key, attributes) != attributes:
            raise _error(text, path, event_type.line, f"'{name}' is declared twice with different attributes")
    return LogSchema(types)


def _event_types(text: str, path: str) -> list[_EventType]:
    declared: list[_EventType] = []
    place = 0
    while True:
        ignored = _IGNORED.match(text, place)
        place = ignored.end() if ignored else place
        if place == len(text):
            return declared
        line = text.count("\n", 0, place) + 1
        declaration = _TYPE.match(text, place)
        if declaration is None:
            raise _error(text, path, line, "a declaration is needed, as in 'name(a: int, b: string)'")
        inside = declaration[2].strip()
        attributes: dict[str, Attribute] = {}
        for position, part in enumerate(inside.split(",") if inside else [], start=1):
            attribute = _ATTRIBUTE.fullmatch(part.strip())
            if attribute is None:
                raise _error(text, path, line, f"'{part.strip()}' is no attribute of '{declaration[1]}'")
            name = attribute[1] or str(position)
            if attribute[2] not in _TYPES:
                known = ", ".join(_TYPES)
                raise _error(text, path, line, f"unknown type '{attribute[2]}' of '{declaration[1]}': use {known}")
            if name in attributes:
                raise _error(text, path, line, f"'{declaration[1]}' has two attributes '{name}'")
            attributes[name] = Attribute(name, _TYPES[attribute[2]], nullable=False)
        declared.append(_EventType(declaration[1], attributes, line))
        place = declaration.end()


def _error(text: str, path: str, line: int, message: str) -> SignatureError:
    return SignatureError(message, line=line, text=text.splitlines()[line - 1], path=path)
