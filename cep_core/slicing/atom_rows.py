"""Which events an atom matches: the paper's matches(phi, e), for one atom at a time, over Arrow columns.

An event matches if it has the atom's type and constants, and if attributes that bind the same variable have equal
values. None of these attributes may be null, because a null equals nothing (paper 01, section 4.3;
docs/semantics.md 1).

Cost: one comparison of each column that the atom names; of event types as texts fifty times as much as of their codes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags
from cep_core.events.chunks import one_array
from cep_core.events.event_types import EventTypes
from cep_core.language.evaluator import Atom
from cep_core.slicing.hashing import coerce, common_type

Rows = npt.NDArray[np.int64]


def rows_matching(atom: Atom, events: pa.Table) -> Rows:
    """Ascending numbers of the rows of `events` that `atom` matches.

    >>> log = pa.table({"event_type": ["P", "P", "Q"], "a": [1, 2, 2], "b": [2, 2, None]})
    >>> rows_matching(Atom("P", (("a", "x"), ("b", "x"))), log)
    array([1])
    """
    return np.flatnonzero(_with_conditions(atom, events, _of_type(events["event_type"], atom.event_type)))


class AtomRows:
    """Which events of a table atoms match. The types of events are looked at once for all atoms."""

    def __init__(self, events: pa.Table) -> None:
        self.events = events
        self.types = EventTypes(one_array(events["event_type"]))
        self._rows: dict[Atom, Rows] = {}

    def is_whole(self, atom: Atom) -> bool:
        """Whether it is certain that the atom matches all events of its type: it asks for nothing that one may lack."""
        repeats = len(atom.variables) > len({variable for _, variable in atom.variables})
        may_lack = any(self.events[attribute].null_count for attribute, _ in atom.variables)
        return not (atom.constants or repeats or may_lack)

    def rows(self, atom: Atom) -> Rows:
        """Ascending numbers of the rows that the atom matches."""
        if atom not in self._rows:
            self._rows[atom] = np.flatnonzero(self.flags(atom))
        return self._rows[atom]

    def flags(self, atom: Atom) -> Flags:
        """[events] Whether the atom matches."""
        return _with_conditions(atom, self.events, self.types.of(atom.event_type))


def _with_conditions(atom: Atom, events: pa.Table, of_type: Flags) -> Flags:
    """Which events of the atom's type it matches."""
    conditions = [pc.equal(events[attribute], value) for attribute, value in atom.constants]
    attribute_of: dict[str, str] = {}
    for attribute, variable in atom.variables:
        if events[attribute].null_count:
            conditions.append(events[attribute].is_valid())
        if variable in attribute_of:
            kind = common_type([events.schema.field(name).type for name in (attribute_of[variable], attribute)])
            pair = (coerce(events[name], kind) for name in (attribute_of[variable], attribute))
            conditions.append(pc.equal(*pair))
        else:
            attribute_of[variable] = attribute
    for condition in conditions:
        of_type = of_type & np.asarray(pc.fill_null(condition, False))
    return of_type


def _of_type(types: pa.ChunkedArray, name: str) -> Flags:
    """Whether each event has this type: a comparison of codes, if types are codes of a dictionary."""
    if not pa.types.is_dictionary(types.type):
        return np.asarray(pc.fill_null(pc.equal(types, name), False))
    return EventTypes(one_array(types)).of(name)


def relation_of(atom: Atom) -> Atom:
    """What the paper calls a relation: the atom's type, constants and equal attributes, whatever its variables are.

    >>> relation_of(Atom("insert", (("user", "x"), ("id", "y"), ("copy", "y")), (("db", 1),)))
    Atom(event_type='insert', variables=(('copy', 'copy'), ('id', 'copy')), constants=(('db', 1),))
    """
    attributes_of: dict[str, list[str]] = {}
    for attribute, variable in sorted(atom.variables):
        attributes_of.setdefault(variable, []).append(attribute)
    equal = sorted((own, group[0]) for group in attributes_of.values() if len(group) > 1 for own in group)
    return Atom(atom.event_type, tuple(equal), tuple(sorted(atom.constants)))


def with_constants(atom: Atom) -> Atom:
    """The events of the atom's type that have its constants."""
    return Atom(atom.event_type, (), tuple(sorted(atom.constants)))


def relevant_rows(atoms: Iterable[Atom], events: pa.Table) -> Rows:
    """Ascending numbers of the rows that at least one of the atoms matches."""
    rows, present = AtomRows(events), np.zeros(events.num_rows, np.bool_)
    for atom in dict.fromkeys(map(named_alike, atoms)):
        present |= rows.flags(atom)
    return np.flatnonzero(present)


def named_alike(atom: Atom) -> Atom:
    """The atom with numbers for its variables: plans that queries share call them otherwise than each query does.

    >>> named_alike(Atom("A", (("x", "v"), ("y", "w"), ("z", "v")))).variables
    (('x', '0'), ('y', '1'), ('z', '0'))
    """
    numbers: dict[str, str] = {}
    named = tuple((attribute, numbers.setdefault(name, str(len(numbers)))) for attribute, name in atom.variables)
    return replace(atom, variables=named)


def united(parts: Iterable[Rows], count: int) -> Rows:
    """Ascending row numbers that are in any of the parts. `count`: the number of all rows.

    >>> united([np.array([3, 4]), np.array([1, 3])], 5)
    array([1, 3, 4])
    """
    present = np.zeros(count, np.bool_)
    for part in parts:
        present[part] = True
    return np.flatnonzero(present)
