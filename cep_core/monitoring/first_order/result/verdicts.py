"""Verdicts as rows: a relation over runs of points, expanded to one row for each point and valuation.

Rows are in order of point, then of values. Numbers of rows come from the lengths of runs, so a listing of the first
rows costs no more than it lists. Cost: a sort of the relation's rows by value, and one of the expanded rows by point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.events.chunks import one_array
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Ownership
from cep_core.monitoring.first_order.arrays.relation import Column, Relation
from cep_core.monitoring.first_order.arrays.texts import Texts

ROWS = 1 << 20
"""About how many rows a block has."""


@dataclass(frozen=True)
class Verdicts:
    """`relation`: in normal form. `types`: of its variables."""

    relation: Relation
    texts: Texts
    types: Mapping[str, AttributeType]

    def owned_by(self, owned: Ownership, constants: Mapping[str, int | float | str]) -> Verdicts:
        """The verdicts whose valuation a slice owns. `constants`: slicing variables that are no columns."""
        if owned.owns is None or not self.relation.rows:
            return self
        columns = dict(zip(self.relation.variables, self.relation.columns, strict=True))
        values = {
            name: self._values(name, columns[name])
            if name in columns
            else pa.repeat(constants[name], self.relation.rows)
            for name in owned.variables
        }
        return replace(self, relation=self.relation.of_rows(owned.owns(pa.table(values))))

    def count(self, first: int, last: int) -> int:
        """How many verdicts there are at the points [first, last)."""
        relation = self.relation
        lengths = np.minimum(relation.end, last) - np.maximum(relation.begin, first)
        return int(lengths[lengths > 0].sum())

    def first_points(self, first: int, last: int, most: int) -> int:
        """The end of the shortest range of points from `first` that has `most` verdicts; at most `last`."""
        relation = self.relation
        begin, end = np.maximum(relation.begin, first), np.minimum(relation.end, last)
        own = begin < end
        steps = np.zeros(max(last - first, 0) + 1, np.int64)
        np.add.at(steps, begin[own] - first, 1)
        np.subtract.at(steps, end[own] - first, 1)
        total = np.cumsum(np.cumsum(steps)[:-1])
        return min(first + int(np.searchsorted(total, most)) + 1, last)

    def rows(self, first: int, last: int) -> tuple[Ints, dict[str, pa.Array]]:
        """The point of each verdict at the points [first, last), and its values by variable, in order."""
        relation = self.relation
        own = np.flatnonzero((relation.begin < last) & (relation.end > first))
        own = own[self._order(own)]
        begin, end = np.maximum(relation.begin[own], first), np.minimum(relation.end[own], last)
        lengths = end - begin
        row = np.repeat(own, lengths)
        point = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths - begin, lengths)
        order = np.argsort(point, kind="stable")
        row = row[order]
        columns = zip(relation.variables, relation.columns, strict=True)
        return point[order], {name: self._values(name, column[row]) for name, column in columns}

    def blocks(self, first: int, last: int) -> Iterator[tuple[Ints, dict[str, pa.Array]]]:
        """As `rows`, in blocks of whole points with about ROWS rows each."""
        while first < last:
            end = self.first_points(first, last, ROWS)
            yield self.rows(first, end)
            first = end

    def _values(self, name: str, column: Column) -> pa.Array:
        is_text = self.types[name] is AttributeType.STRING
        return self.texts.texts_of(column.astype(np.int64)) if is_text else pa.array(column)

    def _order(self, own: Ints) -> Ints:
        """The order of some of the relation's rows by their values, the first variable first."""
        columns = zip(self.relation.variables, self.relation.columns, strict=True)
        values = [self._values(name, column[own]) for name, column in columns]
        ranks = [one_array(pc.rank(column, tiebreaker="dense")).to_numpy() for column in values]
        return np.lexsort(ranks[::-1]) if ranks else np.arange(len(own))
