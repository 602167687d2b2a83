"""The condition of an erasure: `column = value`, or several joined by AND, typed by the log's schema.

>>> from cep_core.events.schema import Attribute
>>> schema = LogSchema({"Trip": {"passenger": Attribute("passenger", AttributeType.INT)}})
>>> read_condition("passenger = 17", schema).values
{'passenger': 17}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from cep_core.arrays import Flags
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.schema import AttributeType, LogSchema
from cep_core.language.errors import Position, pointed
from jobs.exits import WrongWorkload
from jobs.workload.files.problems import nearest

Value = int | float | str | bool

TYPE = "event_type"
"""The column of an event's type. It may narrow a condition, but names nobody."""

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>[+-]?\d[\w.+-]*)|(?P<name>[A-Za-z]\w*)|(?P<equals>==?)|(?P<odd>\S))"
)
_INT = re.compile(r"[+-]?\d+")
_FLOAT = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_MOST = 1 << 63


@dataclass(frozen=True)
class Condition:
    """What all erased events have in common. `values`: column -> its value; `types`: column -> its type."""

    values: Mapping[str, Value]
    types: Mapping[str, AttributeType]

    @property
    def expression(self) -> ds.Expression:
        """The condition over a table with the log's columns."""
        equal = (
            ds.field(name) == pa.scalar(value, ARROW_TYPES[self.types[name]]) for name, value in self.values.items()
        )
        return reduce(lambda joined, further: joined & further, equal)

    def fits(self, rows: pa.Table) -> Flags:
        """[rows] Whether the condition holds; not where a value is absent."""
        whole = np.ones(rows.num_rows, np.bool_)
        for name, value in self.values.items():
            if name not in rows.column_names:
                return np.zeros(rows.num_rows, np.bool_)
            equal = pc.equal(rows[name], pa.scalar(value, rows.schema.field(name).type))
            whole &= pc.fill_null(equal, False).combine_chunks().to_numpy(zero_copy_only=False)
        return whole

    @property
    def named(self) -> dict[str, Value]:
        """The values that a raw text must hold: all but the event type, which events.sql gives, and true and false."""
        return {name: value for name, value in self.values.items() if name != TYPE and not isinstance(value, bool)}


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: Position


def read_condition(text: str, schema: LogSchema) -> Condition:
    """Raises WrongWorkload, with a caret, for what is no such condition, and for one that names nobody."""
    tokens = [_token(match) for match in _TOKEN.finditer(text)]
    end = _Token("end", "", Position(1, len(text.rstrip()) + 1, 1))
    types = types_of(schema)
    values: dict[str, Value] = {}
    place = 0

    def at(number: int) -> _Token:
        return tokens[number] if number < len(tokens) else end

    while True:
        name, equals, value = at(place), at(place + 1), at(place + 2)
        if name.kind != "name":
            raise _wrong(text, name, "expected a column", f"known: {', '.join(types)}")
        if name.text not in types:
            raise _wrong(text, name, f"unknown column '{name.text}'", nearest(name.text, types))
        if name.text in values:
            raise _wrong(text, name, f"'{name.text}' stands twice", "no event has two values of one column")
        if equals.kind != "equals":
            hint = "an erasure is of exact values: column = value, joined by AND"
            raise _wrong(text, equals, "expected '='", hint)
        values[name.text] = _value(text, value, name.text, types[name.text])
        joined = at(place + 3)
        if joined.kind == "end":
            break
        if joined.text.upper() != "AND":
            hint = "run the command once for each value" if joined.text.upper() == "OR" else "join conditions by AND"
            raise _wrong(text, joined, "expected AND or the end", hint)
        place += 4
    if TYPE in values and values[TYPE] not in schema.types:
        given = tokens[[token.text for token in tokens].index(TYPE) + 2]
        raise _wrong(text, given, "unknown event type", nearest(str(values[TYPE]), schema.types))
    condition = Condition(values, {name: types[name] for name in values})
    if not condition.named:
        hint = "an erasure needs a number or a text that names whom to forget"
        raise _wrong(text, at(0), "the condition names nobody", hint)
    return condition


def types_of(schema: LogSchema) -> dict[str, AttributeType]:
    """The columns that a condition may name, with their types."""
    return {TYPE: AttributeType.STRING} | {
        of.name: of.type for attributes in schema.types.values() for of in attributes.values()
    }


def _token(match: re.Match[str]) -> _Token:
    kind = str(match.lastgroup)
    return _Token(kind, match[kind], Position(1, match.start(kind) + 1, len(match[kind])))


def _value(text: str, token: _Token, name: str, kind: AttributeType) -> Value:
    if kind is AttributeType.STRING:
        if token.kind == "text":
            return token.text[1:-1].replace("''", "'")
        if token.text == "'":
            raise _wrong(text, token, "a text without its closing quote", "a quote within a text is written twice")
        value = re.sub(r"(?i)\s+AND\s.*", "", text[token.at.column - 1 :]).strip().strip('"').replace("'", "''")
        raise _wrong(text, token, f"'{name}' is a string", f"put the value in quotes: {name} = '{value}'")
    if token.kind == "text":
        raise _wrong(text, token, f"'{name}' is {kind.value}, not a string", "write the value without quotes")
    if kind is AttributeType.BOOL:
        if token.text.lower() in ("true", "false"):
            return token.text.lower() == "true"
        raise _wrong(text, token, f"'{name}' is bool", "true or false")
    if kind is AttributeType.INT and _INT.fullmatch(token.text) and -_MOST <= int(token.text) < _MOST:
        return int(token.text)
    if kind is AttributeType.FLOAT and _FLOAT.fullmatch(token.text):
        return float(token.text)
    hint = "a whole number of 64 bits" if kind is AttributeType.INT else "a decimal number"
    raise _wrong(text, token, f"'{name}' is {kind.value}", hint)


def _wrong(text: str, token: _Token, message: str, hint: str) -> WrongWorkload:
    return WrongWorkload("\n".join([f"--where: {message}", *pointed(text, token.at, hint)]))
