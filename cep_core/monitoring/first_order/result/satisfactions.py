"""Satisfactions by range of points: which of them a slice owns, how many there are, where the first ones end.

Numbers come from the lengths of runs, so a listing of the first rows costs no more than it lists. Cost: linear in the
rows of the relation and in the points of a range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Ownership
from cep_core.monitoring.first_order.arrays.relation import Column, Relation
from cep_core.monitoring.first_order.arrays.texts import Texts


@dataclass(frozen=True)
class Satisfactions:
    """`relation`: in normal form. `types`: of its variables."""

    relation: Relation
    texts: Texts
    types: Mapping[str, AttributeType]

    def owned_by(self, owned: Ownership, constants: Mapping[str, int | float | str]) -> Satisfactions:
        """The verdicts whose valuation a slice owns. `constants`: slicing variables that are no columns."""
        if owned.owns is None or not self.relation.rows:
            return self
        columns = dict(zip(self.relation.variables, self.relation.columns, strict=True))
        values = {
            name: self.values(name, columns[name])
            if name in columns
            else pa.repeat(constants[name], self.relation.rows)
            for name in owned.variables
        }
        return replace(self, relation=self.relation.of_rows(owned.owns(pa.table(values))))

    def between(self, first: int, last: int) -> Satisfactions:
        """Those at the points [first, last)."""
        begin, end = np.maximum(self.relation.begin, first), np.minimum(self.relation.end, last)
        clipped = replace(self.relation, begin=begin, end=end)
        return replace(self, relation=clipped.of_rows(begin < end))

    @property
    def count(self) -> int:
        """How many satisfactions there are: one for each row and point of its run."""
        return int((self.relation.end - self.relation.begin).sum())

    def columns(self, rows: Relation) -> dict[str, pa.Array]:
        """The values of each variable in some rows of the relation."""
        named = zip(rows.variables, rows.columns, strict=True)
        return {name: self.values(name, column) for name, column in named}

    def values(self, name: str, column: Column) -> pa.Array:
        is_text = self.types[name] is AttributeType.STRING
        return self.texts.texts_of(column.astype(np.int64)) if is_text else pa.array(column)

    def first_points(self, first: int, last: int, most: int) -> int:
        """The end of the shortest range of points from `first` that has `most` verdicts; at most `last`."""
        relation = self.between(first, last).relation
        if not relation.rows:
            return last
        span = last - first + 1
        steps = np.bincount(relation.begin - first, minlength=span) - np.bincount(relation.end - first, minlength=span)
        total = np.cumsum(np.cumsum(steps)[:-1])
        return min(first + int(np.searchsorted(total, most)) + 1, last)
