"""Checks the arguments of expectations without importing Great Expectations, which takes seconds.

The library has a JSON schema for nearly every expectation. Arguments without a schema are checked by the gate itself.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from jobs.workload.files.problems import brief, nearest
from jobs.workload.sections.expectations import GateRule

OURS = ("id", "meta", "severity", "rendered_content", "metadata", "batch_id", "windows")
"""Fields of every expectation that a rule of a workload does not give as an argument."""
LOOSE = ("row_condition", "condition_parser", "result_format")
"""Arguments for which the library accepts more than their schema allows."""


def wrong_arguments(rule: GateRule) -> Iterator[tuple[str, str]]:
    """What is wrong with a rule's arguments: the path of each below `arguments`, and the message."""
    schema = _schema(rule.type)
    if schema is None:
        return
    properties = {name: of for name, of in schema["properties"].items() if name not in OURS}
    for name in rule.arguments:
        if name not in properties:
            yield f".{name}", f"unknown argument {brief(name)} of {rule.type}; {nearest(name, properties)}"
    for name in schema.get("required", ()):
        if rule.arguments.get(name) is None:
            yield "", f"{rule.type} needs the argument '{name}'"
    for name, value in rule.arguments.items():
        if name in properties and name not in LOOSE and value is not None:
            expected = _wanted(properties[name], _plain(value))
            if expected:
                yield f".{name}", f"expected {expected}, found {brief(value)}"


def _wanted(schema: Mapping[str, Any], value: Any) -> str:
    """What a schema expects in place of a value; empty: the value fits, or the schema is not understood."""
    ways = schema.get("anyOf") or schema.get("oneOf")
    if ways:
        expectations = [_wanted(way, value) for way in ways]
        return "" if "" in expectations else " or ".join(dict.fromkeys(expectations))
    if "enum" in schema:
        return "" if value in schema["enum"] else f"one of {', '.join(map(str, schema['enum']))}"
    kind = schema.get("type")
    if kind == "number" or kind == "integer":
        low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
        fits = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        bounds = f" from {low:g} to {high:g}" if "minimum" in schema and "maximum" in schema else ""
        return "" if fits else f"a number{bounds}"
    python = {"string": str, "boolean": bool, "array": list, "object": dict}.get(str(kind))
    words = {"string": "text", "boolean": "true or false", "array": "a list", "object": "a mapping"}
    if python is None or isinstance(value, python):
        return "text that is not empty" if kind == "string" and schema.get("minLength") and not value else ""
    return words[str(kind)]


def _plain(value: Any) -> Any:
    """A value as JSON writes it: days and times are texts."""
    return value.isoformat() if isinstance(value, date) else value


@cache
def _schema(expectation: str) -> dict[str, Any] | None:
    """The JSON schema of an expectation; None if it has none or the library is not installed."""
    spec = importlib.util.find_spec("great_expectations")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0], "expectations", "core", "schemas")
    name = expectation.replace("_", "").lower()
    for file in folder.glob("*.json"):
        if file.stem.lower() == name:
            schema = json.loads(file.read_text(encoding="utf-8"))
            return schema if isinstance(schema.get("properties"), dict) else None
    return None
