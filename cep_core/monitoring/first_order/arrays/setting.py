"""What terms are evaluated in: the dictionary of texts, the stamps of the points, the types of the variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cep_core.arrays import Ints
from cep_core.events.schema import AttributeType
from cep_core.language.errors import Position
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.arrays.relation import Column, Relation
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.numbers.codes import MAGNITUDE


@dataclass(frozen=True)
class TermSetting:
    """`stamps`: one for each point, non-decreasing. `types`: of every variable that a term or an aggregation reads."""

    texts: Texts
    stamps: Ints
    types: Mapping[str, AttributeType]

    def error(self, problem: str, at: Position, relation: Relation, row: int) -> EvaluationError:
        """An error that a row of a relation shows, at the first point of its run."""
        values = {
            name: self.texts.text(int(column[row]))
            if self.types.get(name) is AttributeType.STRING
            else column[row].item()
            for name, column in zip(relation.variables, relation.columns, strict=True)
        }
        return EvaluationError(problem, at, int(self.stamps[relation.begin[row]]), values)

    def ordered(self, column: Column, kind: AttributeType) -> Ints:
        """Integers in the order of a column's values: numbers as `in_order`, texts by their characters."""
        if kind is AttributeType.STRING:
            return self._ranks(column.astype(np.int64, copy=False))
        return in_order(column)

    def _ranks(self, codes: Ints) -> Ints:
        """Costs one Python step for each distinct text."""
        distinct, places = np.unique(codes, return_inverse=True)
        texts = [self.texts.text(code) for code in distinct.tolist()]
        ranks = np.empty(len(texts), np.int64)
        ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        return ranks[places]


def in_order(numbers: Column) -> Ints:
    """Integers in the order of numbers. NaN comes last, and equals itself; -0.0 equals 0.0.

    >>> in_order(np.array([np.nan, 0.0, -0.0, -np.inf])).argsort(kind="stable").tolist()
    [3, 1, 2, 0]
    """
    if numbers.dtype == np.int64:
        return numbers.astype(np.int64, copy=False)
    floats = np.where(np.isnan(numbers), np.nan, numbers + 0.0)
    bits = floats.view(np.int64)
    return np.where(bits < 0, bits ^ MAGNITUDE, bits)
