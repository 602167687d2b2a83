"""Which events may stand for which variable, partition by partition: the input of every pattern engine.

Vertex predicates filter first. Then events are grouped by the query's key classes (GRETA, section 6: local predicates
filter, equivalences partition), and partitions of other slices are dropped. The candidates stand in (ts, seq) order
inside each partition. Only columns are used. The cost is linear in events plus output, since sorted columns are never
sorted again; a column of the events is read when something asks for it, and at the candidates only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags, Ints, Some
from cep_core.candidates.event_types import EventTypes
from cep_core.candidates.grouping import offsets_of, stable_order
from cep_core.candidates.key_codes import key_codes
from cep_core.candidates.partitions import KeyTuples, Tupled, partitions, tupled
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.chunks import one_array
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.query import KeyClass, Query, Strategy, Variable
from cep_core.language.patterns.values.expressions import column, holds
from cep_core.language.patterns.walk import references

Signature = tuple[tuple[str, ...], ...]
"""For each key class, the attributes of a variable that belong to it."""


@dataclass(frozen=True)
class Candidates:
    """m candidate events in p partitions.

    Partition i has the events [offsets[i], offsets[i + 1]), in (ts, seq) order.
    """

    events: pa.Table
    """The events of the slice."""
    rows: Ints
    """[m] row numbers in the events. An event without some part of the key is in every partition that agrees with its
    other parts."""
    offsets: Ints
    """[p + 1]."""
    keys: pa.Table
    """[p] a column for each key class that partitions, in the class's type; no columns if there is no such class."""
    variables: Mapping[str, Flags]
    """For each variable, negated ones included, [m]: whether the event may be bound to it."""
    places: Ints | None = None
    """[m] under partition contiguity, the rank in the partition, among the events of all types that have every
    partition attribute."""
    _taken: dict[str, pa.Array] = field(default_factory=dict, compare=False, repr=False)

    @property
    def partitions(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def ts(self) -> Ints:
        return self._numbers("ts")

    @cached_property
    def seq(self) -> Ints:
        return self._numbers("seq")

    @cached_property
    def pos(self) -> Ints:
        """[m] the rank in the whole log."""
        return self._numbers("pos") if "pos" in self.events.column_names else self.rows

    @property
    def rank(self) -> Ints:
        """[m] the rank that contiguity compares: `places` if it has any, else `pos`."""
        return self.pos if self.places is None else self.places

    def table(self, names: Iterable[str]) -> pa.Table:
        """[m] columns of the events, and always `ts`. Each column is taken once."""
        wanted = sorted({*names, "ts"})
        return pa.Table.from_arrays([self._column(name) for name in wanted], names=wanted)

    @cached_property
    def _is_whole(self) -> bool:
        """Whether all events are candidates, each once and in their order."""
        return not self.keys.column_names and len(self.rows) == self.events.num_rows

    def _column(self, name: str) -> pa.Array:
        if name not in self._taken:
            values = one_array(self.events.column(name))
            self._taken[name] = values if self._is_whole else values.take(pa.array(self.rows))
        return self._taken[name]

    def _numbers(self, name: str) -> Ints:
        """A column for kernels: always a copy, because they are compiled for arrays that may be written."""
        values: Ints = column(self.events, name).to_numpy(zero_copy_only=False)
        if self._is_whole:
            return values.copy()
        n = len(values)  # numbers without gaps, as `seq` and `pos` of a whole log often are, need not be read again
        if n and values[-1] - values[0] == n - 1 and (values[1:] > values[:-1]).all():
            return self.rows + values[0]
        return values[self.rows]


def candidates(query: Query, events: pa.Table, owned: Ownership | None = None) -> Candidates:
    """The candidates of a bound query among events in (ts, seq) order.

    An event whose key is NULL is in no partition. Key classes with `slices` False do not partition; the engine checks
    them. Raises ValueError if `owned` names a variable that is not a slicing key class of the query.
    """
    masks = _vertex_masks(query, events)
    read = _read_rows(query, events, masks)
    if len(read) < events.num_rows:
        masks = _at(masks, read)
    classes = tuple(key for key in query.key_classes if key.slices)
    rows, offsets, keys, parts = _grouped(query, classes, events, read, masks, owned)
    if query.strategy is not Strategy.PARTITION:
        return Candidates(events, rows, offsets, keys, parts)
    rank = np.arange(len(rows), dtype=np.int64) - np.repeat(offsets[:-1], np.diff(offsets))
    binding = _any(parts.values())
    before = np.concatenate([[0], np.cumsum(binding, dtype=np.int64)])
    chosen = np.flatnonzero(binding)
    return Candidates(events, rows[chosen], before[offsets], keys, _at(parts, chosen), rank[chosen])


def _vertex_masks(query: Query, events: pa.Table) -> dict[str, Flags]:
    """For each variable, a mask of the rows that have its type and pass its vertex predicates.

    A negated event whose equivalence attribute is NULL is in no match's partition, so it is left out.
    """
    masks: dict[str, Flags] = {}
    types = EventTypes(events)
    for variable in query.variables:
        masks[variable.name] = types.of(variable.event_type)
        judged = _judged_keys(query, variable) if variable.negated else []
        predicates = [p.expression for p in query.vertex_predicates if p.variable == variable.name]
        if not predicates and not judged:
            continue
        rows = np.flatnonzero(masks[variable.name])
        for predicate in predicates:
            rows = rows[holds(predicate, _at_rows(events, {part.attribute for part in references(predicate)}, rows))]
        for attribute in judged:
            rows = rows[column(events, attribute).is_valid().to_numpy(zero_copy_only=False)[rows]]
        mask = np.zeros(events.num_rows, dtype=np.bool_)
        mask[rows] = True
        masks[variable.name] = mask
    return masks


def _at_rows(events: pa.Table, names: set[str], rows: Ints) -> pa.Table:
    """Columns of the events at the given ascending rows; of all events without a copy."""
    if len(rows) == events.num_rows or not names:
        return events.select(sorted(names))
    places = pa.array(rows)
    return pa.table({name: one_array(events.column(name)).take(places) for name in sorted(names)})


def _any(masks: Iterable[Flags]) -> Flags:
    """Where any of the masks is set; masks that are one array are read once."""
    return reduce(np.logical_or, {id(mask): mask for mask in masks}.values())


def _taken(values: npt.NDArray[Some], rows: Ints) -> npt.NDArray[Some]:
    """The values at ascending rows; all of them without a copy."""
    return values if len(rows) == len(values) else values[rows]


def _at(masks: Mapping[str, Flags], rows: Ints) -> dict[str, Flags]:
    """The masks at the given rows; those of variables that share one are one array again."""
    taken = {id(mask): mask[rows] for mask in {id(mask): mask for mask in masks.values()}.values()}
    return {name: taken[id(mask)] for name, mask in masks.items()}


def _judged_keys(query: Query, variable: Variable) -> list[str]:
    """The variable's attributes in equivalences that are not used for partitioning."""
    members = [member for key in query.key_classes if not key.slices for member in key.members]
    return [attribute for name, attribute in members if name == variable.name]


def _read_rows(query: Query, events: pa.Table, masks: Mapping[str, Flags]) -> Ints:
    """The rows that are read: the candidates and, under partition contiguity, every event that a rank counts."""
    if query.strategy is not Strategy.PARTITION:
        return np.flatnonzero(_any(masks.values()))
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
    masks: Mapping[str, Flags],
    owned: Ownership | None,
) -> tuple[Ints, Ints, pa.Table, Mapping[str, Flags]]:
    """Rows grouped by partition, the groups' offsets, their keys, and the masks on the grouped rows.

    `masks` are those of the rows in `read`.
    """
    if not classes:
        _check_owned(owned, ())
        offsets = np.array([0, len(read)] if len(read) else [0], dtype=np.int64)
        return read, offsets, pa.table({}), masks
    codes, values = _codes(classes, events, read)
    sizes = [len(column) for column in values]
    signatures: dict[Signature, list[str]] = {}
    for variable in query.variables:
        signatures.setdefault(_signature(classes, variable.name), []).append(variable.name)
    entries = {signature: _entries(signature, codes, masks, names, query) for signature, names in signatures.items()}
    relations = {signature: tupled(relation, sizes) for signature, (_, relation) in entries.items()}
    carried: dict[str, KeyTuples] = {}
    for signature, names in signatures.items():
        for name in names:
            carried[name] = relations[signature].of(_taken(masks[name], entries[signature][0]))
    positive = {variable.name: carried[variable.name] for variable in query.positive}
    keyed = partitions(query.pattern, positive, len(classes), sizes)
    keys = pa.table({key.name: values[k].take(pa.array(keyed.columns[k])) for k, key in enumerate(classes)})
    keyed, keys = _owned_only(keyed, keys, classes, owned)
    chosen = {signature: rows for signature, (rows, _) in entries.items()}
    rows, offsets, parts = _placed(chosen, relations, signatures, keyed, masks, sizes)
    return read[rows] if len(read) < events.num_rows else rows, offsets, keys, parts


def _placed(
    chosen: Mapping[Signature, Ints],
    relations: Mapping[Signature, Tupled],
    signatures: Mapping[Signature, list[str]],
    keyed: KeyTuples,
    masks: Mapping[str, Flags],
    sizes: list[int],
) -> tuple[Ints, Ints, Mapping[str, Flags]]:
    """Puts every event into each partition that it fits: first for each signature by itself, then all together."""
    places: list[tuple[Ints, Ints]] = []
    for signature, relation in relations.items():
        at, partition = relation.matched(keyed, sizes)
        places.append((_taken(chosen[signature], at), partition))
    if len(places) == 1:
        (rows, partition), *_ = places
        rows = rows[stable_order(partition, keyed.length)]
        return rows, offsets_of(partition, keyed.length), _at(masks, rows)
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


def _signature(classes: tuple[KeyClass, ...], variable: str) -> Signature:
    return tuple(tuple(attribute for name, attribute in key.members if name == variable) for key in classes)


def _codes(classes: tuple[KeyClass, ...], events: pa.Table, read: Ints) -> tuple[list[dict[str, Ints]], list[pa.Array]]:
    """For each class, the codes of its attributes in the rows that are read (-1: no key), and the values by code."""
    codes: list[dict[str, Ints]] = []
    values: list[pa.Array] = []
    for key in classes:
        attributes = sorted({attribute for _, attribute in key.members})
        stored = _at_rows(events, set(attributes), read)
        parts, by_code = key_codes([one_array(stored.column(attribute)) for attribute in attributes])
        codes.append(dict(zip(attributes, parts, strict=True)))
        values.append(by_code.cast(ARROW_TYPES[key.type], safe=False))
    return codes, values


def _entries(
    signature: Signature, codes: list[dict[str, Ints]], masks: Mapping[str, Flags], names: list[str], query: Query
) -> tuple[Ints, KeyTuples]:
    """The rows, among those read, that have this signature's part of the key, and their codes."""
    if query.strategy is Strategy.PARTITION:
        usable = np.ones(len(next(iter(masks.values()))), dtype=np.bool_)
    else:
        usable = _any(masks[name] for name in names).copy()
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
