"""Ways to slice a log that paper 01 compares with the joint hypercube (sections 2 and 4.3).

Each function returns the (row, slice) pairs of a log. All but `deal_out` keep every result. They are joint slicers
where f(v) is a hash of v restricted to some key, or they make more copies than such a slicer needs.

Cost: O(events * copies) array operations; `composed` also O(events * sum of shares).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing.atom_rows import relevant_rows, rows_matching
from cep_core.slicing.hashing import Keys, coordinates, keys_of, seed_of
from cep_core.slicing.shares import bound
from cep_core.slicing.slicing_plan import Plan
from cep_core.slicing.splitter import apart, ascending
from cep_core.slicing.statistics import Statistics

Numbers = npt.NDArray[np.int64]
Pairs = tuple[Numbers, npt.NDArray[np.integer[Any]]]
Types = Mapping[str, AttributeType]
"""The slicing variables and the types to which their values are coerced."""


def by_key(
    atoms: Sequence[Atom], types: Types, events: pa.Table, key: Sequence[str], slices: int, seed_text: str
) -> Pairs:
    """One slice for each value of a joint hash of the `key` variables. An event that lacks one goes to all slices.

    With one variable this is the single-variable slicer. With the variables that all atoms bind, it is the hash of a
    partition key.
    """
    parts: list[Pairs] = []
    for atom in atoms:
        rows = rows_matching(atom, events)
        if bound(atom).issuperset(key):
            hashed = np.zeros(len(rows), np.uint64)
            for name in key:
                place = coordinates(_keys(atom, types, events, name)[rows] ^ hashed, seed_of(seed_text, name), 2**32)
                hashed = place.astype(np.uint64)
            parts.append((rows, coordinates(hashed, seed_of(seed_text, "key"), slices)))
        else:
            parts.append(_to_all(rows, slices))
    return _distinct(parts, events.num_rows, slices)


def broadcast(
    atoms: Sequence[Atom], hashed: Atom | None, types: Types, events: pa.Table, slices: int, seed_text: str
) -> Pairs:
    """One event type is hashed on all variables of its atom `hashed`; all other events are copied everywhere."""
    parts = [_to_all(rows_matching(atom, events), slices) for atom in atoms if atom != hashed]
    if hashed is not None:
        parts.append(by_key([hashed], types, events, sorted(bound(hashed)), slices, seed_text))
    return _distinct(parts, events.num_rows, slices)


def worth_hashing(atoms: Sequence[Atom], statistics: Statistics) -> Atom | None:
    """Of the atoms that have variables and are the only one of their type, the one that matches the most events."""
    names = [atom.event_type for atom in atoms]
    candidates = [atom for atom in atoms if names.count(atom.event_type) == 1 and bound(atom)]
    return max(candidates, key=statistics.matching, default=None)


def composed(plan: Plan, events: pa.Table) -> Pairs:
    """Slicers of single variables, one after another, with the shares of the plan's cube for light valuations.

    An event goes to a slice if for each variable some atom allows its coordinate. The joint slicer needs one atom that
    allows all of them.
    """
    cube, types = plan.by_heavy[frozenset()], dict(zip(plan.variables, plan.types, strict=True))
    parts: list[Pairs] = []
    for name in dict.fromkeys(atom.event_type for atom in plan.atoms):
        atoms = [atom for atom in plan.atoms if atom.event_type == name]
        rows = relevant_rows(atoms, events)
        cells = np.ones((len(rows), 1), np.bool_)
        for index, variable in enumerate(plan.variables):
            allowed = np.zeros((len(rows), cube.shares[index]), np.bool_)
            for atom in atoms:
                members = np.flatnonzero(np.isin(rows, rows_matching(atom, events)))
                if variable in bound(atom):
                    keys = _keys(atom, types, events, variable)[rows[members]]
                    allowed[members, coordinates(keys, cube.seeds[index], cube.shares[index])] = True
                else:
                    allowed[members] = True
            cells = (allowed[:, :, None] & cells[:, None, :]).reshape(len(rows), cube.shares[index] * cells.shape[1])
        places, numbers = np.nonzero(cells)
        parts.append((rows[places], numbers))
    return _distinct(parts, events.num_rows, cube.cells)


def deal_out(atoms: Sequence[Atom], events: pa.Table, slices: int) -> Pairs:
    """Sends events to the slices in turn, without copies. The loads are even, but results are lost."""
    rows = relevant_rows(atoms, events)
    return rows, np.arange(len(rows)) % slices


def _keys(atom: Atom, types: Types, events: pa.Table, variable: str) -> Keys:
    attribute = next(attribute for attribute, name in atom.variables if name == variable)
    return keys_of(events[attribute], types[variable])[0]


def _to_all(rows: Numbers, slices: int) -> Pairs:
    return np.repeat(rows, slices), np.tile(np.arange(slices), len(rows))


def _distinct(parts: Sequence[Pairs], events: int, slices: int) -> Pairs:
    """The pairs of all parts, each once, of so many events."""
    return apart(ascending([rows * slices + numbers for rows, numbers in parts], events * slices), slices)
