"""What the atoms of a formula stand for at the points of a log; for the reference of first-order policies.

An atom names the events of its type at a point, one of the clocks `tp`, `ts` and `tpts`, which have one event
everywhere, or a LET around it. Two LETs may have one name, so each gets a name of its own. The empty point that closes
a log has no events; there `ts` is 2**63 - 1. Cost: linear in the log's values and in the size of the formula.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from cep_core.events.logs.point_log import PointLog
from cep_core.language.temporal.formulas import Formula, Let, Predicate
from cep_core.language.temporal.terms import Term
from cep_core.language.temporal.walk import with_operands
from cep_core.monitoring.shared.scalars import Value, compares, plain

Event = Mapping[str, Value | None]
"""An event's values by attribute, and `ts` and `seq`, which any atom may name."""

CLOCKS = {("tp", 1): ("tp",), ("ts", 1): ("ts",), ("tpts", 2): ("tp", "ts")}
"""The predicates that every point has, by number of arguments: its index, its stamp."""


class AtomEvents:
    """The events and definitions of a formula's atoms. `formula`: with a name of its own for each LET.

    `stamps`: of all points, that of the closing point endless. `definitions`: the LETs by their own names.

    >>> from cep_core.language.temporal.terms import Variable
    >>> from cep_core.testing.logs import log_of
    >>> atom = Predicate("tp", (Variable("x"),))
    >>> atoms = AtomEvents(atom, log_of([(1, []), (5, [])]))
    >>> atoms.arguments(atom), atoms.rows(atom, 1), atoms.stamps
    ([('tp', Variable(name='x'))], [{'tp': 1, 'ts': 5}], [1, 5, inf])
    """

    def __init__(self, formula: Formula, log: PointLog) -> None:
        self.stamps = [*map(int, log.stamps), math.inf]
        self.definitions: dict[str, Let] = {}
        self.formula = self._with_definitions(formula, {})
        self._events = _events_by_point(log)

    def _with_definitions(self, formula: Formula, names: Mapping[str, str]) -> Formula:
        """The formula with a name of its own for each LET, by which `definitions` keeps it."""
        match formula:
            case Let():
                own = f"LET {len(self.definitions)} {formula.name}"
                self.definitions[own] = formula
                definition = self._with_definitions(formula.definition, names)
                body = self._with_definitions(formula.body, {**names, formula.name: own})
                self.definitions[own] = replace(formula, name=own, definition=definition, body=body)
                return self.definitions[own]
            case Predicate():
                return replace(formula, event_type=names.get(formula.event_type, formula.event_type))
            case _:
                return with_operands(formula, lambda part: self._with_definitions(part, names))

    def arguments(self, atom: Predicate) -> list[tuple[str, Term]]:
        """The arguments with the names of their attributes, or of a LET's parameters."""
        names = atom.names
        if names is None and atom.event_type in self.definitions:
            names = self.definitions[atom.event_type].parameters
        if names is None:
            places = tuple(str(place) for place in range(1, len(atom.arguments) + 1))
            names = CLOCKS.get((atom.event_type, len(places)), places)
        return list(zip(names, atom.arguments, strict=True))

    def rows(self, atom: Predicate, point: int) -> list[Event]:
        """The events of an atom's type at a point; `tp`, `ts` and `tpts` have one everywhere."""
        names = tuple(name for name, _ in self.arguments(atom))
        if CLOCKS.get((atom.event_type, len(names))) == names:
            return [{"tp": point, "ts": 2**63 - 1 if point == len(self.stamps) - 1 else int(self.stamps[point])}]
        return self._events.get((atom.event_type, point), [])

    def holds(self, atom: Predicate, arguments: Mapping[str, Value], point: int) -> bool:
        """Whether an event of an atom's type has these values at a point; the atom names no LET."""
        return any(all(_equal(row[name], value) for name, value in arguments.items()) for row in self.rows(atom, point))


def _equal(attribute: Value | None, value: Value) -> bool:
    """Null equals nothing."""
    return attribute is not None and compares("=", attribute, value)


def _events_by_point(log: PointLog) -> dict[tuple[str, int], list[Event]]:
    events: dict[tuple[str, int], list[Event]] = {}
    for event_type, typed in log.events.items():
        columns = {name: column.to_pylist() for name, column in typed.columns.items()}
        for row, point in enumerate(typed.point.tolist()):
            event: dict[str, Value | None] = {"ts": int(log.stamps[point])}
            if typed.seq is not None:
                event["seq"] = int(typed.seq[row])
            for name, values in columns.items():
                event[name] = None if values[row] is None else plain(values[row])
            events.setdefault((event_type, point), []).append(event)
    return events
