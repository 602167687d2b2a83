"""Counts of equal rows, over tables that come one by one, with bounded memory: more counts than are held go to files.

Rows with the same last column go to the same file. So the counts of a file are complete, and what is asked of each
value can be asked file by file. Cost: a grouping of each table; of spilled counts a write, a read and one more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

import pyarrow as pa

from cep_core.slicing.hashing import common_type, coordinates, keys_of
from jobs.spread_rows import SpreadRows

AT_ONCE = 4_000_000
"""Rows of counts that are held, of all sums that count side by side."""

FILES = 64
"""Files of spilled counts: memory holds one of them."""


K = TypeVar("K", bound=Hashable)


class Sums:
    """How many rows have the same values in some columns. `at_once`: rows of counts that are held (None: AT_ONCE)."""

    def __init__(self, columns: Sequence[str], at_once: int | None = None) -> None:
        self._columns = list(columns)
        self._at_once = at_once or AT_ONCE
        self._parts: list[pa.Table] = []
        self._waiting = 0
        self._spilled: SpreadRows | None = None

    def add(self, rows: pa.Table) -> None:
        """Count some rows."""
        counted = rows.group_by(self._columns).aggregate([([], "count_all")])
        self.add_counts(with_texts(counted.rename_columns([*self._columns, "events"])))

    def add_counts(self, counts: pa.Table) -> None:
        """Add counts: the columns, and `events`."""
        self._parts.append(counts)
        self._waiting += counts.num_rows
        if self._waiting > self._at_once:
            self._parts = [self._summed(self._parts)]
            self._waiting = 0
            if self._parts[0].num_rows > self._at_once // 2:
                self._spill()

    def tables(self) -> Iterator[pa.Table]:
        """The columns, and `events`: each combination once, in one table or several; at least one."""
        if self._spilled is None:
            self._parts = [self._summed(self._parts)]
            yield self._parts[0]
            return
        if self._parts:
            self._spill()
        for counts in self._spilled.tables():
            yield self._summed([counts])

    def _summed(self, parts: Sequence[pa.Table]) -> pa.Table:
        summed = pa.concat_tables(parts).group_by(self._columns).aggregate([("events", "sum")])
        return summed.rename_columns([*self._columns, "events"])

    def _spill(self) -> None:
        if self._spilled is None:
            self._spilled = SpreadRows("trendmill-counts-")
        rows = pa.concat_tables(self._parts).combine_chunks()
        last = rows[self._columns[-1]]
        keys, _ = keys_of(last, common_type([last.type]))
        self._spilled.add(rows, coordinates(keys, 1, FILES))
        self._parts, self._waiting = [], 0


def side_by_side(columns: Mapping[K, Sequence[str]]) -> dict[K, Sums]:
    """Sums that are counted in one pass: together they hold as much as one alone.

    >>> [sums._at_once for sums in side_by_side({"a": ["day", "a"], "b": ["day", "b"]}).values()]
    [2000000, 2000000]
    """
    share = max(1, AT_ONCE // max(1, len(columns)))
    return {key: Sums(own, share) for key, own in columns.items()}


def with_texts(rows: pa.Table) -> pa.Table:
    """The rows with texts in place of codes: tables with other dictionaries can then be added.

    >>> with_texts(pa.table({"kind": pa.array(["A"]).dictionary_encode(), "n": [1]})).schema.types
    [DataType(string), DataType(int64)]
    """
    codes = [field for field in rows.schema if pa.types.is_dictionary(field.type)]
    schema = rows.schema
    for field in codes:
        schema = schema.set(schema.get_field_index(field.name), field.with_type(field.type.value_type))
    return rows.cast(schema) if codes else rows
