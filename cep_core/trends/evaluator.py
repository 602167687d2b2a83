"""Trend aggregation as an evaluator: GRETA's queries over the events of a slice, and the merge of slices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from cep_core.candidates.stretches import stretches_of
from cep_core.language.day_results import together
from cep_core.language.evaluator import RESULT, Ownership, ResultTable
from cep_core.language.patterns.facts.compiled import CompiledQuery
from cep_core.language.patterns.query import Query
from cep_core.trends.choice.ways import source_of
from cep_core.trends.plan.aggregates import aggregates_of
from cep_core.trends.result.groups import Groups, joined
from cep_core.trends.result.partial import Partial


class TrendEvaluator(CompiledQuery):
    """A compiled aggregation query. Raises NotSupportedYet or QueryError for queries that no kernel evaluates.

    `exact` adds a column with all digits for every count and every integer sum.
    """

    def __init__(self, query: Query, *, exact: bool = False) -> None:
        super().__init__(query)
        aggregates = aggregates_of(query)
        self._source = source_of(query, aggregates)
        self._partial = Partial(query, aggregates, exact)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the result, without `certain`."""
        return self._partial.result_schema

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        """The result table only."""
        bound, apart = "groups times windows, window by window", "window_start"
        return (ResultTable(RESULT, self.schema, self.merge, together, self.evaluate, bound=bound, apart=apart),)

    @property
    def partial_schema(self) -> pa.Schema:
        """The columns of the batches that `evaluate` returns."""
        return self._partial.schema

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results. Only owned partitions and windows are counted."""
        return map(self._partial.batch, self._groups(events, owned))

    def _groups(self, events: pa.Table, owned: Ownership | None, *, whole: bool = False) -> Iterator[Groups]:
        for stretch, own in stretches_of(self.query, self.reach, events, owned, whole=whole):
            yield from self._source.groups(stretch, own, self._partial)

    def whole(self, events: pa.Table) -> pa.Table:
        """The result of a whole log. Totals that need not be added are not written as partial rows."""
        groups = list(self._groups(events, None, whole=True))
        following = joined(groups)
        if following is None:
            following = self._merged(map(self._partial.batch, groups))
        return self._partial.result(following)

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """The result of all slices, ordered by window, then group. It does not depend on the days."""
        return self._partial.result_and_certain(self._merged(partials))

    def _merged(self, partials: Iterable[pa.RecordBatch]) -> Groups:
        return self._partial.merge(pa.Table.from_batches(list(partials), schema=self._partial.schema))

    def describe(self) -> tuple[str, ...]:
        """The algorithm chosen and its cost, for `explain`."""
        return self._source.describe()
