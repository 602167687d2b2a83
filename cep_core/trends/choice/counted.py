"""Counts trends without listing them: evaluates the plans of a pattern over the same candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from cep_core.candidates.candidates import candidates
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.query import Query
from cep_core.trends.choice.aggregation import aggregate_trends
from cep_core.trends.choice.description import describe_plan
from cep_core.trends.plan.aggregates import Aggregates
from cep_core.trends.plan.escaping import split
from cep_core.trends.plan.rewrites import counts_added
from cep_core.trends.plan.terms import Term
from cep_core.trends.plan.trend_plan import TrendPlan, plan_of
from cep_core.trends.result.groups import Groups, group_trends
from cep_core.trends.result.partial import Partial


@dataclass(frozen=True)
class Counted:
    """Plans with their signs, by the query that defines their candidates."""

    plans: tuple[tuple[Query, tuple[tuple[int, TrendPlan], ...]], ...]

    @staticmethod
    def of(query: Query, terms: tuple[Term, ...], aggregates: Aggregates) -> Counted:
        """The plans of a query's terms. Raises NotSupportedYet or QueryError."""
        return Counted(
            tuple(
                (part, tuple((term.sign, plan_of(part, term.diagram, aggregates)) for term in part_terms))
                for part, part_terms in split(query, terms)
                if part_terms
            )
        )

    def groups(self, events: pa.Table, owned: Ownership | None, partial: Partial) -> Iterator[Groups]:
        """The totals of each plan's trends."""
        days = None if owned is None else owned.days
        for query, plans in self.plans:
            matched = candidates(query, events, owned)
            for sign, plan in plans:
                trends = aggregate_trends(plan, matched, days)
                group_by, slide = partial.query.group_by, partial.slide
                groups = group_trends(trends, matched.keys, group_by, slide)
                yield groups if sign > 0 else groups.negative()

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        plans = [signed for _, signed_plans in self.plans for signed in signed_plans]
        if not plans:
            return ("nothing to count: no binding is a match of this",)
        if len(plans) == 1:
            return describe_plan(plans[0][1])
        lines = [counts_added(len(plans))]
        for sign, plan in plans:
            lines += [f"{'+' if sign > 0 else '-'} {line}" for line in describe_plan(plan)]
        return tuple(lines)
