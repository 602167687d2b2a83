"""Trends that are counted without listing them: the plans of a pattern, evaluated over the same candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.candidates import candidates
from cep_core.language.patterns.query import Query
from cep_core.trends.aggregates import Aggregates
from cep_core.trends.aggregation import aggregate_trends
from cep_core.trends.description import describe_plan
from cep_core.trends.layout import Layout
from cep_core.trends.partials import partial_of
from cep_core.trends.plan import Plan, plan_of
from cep_core.trends.terms import Term, terms_of


@dataclass(frozen=True)
class Counted:
    """A query's plans, each with its sign."""

    query: Query
    plans: tuple[tuple[int, Plan], ...]

    @staticmethod
    def of(query: Query, aggregates: Aggregates) -> Counted:
        """The plans of a query's pattern, which is no AND. Raises NotSupportedYet or QueryError."""
        return Counted.of_terms(query, terms_of(query), aggregates)

    @staticmethod
    def of_terms(query: Query, terms: Iterable[Term], aggregates: Aggregates) -> Counted:
        """The plans of these terms."""
        return Counted(query, tuple((term.sign, plan_of(query, term.diagram, aggregates)) for term in terms))

    def batches(self, events: pa.Table, owned: Ownership | None, layout: Layout) -> Iterator[pa.RecordBatch]:
        """Partial rows, one batch for each plan."""
        found = candidates(self.query, events, owned)
        days = None if owned is None else owned.days
        for sign, plan in self.plans:
            trends = aggregate_trends(plan, found, events, days)
            yield partial_of(trends, found.keys, found.partitions, layout, negative=sign < 0)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        if not self.plans:
            return ("nothing to count: no binding is a match of this",)
        if len(self.plans) == 1:
            return describe_plan(self.plans[0][1])
        lines = [f"{len(self.plans)} counts added and taken off: a binding that several readings allow counts once"]
        for sign, plan in self.plans:
            lines += [f"{'+' if sign > 0 else '-'} {line}" for line in describe_plan(plan)]
        return tuple(lines)
