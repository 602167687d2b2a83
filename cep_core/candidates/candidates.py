"""Which events may stand for which variable, partition by partition: the input of every pattern engine.

Vertex predicates filter first. Then events are grouped by the query's key classes (GRETA, section 6: local predicates
filter, equivalences partition), and partitions of other slices are dropped. The candidates stand in (ts, seq) order
inside each partition. Only columns are used. The cost is linear in events plus output, since sorted columns are never
sorted again; a column of the events is read when something asks for it, and at the candidates only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints, lent
from cep_core.candidates.by_key import Owns, by_key
from cep_core.candidates.by_parts_of_keys import by_parts_of_keys
from cep_core.candidates.roles import Roles
from cep_core.candidates.selection import Selection, selection_of
from cep_core.candidates.slice_reader import SliceReader, reader_of, shared_reader
from cep_core.events.chunks import one_array, taken
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.query import Query, Strategy
from cep_core.language.patterns.values.expressions import column

NO_KEYS = pa.table({})

Chosen = tuple[Ints | None, Ints, pa.Table, Mapping[str, Flags]]
"""The first fields of `Candidates` after the events."""


@dataclass(frozen=True)
class Candidates:
    """m candidate events in p partitions.

    Partition i has the events [offsets[i], offsets[i + 1]), in (ts, seq) order.
    """

    events: pa.Table
    """The events of the slice."""
    chosen: Ints | None
    """[m] row numbers in the events; None: all of them, in their order. An event without some part of the key is in
    every partition that agrees with its other parts."""
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

    def __len__(self) -> int:
        return self.events.num_rows if self.chosen is None else len(self.chosen)

    @cached_property
    def rows(self) -> Ints:
        """[m] row numbers in the events."""
        return np.arange(len(self), dtype=np.int64) if self.chosen is None else self.chosen

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

    def seq_of(self, wanted: Ints) -> Ints:
        """The `seq` of some candidates. Unless all are there already, only these are read."""
        if "seq" in vars(self) or self.chosen is None:
            return self.seq[wanted]
        return column(self.events, "seq").to_numpy(zero_copy_only=False)[self.chosen[wanted]]

    def table(self, names: Iterable[str]) -> pa.Table:
        """[m] columns of the events, and always `ts`. Each column is taken once."""
        wanted = sorted({*names, "ts"})
        return pa.Table.from_arrays([self._column(name) for name in wanted], names=wanted)

    def keys_at_hand(self, name: str) -> Ints | None:
        """[m] the keys by which a column is compared with itself, if the queries of the slice share what they read."""
        reader = shared_reader(self.events)
        if reader is None:
            return None
        keys = reader.order_keys(name)
        return keys if self.chosen is None else keys[self.chosen]

    def _column(self, name: str) -> pa.Array:
        if name not in self._taken:
            if name == "ts":
                self._taken[name] = pa.array(self.ts)
                return self._taken[name]
            values = one_array(self.events.column(name))
            self._taken[name] = values if self.chosen is None else taken(values, self.chosen)
        return self._taken[name]

    def _numbers(self, name: str) -> Ints:
        """A column for kernels, which are compiled for arrays that may be written: a copy, or all of it, lent."""
        stored = column(self.events, name)
        if self.chosen is None and stored.type == pa.int64() and not stored.null_count:
            return lent(stored)
        values: Ints = stored.to_numpy(zero_copy_only=False)
        return values.take(self.rows, mode="clip")  # every row is there: NumPy need not look before each


def candidates(query: Query, events: pa.Table, owned: Ownership | None = None) -> Candidates:
    """The candidates of a bound query among events in (ts, seq) order.

    An event whose key is NULL is in no partition. Key classes with `slices` False do not partition; the engine checks
    them. Raises ValueError if `owned` names a variable that is not a slicing key class of the query.
    """
    selection, reader = selection_of(query), reader_of(events)
    owns = _owner(owned, selection)
    roles = reader.roles(selection)
    if query.strategy is not Strategy.PARTITION:
        return Candidates(events, *_partitioned(query, reader, roles, owns))
    required, schema = set(query.partition_attributes), query.schema
    ranked = reader.of_types(lambda name: required <= schema.attributes_of(name).keys())
    rows, offsets, keys, places = _partitioned(query, reader, roles.among(ranked), owns)
    rows = np.arange(len(events), dtype=np.int64) if rows is None else rows
    rank = np.arange(len(rows), dtype=np.int64) - np.repeat(offsets[:-1], np.diff(offsets))
    binding = np.logical_or.reduce(list(places.values()))
    before = np.concatenate([[0], np.cumsum(binding, dtype=np.int64)])
    chosen = binding.nonzero()[0]
    own = places.at(chosen) if isinstance(places, Roles) else {name: mask[chosen] for name, mask in places.items()}
    return Candidates(events, rows[chosen], before[offsets], keys, own, rank[chosen])


def _partitioned(query: Query, reader: SliceReader, roles: Roles, owns: Owns | None) -> Chosen:
    """The rows of all events with a role, by partition; None: all rows."""
    selection = selection_of(query)
    if selection.attributes is not None and len(roles.bytes) == 1:
        return by_key(query.pattern, selection, reader, roles, owns)
    if selection.classes:
        return by_parts_of_keys(query, reader, roles, owns)
    rows, own = roles.marked()
    m = reader.rows if rows is None else len(rows)
    return rows, np.array([0, m] if m else [0], dtype=np.int64), NO_KEYS, own


def _owner(owned: Ownership | None, selection: Selection) -> Owns | None:
    """What tells the keys that a slice owns; None: it owns all."""
    if owned is None or owned.owns is None or not owned.variables:
        return None
    names, classes, owns = list(owned.variables), [key.name for key in selection.classes], owned.owns
    if unknown := [name for name in names if name not in classes]:
        raise ValueError(f"slices own {unknown}, but the query binds {classes}")
    return lambda keys: owns(keys.select(names))
