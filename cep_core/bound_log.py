"""A query bound to a notebook's log: its text, the schema that the log or the caller declares, the events in order."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import pyarrow as pa

from cep_core.compile import UNNAMED, BoundText, ParsedText, parse_text
from cep_core.events.frame_columns import not_compared
from cep_core.events.schema import Attribute, AttributeType, LogSchema, Ties
from cep_core.events.table import (
    RESERVED,
    Described,
    bare_schema,
    check_attributes,
    described,
    in_order,
    with_type_codes,
)
from cep_core.frames import ReadFrame
from cep_core.language.durations import counted_in_own_unit
from cep_core.language.hints import did_you_mean
from cep_core.language.patterns.user_aggregates import UserAggregates

SchemaLike = LogSchema | Mapping[str, Mapping[str, str]]
"""A log's schema, or attribute types (int, float, string, bool) by event type and attribute."""


def bind_to_log(
    query: str | Path,
    log: ReadFrame,
    schema: SchemaLike | None,
    ties: str,
    aggregates: UserAggregates | None = None,
) -> tuple[BoundText, pa.Table]:
    """The bound query and the events in order.

    Warns of event types that no event has, if one has a name like it, and of bare numbers that count the unit of
    time-stamps.
    """
    text, path = text_of(query)
    ordered = with_type_codes(in_order(log.events))
    if log.is_unit_own and (counted := counted_in_own_unit(_parsed(text, path).spans_without_unit, log.unit)):
        warnings.warn(counted, stacklevel=3)
    if schema is not None:
        declared = schema_of(schema, log.unit, ties)
        check_attributes(ordered, declared)
        return _parsed(text, path).bind(declared, aggregates=aggregates), ordered
    if problem := not_compared(ordered, _mentioned(text, path) - RESERVED):
        raise ValueError(problem)
    types, attributes = described(ordered)
    if aggregates:
        bound, asked = _of_bare_table(text, path, bare_schema(types, attributes, log.unit, Ties(ties)), aggregates)
    else:
        bound, asked = _bound(text, path, types, attributes, log.unit, Ties(ties))
    for event_type in asked.difference(types):
        if (advice := did_you_mean(event_type, types)).endswith("?"):
            warnings.warn(f"no event of type '{event_type}'; {advice}", stacklevel=3)
    return bound, ordered


@lru_cache(maxsize=64)
def _parsed(text: str, path: str) -> ParsedText:
    return parse_text(text, path)


@lru_cache(maxsize=64)
def _mentioned(text: str, path: str) -> frozenset[str]:
    """The attributes that a text names."""
    mentioned = _parsed(text, path).mentioned
    return frozenset([*mentioned.columns, *(name for own in mentioned.types.values() for name in own)])


@lru_cache(maxsize=64)
def _bound(
    text: str, path: str, types: tuple[str, ...], attributes: tuple[Described, ...], unit: str, ties: Ties
) -> tuple[BoundText, frozenset[str]]:
    """As `_of_bare_table`, kept with what is derived of it: it never changes.

    Whoever asks for a log day by day asks for the same text again and again.
    """
    return _of_bare_table(text, path, bare_schema(types, attributes, unit, ties))


def _of_bare_table(
    text: str, path: str, schema: LogSchema, aggregates: UserAggregates | None = None
) -> tuple[BoundText, frozenset[str]]:
    """A text bound to the schema of a bare table, and the event types that it names."""
    written = _parsed(text, path)
    return written.bind(schema, aggregates=aggregates), frozenset(written.mentioned.types)


def text_of(query: str | Path) -> tuple[str, str]:
    """A query's text, and the name of its file."""
    return (query.read_text(encoding="utf-8"), str(query)) if isinstance(query, Path) else (query, UNNAMED)


def schema_of(schema: SchemaLike, unit: str, ties: str) -> LogSchema:
    """A schema as the caller declares it."""
    if isinstance(schema, LogSchema):
        return schema
    types = {
        event_type: {name: Attribute(name, AttributeType(kind)) for name, kind in attributes.items()}
        for event_type, attributes in schema.items()
    }
    return LogSchema(types, unit, Ties(ties))
