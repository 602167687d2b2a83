"""Evaluates the comparisons of a plan on its candidates: their sides as columns, then as ranks (`ranks`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Bits
from cep_core.candidates.candidates import Candidates
from cep_core.candidates.separating import Sides, limits
from cep_core.language.patterns.tree import Comparison
from cep_core.trends.arrays.graph import Comparisons, no_comparisons
from cep_core.trends.arrays.ranks import Compared, compare


class Comparing:
    """The candidates of a slice, with their comparisons."""

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates
        self._evaluated: dict[Comparison, Compared] = {}

    @cached_property
    def _sides(self) -> Sides:
        return Sides(self._candidates.table)

    def evaluated(self, comparison: Comparison) -> Compared:
        """Both sides of a comparison on every candidate. Linear time."""
        if comparison not in self._evaluated:
            self._evaluated[comparison] = (comparison.operator, *self._sides.both(comparison))
        return self._evaluated[comparison]

    def possible(self, alternatives: Sequence[Sequence[Comparison]]) -> list[list[Compared]]:
        """The comparisons of each alternative on every candidate, without alternatives that can never hold.

        Usually alternatives about NULLs are impossible, and so are alternatives about sums beyond 64 bits. At least one
        alternative remains. Comparisons that always hold are left out as well.
        """
        needed = [
            [comparison for comparison in comparisons if not self._says_nothing(comparison)]
            for comparisons in alternatives
        ]
        likely = [comparisons for comparisons in needed if not any(map(self._never_holds, comparisons))]
        evaluated = [[self.evaluated(comparison) for comparison in comparisons] for comparisons in likely]
        evaluated = [compared for compared in evaluated if all(map(_may_hold, compared))]
        return evaluated or [[self.evaluated(comparison) for comparison in needed[0]]]

    def _says_nothing(self, comparison: Comparison) -> bool:
        return limits(comparison) and comparison.operator in (">=", "<=") and self._sides.always_fits(comparison)

    def _never_holds(self, comparison: Comparison) -> bool:
        """Whether the comparison asks for a sum beyond 64 bits, and no such sum occurs."""
        if not limits(comparison) or comparison.operator in (">=", "<="):
            return False
        return self._sides.always_fits(replace(comparison, operator=">=" if comparison.operator == "<" else "<="))

    def ranked(self, edges: Sequence[tuple[int, int, Sequence[Compared]]], states: Bits) -> Comparisons:
        """The edges (source, target, comparisons) as ranks, over candidates that may bind these states."""
        partitions = self._candidates.partitions
        if not edges:
            return no_comparisons(len(self._candidates), partitions)
        if partitions == 1:
            partition = np.zeros(len(self._candidates), np.int64)
        else:
            partition = np.repeat(np.arange(partitions, dtype=np.int64), np.diff(self._candidates.offsets))
        return compare(edges, states, partition, partitions)


def _may_hold(compared: Compared) -> bool:
    """Whether a comparison may hold. An equality of truth values needs a value that occurs on both sides."""
    operator, left, right = compared
    if operator != "=" or not (pa.types.is_boolean(left.type) and pa.types.is_boolean(right.type)):
        return True
    return any(
        pc.any(pc.equal(left, value)).as_py() and pc.any(pc.equal(right, value)).as_py() for value in (True, False)
    )
