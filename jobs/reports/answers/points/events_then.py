"""Which events happened at a violation's moment, where the policy's values do not name them.

A policy of an airport says that it is violated at EWR at 10:12: a reader asks which flight. Where the schema says what
identifies an event (`shown`), and no column of the result has it, a table names the events of that moment that have the
values of the row. Cost: one read of the events at the moments of the rows of a page.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cep_core.events.schema import LogSchema
from cep_core.language.evaluator import Atom, Evaluator
from jobs.reports.words.values import listed, shown

Row = Mapping[str, Any]
TITLE = "events then"
AT_MOST = 3
"""The most events of a moment that a cell names."""


@dataclass(frozen=True)
class Naming:
    """How events are named: the attributes that identify those of each type, and the policy's atoms of it.

    `columns`: those of the result, which are variables of the atoms.
    """

    identifying: Mapping[str, tuple[str, ...]]
    atoms: Mapping[str, tuple[Atom, ...]]
    columns: frozenset[str]

    @property
    def attributes(self) -> set[str]:
        """What must be read of events."""
        used = {name for names in self.identifying.values() for name in names}
        for atom in (atom for atoms in self.atoms.values() for atom in atoms):
            used |= {name for name, variable in atom.variables if variable in self.columns}
            used |= {name for name, _ in atom.constants}
        return used

    def cells(self, rows: Sequence[Row], events: Sequence[Row]) -> list[str]:
        """What happened at each row's moment; empty where nothing did that can be named."""
        by_moment: dict[int, list[Row]] = {}
        for event in sorted(events, key=lambda event: (event["ts"], event["seq"])):
            by_moment.setdefault(event["ts"], []).append(event)
        return [self._cell(row, by_moment.get(row["ts"], ())) for row in rows]

    def _cell(self, row: Row, events: Sequence[Row]) -> str:
        texts = []
        for event in events:
            kind = event["event_type"]
            values = [shown(event[name]) for name in self.identifying.get(kind, ()) if event[name] is not None]
            if values and any(self._fits(atom, row, event) for atom in self.atoms[kind]):
                texts.append(f"{shown(kind)} {' '.join(values)}")
        return listed(texts, AT_MOST)

    def _fits(self, atom: Atom, row: Row, event: Row) -> bool:
        """Whether the event has the atom's constants, and the row's values."""
        bound = ((name, row[variable]) for name, variable in atom.variables if variable in self.columns)
        return all(event[name] == value for name, value in (*atom.constants, *bound))


def naming(evaluator: Evaluator, schema: LogSchema, columns: Sequence[str], kinds: Collection[str]) -> Naming | None:
    """How events of a policy are named; None if its columns name them, nothing identifies them, or it reads a mask.

    `kinds`: the event types that its formula speaks of; those of others only make time-points.
    """
    if any(not schema.masked.isdisjoint(names) for names in evaluator.reads.values()):
        return None
    named = {name for atom in evaluator.atoms for name, variable in atom.variables if variable in columns}
    identifying: dict[str, tuple[str, ...]] = {}
    atoms: dict[str, tuple[Atom, ...]] = {}
    for atom in (atom for atom in evaluator.atoms if atom.event_type in kinds):
        kind = atom.event_type
        own = tuple(each.name for each in schema.attributes_of(kind).values() if each.shown and not each.masked)
        if not named.isdisjoint(own):
            return None
        if own:
            identifying[kind] = own
            atoms[kind] = (*atoms.get(kind, ()), atom)
    return Naming(identifying, atoms, frozenset(columns)) if identifying else None
