"""Partitions where some variables lack a part of the key: their events are in every partition that they fit.

Variables that bind the same attributes to the key classes are looked at together (`Selection.signatures`): their events
have tuples of codes. The keys are the join of these relations (`partitions`); each event is put into every partition
that agrees with it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.arrays import Flags, Ints, Some
from cep_core.candidates.by_key import Owns
from cep_core.candidates.grouping import offsets_of, stable_order
from cep_core.candidates.key_codes import key_codes
from cep_core.candidates.partitions import KeyTuples, Tupled, partitions, tupled
from cep_core.candidates.roles import Roles
from cep_core.candidates.selection import Signature, selection_of
from cep_core.candidates.slice_reader import SliceReader
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.chunks import one_array
from cep_core.language.patterns.query import KeyClass, Query, Strategy

Partitioned = tuple[Ints, Ints, pa.Table, Mapping[str, Flags]]
"""The rows of the candidates by partition, the partitions' offsets, their keys, and which variables they may bind."""


def by_parts_of_keys(query: Query, reader: SliceReader, roles: Roles, owns: Owns | None) -> Partitioned:
    """The candidates of each key under which a match may be. `roles`: [n] of all events.

    Under partition contiguity every event with a role, even one of no variable, has a place in each partition.
    """
    selection = selection_of(query)
    classes, signatures = selection.classes, selection.signatures
    marked, masks = roles.marked()
    read = np.arange(reader.rows) if marked is None else marked
    codes, values = _codes(classes, reader, read)
    sizes = [len(column) for column in values]
    entries = {signature: _entries(signature, codes, masks, names, query) for signature, names in signatures.items()}
    relations = {signature: tupled(relation, sizes) for signature, (_, relation) in entries.items()}
    carried: dict[str, KeyTuples] = {}
    for signature, names in signatures.items():
        for name in names:
            carried[name] = relations[signature].of(_taken(masks[name], entries[signature][0]))
    positive = {name: carried[name] for name in selection.positive}
    keyed = partitions(query.pattern, positive, len(classes), sizes)
    keys = pa.table({key.name: values[k].take(pa.array(keyed.columns[k])) for k, key in enumerate(classes)})
    if owns is not None:
        kept = np.flatnonzero(owns(keys))
        keyed = KeyTuples({k: codes[kept] for k, codes in keyed.columns.items()}, len(kept))
        keys = keys.take(pa.array(kept))
    chosen = {signature: rows for signature, (rows, _) in entries.items()}
    rows, offsets, parts = _placed(chosen, relations, signatures, keyed, masks, sizes)
    return rows if marked is None else marked[rows], offsets, keys, parts


def _placed(
    chosen: Mapping[Signature, Ints],
    relations: Mapping[Signature, Tupled],
    signatures: Mapping[Signature, tuple[str, ...]],
    keyed: KeyTuples,
    masks: Roles,
    sizes: list[int],
) -> tuple[Ints, Ints, Mapping[str, Flags]]:
    """Puts every event into each partition that it fits: first for each signature by itself, then all together."""
    places: list[tuple[Ints, Ints]] = []
    for signature, relation in relations.items():
        at, partition = relation.matched(keyed, sizes)
        places.append((chosen[signature][at], partition))
    if len(places) == 1:
        (rows, partition), *_ = places
        rows = rows[stable_order(partition, keyed.length)]
        return rows, offsets_of(partition, keyed.length), masks.at(rows)
    rows = np.concatenate([row for row, _ in places])
    partition = np.concatenate([part for _, part in places])
    origin = np.repeat(np.arange(len(places)), [len(row) for row, _ in places])
    order = stable_order(rows, int(rows.max(initial=0)) + 1)
    order = order[stable_order(partition[order], keyed.length)]
    rows, partition, origin = rows[order], partition[order], origin[order]
    parts = {
        name: masks[name][rows] & (origin == number)
        for number, names in enumerate(signatures.values())
        for name in names
    }
    if len(rows):
        # an event that comes into one partition through several signatures is one candidate
        first = np.flatnonzero(np.concatenate([[True], (np.diff(rows) != 0) | (np.diff(partition) != 0)]))
        parts = {name: np.logical_or.reduceat(mask, first) for name, mask in parts.items()}
        rows, partition = rows[first], partition[first]
    return rows, offsets_of(partition, keyed.length), parts


def _codes(
    classes: tuple[KeyClass, ...], reader: SliceReader, read: Ints
) -> tuple[list[dict[str, Ints]], list[pa.Array]]:
    """For each class, the codes of its attributes in the rows that are read (-1: no key), and the values by code."""
    codes: list[dict[str, Ints]] = []
    values: list[pa.Array] = []
    for key in classes:
        attributes = sorted({attribute for _, attribute in key.members})
        stored = reader.table(set(attributes), read)
        parts, by_code = key_codes([one_array(stored.column(attribute)) for attribute in attributes])
        codes.append(dict(zip(attributes, parts, strict=True)))
        values.append(by_code.cast(ARROW_TYPES[key.type], safe=False))
    return codes, values


def _entries(
    signature: Signature, codes: list[dict[str, Ints]], masks: Roles, names: tuple[str, ...], query: Query
) -> tuple[Ints, KeyTuples]:
    """The rows, among those read, that have this signature's part of the key, and their codes."""
    if query.strategy is Strategy.PARTITION:
        usable = np.ones(len(masks.bytes[0]), dtype=np.bool_)
    else:
        usable = np.logical_or.reduce([masks[name] for name in names])
    for k, attributes in enumerate(signature):
        for attribute in attributes:
            usable &= codes[k][attribute] >= 0
            if attribute != attributes[0]:
                usable &= codes[k][attribute] == codes[k][attributes[0]]
    chosen = np.flatnonzero(usable)
    columns = {k: codes[k][attributes[0]] for k, attributes in enumerate(signature) if attributes}
    if len(chosen) < len(usable):
        columns = {k: column[chosen] for k, column in columns.items()}
    return chosen, KeyTuples(columns, len(chosen))


def _taken(values: npt.NDArray[Some], rows: Ints) -> npt.NDArray[Some]:
    """The values at ascending rows, no row twice; all of them without a copy."""
    return values if len(rows) == len(values) else values[rows]
