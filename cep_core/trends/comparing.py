"""The comparisons of a plan evaluated on its candidates: their sides as columns, then as ranks (`ranks`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa

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

    @cached_property
    def _candidates(self) -> pa.Table:
        return self._events.take(pa.array(self._found.rows))

    def evaluated(self, comparison: Comparison) -> Compared:
        """Both sides on every candidate. Linear."""
        rows = self._candidates
        return comparison.operator, evaluate(comparison.left, rows), evaluate(comparison.right, rows)

    def ranked(self, edges: Sequence[tuple[int, int, Sequence[Compared]]], states: Bits) -> Comparisons:
        """Edges (source, target, comparisons) over candidates that may bind these states."""
        partitions = self._found.partitions
        if not edges:
            return no_comparisons(len(self._found.rows), partitions)
        partition = np.repeat(np.arange(partitions, dtype=np.int64), np.diff(self._found.offsets))
        return compare(edges, states, partition, partitions)
