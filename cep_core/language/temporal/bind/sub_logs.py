"""The first line `-- for each: x, y`: the attributes whose values make sub-logs.

Each event type that has them all is split by them, and events of other types are in no sub-log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cep_core.events.schema import LogSchema
from cep_core.language.errors import Position, lines_of
from cep_core.language.hints import did_you_mean
from cep_core.language.temporal.bind.reporting import Report
from cep_core.language.temporal.formulas import Predicate


def check_for_each(
    for_each: tuple[str, ...], atoms: Iterable[tuple[str, Predicate]], schema: LogSchema, text: str, report: Report
) -> None:
    """Report attributes that no event type has, and atoms whose event types lack one. `atoms`: with their types."""
    for attribute in for_each:
        owners = [name for name in schema.types if attribute in schema.attributes_of(name)]
        if not owners and attribute not in schema.columns:
            known = {name for event_type in schema.types for name in schema.attributes_of(event_type)}
            report(
                f"no event type has the attribute '{attribute}'",
                place_of_for_each(text),
                did_you_mean(attribute, known),
            )
            return
    for event_type, atom in atoms:
        lacking = [name for name in for_each if name not in schema.attributes_of(event_type)]
        if lacking:
            message = f"{event_type} lacks '{lacking[0]}', so no sub-log has its events"
            report(message, atom.at, "-- for each: names attributes that every event type of the formula has")


def split_types(for_each: Sequence[str], schema: LogSchema) -> tuple[str, ...]:
    """The event types whose events are in sub-logs: all that have every attribute; none if no attribute is named."""
    if not for_each:
        return ()
    return tuple(name for name in schema.types if set(for_each) <= schema.attributes_of(name).keys())


def place_of_for_each(text: str) -> Position:
    """The place of the line `-- for each: ...`; the beginning of the text if there is none.

    >>> place_of_for_each("-- for each: tail\\nP(x)")
    Position(line=1, column=1, length=17)
    """
    for number, line in enumerate(lines_of(text), 1):
        if re.match(r"\s*--\s*for\s+each\s*:", line, re.IGNORECASE):
            begin = len(line) - len(line.lstrip())
            return Position(number, begin + 1, len(line.strip()))
    return Position(1, 1)
