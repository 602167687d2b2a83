"""The ways to find the trends of an aggregation query, in one table.

Queries that no way can take are refused before any event is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cep_core.language.patterns.query import Query, Strategy
from cep_core.language.patterns.tree import Conjunction
from cep_core.trends.choice.and_counts import PairCounts, TrendSource
from cep_core.trends.choice.counted import Counted
from cep_core.trends.choice.listed import Listed
from cep_core.trends.plan.aggregates import Aggregates
from cep_core.trends.plan.terms import terms_of
from cep_core.trends.plan.trend_plan import never


class Way(NamedTuple):
    """A way to find the trends of some queries. The source that it makes describes its cost."""

    applies: Callable[[Query], bool]
    source: Callable[[Query, Aggregates], TrendSource]


WAYS: tuple[Way, ...] = (
    Way(lambda query: isinstance(query.pattern, Conjunction), PairCounts.of),
    Way(
        lambda query: query.strategy is Strategy.ANY,
        lambda query, aggregates: Counted.of(query, terms_of(query), aggregates),
    ),
    Way(lambda query: True, Listed),
)
"""The first that applies is used: pairs from three counts, counts without listing, listing one match for each start."""


def source_of(query: Query, aggregates: Aggregates) -> TrendSource:
    """The source of the partial rows. Raises NotSupportedYet, or QueryError for what aggregation never supports."""
    if not query.aggregation:
        raise ValueError("trend aggregation evaluates queries that RETURN an aggregate over all trends")
    for predicate in query.match_predicates:
        raise never(query, "a condition on more than adjacent events of a trend", predicate.expression.at)
    return next(way for way in WAYS if way.applies(query)).source(query, aggregates)
