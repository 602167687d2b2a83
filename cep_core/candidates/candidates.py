"""Which events may stand for which variable, partition by partition: the input of every pattern engine.

Vertex predicates filter first. Then events are grouped by the query's key classes (GRETA, section 6: local predicates
filter, equivalences partition), and partitions of other slices are dropped. The candidates stand in (ts, seq) order
inside each partition. Only columns are used. The cost is linear in events plus output, since sorted columns are never
sorted again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.candidates.grouping import offsets_of, stable_order
from cep_core.candidates.partitions import KeyTuples, distinct, matching_pairs, partitions
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.query import KeyClass, Query, Strategy, Variable
from cep_core.language.patterns.values.exact_order import equal_codes
from cep_core.language.patterns.values.expressions import column, holds
from cep_core.language.patterns.walk import references

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Candidates:
    """m candidate events in p partitions.

    Partition i has the events [offsets[i], offsets[i + 1]), in (ts, seq) order.
    """

    rows: Ints
    """[m] row numbers in the events. An event without some part of the key is in every partition that agrees with its
    other parts."""
    offsets: Ints
    """[p + 1]."""
    keys: pa.Table
    """[p] a column for each key class that partitions, in the class's type; no columns if there is no such class."""
    variables: Mapping[str, Mask]
    """For each variable, negated ones included, [m]: whether the event may be bound to it."""
    ts: Ints
    seq: Ints
    pos: Ints
    """[m] rank in the whole log."""
    rank: Ints
    """[m] the rank that contiguity compares. Under partition contiguity: the rank in the partition, among the events of
    all types that have every partition attribute. Else: `pos`."""

    @property
    def partitions(self) -> int:
        return len(self.offsets) - 1


def candidates(query: Query, events: pa.Table, owned: Ownership | None = None) -> Candidates:
    """The candidates of a bound query among events in (ts, seq) order.

    An event whose key is NULL is in no partition. Key classes with `slices` False do not partition; the engine checks
    them. Raises ValueError if `owned` names a variable that is not a slicing key class of the query.
    """
    masks = _vertex_masks(query, events)
    read = _read_rows(query, events, masks)
    classes = tuple(key for key in query.key_classes if key.slices)
    rows, offsets, keys, parts = _grouped(query, classes, events, read, masks, owned)
    pos = _int64(events, "pos")[rows] if "pos" in events.column_names else rows
    rank = pos
    if query.strategy is Strategy.PARTITION:
        rank = np.arange(len(rows), dtype=np.int64) - np.repeat(offsets[:-1], np.diff(offsets))
        binding = np.logical_or.reduce(list(parts.values()))
        before = np.concatenate([[0], np.cumsum(binding, dtype=np.int64)])
        offsets = before[offsets]
        rows, pos, rank = rows[binding], pos[binding], rank[binding]
        parts = {name: mask[binding] for name, mask in parts.items()}
    return Candidates(rows, offsets, keys, parts, _int64(events, "ts")[rows], _int64(events, "seq")[rows], pos, rank)


def _vertex_masks(query: Query, events: pa.Table) -> dict[str, Mask]:
    """For each variable, a mask of the rows that have its type and pass its vertex predicates.

    A negated event whose equivalence attribute is NULL is in no match's partition, so it is left out.
    """
    masks: dict[str, Mask] = {}
    types = column(events, "event_type")
    of_type: dict[str, Ints] = {}
    for variable in query.variables:
        if variable.event_type not in of_type:
            of_type[variable.event_type] = np.flatnonzero(
                pc.fill_null(pc.equal(types, variable.event_type), False).to_numpy(zero_copy_only=False)
            )
        rows = of_type[variable.event_type]
        for predicate in query.vertex_predicates:
            if predicate.variable == variable.name:
                names = sorted({reference.attribute for reference in references(predicate.expression)})
                rows = rows[holds(predicate.expression, events.select(names).take(pa.array(rows)))]
        for attribute in _judged_keys(query, variable) if variable.negated else ():
            rows = rows[column(events, attribute).is_valid().to_numpy(zero_copy_only=False)[rows]]
        mask = np.zeros(events.num_rows, dtype=np.bool_)
        mask[rows] = True
        masks[variable.name] = mask
    return masks


def _judged_keys(query: Query, variable: Variable) -> list[str]:
    """The variable's attributes in equivalences that are not used for partitioning."""
    members = [member for key in query.key_classes if not key.slices for member in key.members]
    return [attribute for name, attribute in members if name == variable.name]


def _read_rows(query: Query, events: pa.Table, masks: Mapping[str, Mask]) -> Ints:
    """The rows that are read: the candidates and, under partition contiguity, every event that a rank counts."""
    if query.strategy is not Strategy.PARTITION:
        return np.flatnonzero(np.logical_or.reduce(list(masks.values())))
    types = column(events, "event_type")
    required = set(query.partition_attributes)
    ranked = [
        t for t in pc.unique(types).to_pylist() if t is not None and required <= query.schema.attributes_of(t).keys()
    ]
    return np.flatnonzero(pc.is_in(types, value_set=pa.array(ranked, pa.string())).to_numpy(zero_copy_only=False))


def _grouped(
    query: Query,
    classes: tuple[KeyClass, ...],
    events: pa.Table,
    read: Ints,
    masks: Mapping[str, Mask],
    owned: Ownership | None,
) -> tuple[Ints, Ints, pa.Table, dict[str, Mask]]:
    """Rows grouped by partition, the groups' offsets, their keys, and the masks on the grouped rows."""
    if not classes:
        _check_owned(owned, ())
        offsets = np.array([0, len(read)] if len(read) else [0], dtype=np.int64)
        return read, offsets, pa.table({}), {name: mask[read] for name, mask in masks.items()}
    codes, values = _codes(classes, events, read)
    sizes = [len(column) for column in values]
    signatures: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for variable in query.variables:
        signatures.setdefault(_signature(classes, variable.name), []).append(variable.name)
    entries = {
        signature: _entries(signature, codes, masks, names, read, query) for signature, names in signatures.items()
    }
    carried: dict[str, KeyTuples] = {}
    for signature, names in signatures.items():
        chosen, relation = entries[signature]
        for name in names:
            passing = np.flatnonzero(masks[name][read[chosen]])
            narrowed = KeyTuples({k: codes_of[passing] for k, codes_of in relation.columns.items()}, len(passing))
            carried[name] = distinct(narrowed, sizes)
    positive = {variable.name: carried[variable.name] for variable in query.positive}
    keyed = partitions(query.pattern, positive, len(classes), sizes)
    keys = pa.table({key.name: values[k].take(pa.array(keyed.columns[k])) for k, key in enumerate(classes)})
    keyed, keys = _owned_only(keyed, keys, classes, owned)
    return _placed(entries, signatures, keyed, keys, read, masks, sizes)


def _placed(
    entries: Mapping[tuple[tuple[str, ...], ...], tuple[Ints, KeyTuples]],
    signatures: Mapping[tuple[tuple[str, ...], ...], list[str]],
    keyed: KeyTuples,
    keys: pa.Table,
    read: Ints,
    masks: Mapping[str, Mask],
    sizes: list[int],
) -> tuple[Ints, Ints, pa.Table, dict[str, Mask]]:
    """Puts every event into each partition that it fits: first for each signature by itself, then all together."""
    places: list[tuple[Ints, Ints, int]] = []
    for number, (chosen, relation) in enumerate(entries.values()):
        at, partition = matching_pairs(relation, keyed, sizes)
        places.append((read[chosen[at]], partition, number))
    rows = np.concatenate([row for row, _, _ in places])
    partition = np.concatenate([part for _, part, _ in places])
    origin = np.concatenate([np.full(len(row), number) for row, _, number in places])
    if len(places) > 1:
        order = stable_order(rows, int(rows.max()) + 1 if len(rows) else 1)
        rows, partition, origin = rows[order], partition[order], origin[order]
    order = stable_order(partition, keyed.length)
    rows, partition, origin = rows[order], partition[order], origin[order]
    parts = {
        name: masks[name][rows] & (origin == number)
        for number, names in enumerate(signatures.values())
        for name in names
    }
    if len(places) > 1 and len(rows):
        # an event that comes into one partition through several signatures is one candidate
        first = np.flatnonzero(np.concatenate([[True], (np.diff(rows) != 0) | (np.diff(partition) != 0)]))
        parts = {name: np.logical_or.reduceat(mask, first) for name, mask in parts.items()}
        rows, partition = rows[first], partition[first]
    return rows, offsets_of(partition, keyed.length), keys, parts


def _signature(classes: tuple[KeyClass, ...], variable: str) -> tuple[tuple[str, ...], ...]:
    """For each class, the attributes of the variable that belong to it."""
    return tuple(tuple(attribute for name, attribute in key.members if name == variable) for key in classes)


def _codes(classes: tuple[KeyClass, ...], events: pa.Table, read: Ints) -> tuple[list[dict[str, Ints]], list[pa.Array]]:
    """For each class, the codes of its attributes in the rows that are read (-1: no key), and the values by code."""
    codes: list[dict[str, Ints]] = []
    values: list[pa.Array] = []
    row_numbers = pa.array(read)
    for key in classes:
        attributes = sorted({attribute for _, attribute in key.members})
        columns = [column(events, attribute).take(row_numbers) for attribute in attributes]
        parts, by_code = equal_codes(columns)
        codes.append(dict(zip(attributes, parts, strict=True)))
        values.append(by_code.cast(ARROW_TYPES[key.type], safe=False))
    return codes, values


def _entries(
    signature: tuple[tuple[str, ...], ...],
    codes: list[dict[str, Ints]],
    masks: Mapping[str, Mask],
    names: list[str],
    read: Ints,
    query: Query,
) -> tuple[Ints, KeyTuples]:
    """The rows, among those read, that have this signature's part of the key, and their codes."""
    if query.strategy is Strategy.PARTITION:
        usable = np.ones(len(read), dtype=np.bool_)
    else:
        usable = np.logical_or.reduce([masks[name] for name in names])[read]
    for k, attributes in enumerate(signature):
        for attribute in attributes:
            usable &= codes[k][attribute] >= 0
            usable &= codes[k][attribute] == codes[k][attributes[0]]
    chosen = np.flatnonzero(usable)
    columns = {k: codes[k][attributes[0]][chosen] for k, attributes in enumerate(signature) if attributes}
    return chosen, KeyTuples(columns, len(chosen))


def _owned_only(
    keyed: KeyTuples, keys: pa.Table, classes: tuple[KeyClass, ...], owned: Ownership | None
) -> tuple[KeyTuples, pa.Table]:
    if not _check_owned(owned, tuple(key.name for key in classes)):
        return keyed, keys
    assert owned is not None
    assert owned.owns is not None
    kept = np.flatnonzero(owned.owns(keys.select(list(owned.variables))))
    return KeyTuples({k: codes[kept] for k, codes in keyed.columns.items()}, len(kept)), keys.take(pa.array(kept))


def _check_owned(owned: Ownership | None, classes: tuple[str, ...]) -> bool:
    """Whether a slice owns only some of the keys."""
    if owned is None or owned.owns is None or not owned.variables:
        return False
    unknown = [name for name in owned.variables if name not in classes]
    if unknown:
        raise ValueError(f"slices own {unknown}, but the query binds {list(classes)}")
    return True


def _int64(events: pa.Table, name: str) -> Ints:
    values: Ints = column(events, name).to_numpy(zero_copy_only=False)
    return values
