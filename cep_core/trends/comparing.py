"""The comparisons of a plan evaluated on its candidates: their sides as columns, then as ranks (`ranks`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.language.patterns.candidates import Candidates
from cep_core.language.patterns.columns import evaluate
from cep_core.language.patterns.tree import Comparison
from cep_core.trends.graph import Bits, Comparisons, no_comparisons
from cep_core.trends.ranks import Compared, compare


class Comparing:
    """The candidates of a slice, to compare."""

    def __init__(self, found: Candidates, events: pa.Table) -> None:
        self._found = found
        self._events = events
        self._evaluated: dict[Comparison, Compared] = {}

    @cached_property
    def _candidates(self) -> pa.Table:
        return self._events.take(pa.array(self._found.rows))

    def evaluated(self, comparison: Comparison) -> Compared:
        """Both sides on every candidate. Linear."""
        if comparison not in self._evaluated:
            rows = self._candidates
            sides = evaluate(comparison.left, rows), evaluate(comparison.right, rows)
            self._evaluated[comparison] = (comparison.operator, *sides)
        return self._evaluated[comparison]

    def possible(self, alternatives: Sequence[Sequence[Comparison]]) -> list[list[Compared]]:
        """The comparisons of each alternative on every candidate, without alternatives that none of them allows.

        Those about NULLs mostly are not possible. At least one is left.
        """
        evaluated = [[self.evaluated(one) for one in comparisons] for comparisons in alternatives]
        found = [compared for compared in evaluated if all(map(_may_hold, compared))]
        return found or evaluated[:1]

    def ranked(self, edges: Sequence[tuple[int, int, Sequence[Compared]]], states: Bits) -> Comparisons:
        """Edges (source, target, comparisons) over candidates that may bind these states."""
        partitions = self._found.partitions
        if not edges:
            return no_comparisons(len(self._found.rows), partitions)
        partition = np.repeat(np.arange(partitions, dtype=np.int64), np.diff(self._found.offsets))
        return compare(edges, states, partition, partitions)


def _may_hold(compared: Compared) -> bool:
    """Whether the truth values that an equality asks for occur on both sides; anything else may hold."""
    operator, left, right = compared
    if operator != "=" or not (pa.types.is_boolean(left.type) and pa.types.is_boolean(right.type)):
        return True
    return any(
        pc.any(pc.equal(left, value)).as_py() and pc.any(pc.equal(right, value)).as_py() for value in (True, False)
    )
