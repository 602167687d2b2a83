"""Which way an aggregation query's trends are found, and what no way takes: refused before any event is read."""

from __future__ import annotations

from cep_core.language.patterns.query import Query, Strategy
from cep_core.language.patterns.tree import Conjunction
from cep_core.trends.choice.and_counts import Pairs, Source
from cep_core.trends.choice.counted import Counted
from cep_core.trends.choice.listed import Listed
from cep_core.trends.plan.aggregates import Aggregates
from cep_core.trends.plan.terms import terms_of
from cep_core.trends.plan.trend_plan import never


def source_of(query: Query, aggregates: Aggregates) -> Source:
    """What fills partial rows. Raises NotSupportedYet, or QueryError for what aggregation refuses for good."""
    if not query.aggregation:
        raise ValueError("trend aggregation evaluates queries that RETURN an aggregate over all trends")
    for predicate in query.match_predicates:
        raise never(query, "a condition on more than adjacent events of a trend", predicate.expression.at)
    if isinstance(query.pattern, Conjunction):
        return Pairs.of(query, aggregates)
    if query.strategy is Strategy.ANY:
        return Counted.of(query, terms_of(query), aggregates)
    return Listed(query, aggregates)
