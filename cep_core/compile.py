"""From a query's text to the engine that evaluates it."""

from __future__ import annotations

from cep_core.events.schema import LogSchema
from cep_core.language.budget import UNLIMITED, Budget
from cep_core.language.evaluator import Evaluator
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Conjunction


def compile_query(
    text: str,
    schema: LogSchema,
    *,
    path: str = "<query>",
    max_matches: int | None = None,
    exact: bool = False,
    collapsed: bool = False,
    supersets: bool = False,
    whole_log: bool = True,
) -> Evaluator:
    """The evaluator of a pattern query: trend aggregation if it aggregates over all trends, else matching.

    `max_matches` cuts the listing of a matching query per operating day, `collapsed` lists compact results,
    `supersets` those that cost no listing (`MatchEvaluator`); `exact` adds all digits of an aggregation's counts and
    sums; `whole_log` False refuses what depends on where the log starts, as in a workload. Raises QueryError for a
    wrong query, NotSupportedYet (with its place) for what no engine evaluates so far.
    """
    query = bind(text, schema, path, whole_log=whole_log)
    return evaluator_of(query, max_matches=max_matches, exact=exact, collapsed=collapsed, supersets=supersets)


def evaluator_of(
    query: Query,
    *,
    max_matches: int | None = None,
    exact: bool = False,
    collapsed: bool = False,
    supersets: bool = False,
    budget: Budget = UNLIMITED,
) -> Evaluator:
    """The evaluator of a bound query; `budget`: of the work that is not polynomial in the events."""
    # an engine brings its compiled kernels: only the one that is used is loaded
    if query.aggregation:
        from cep_core.trends.evaluator import TrendEvaluator

        return TrendEvaluator(query, exact=exact)
    if query.confidence is not None and isinstance(query.pattern, Conjunction):
        from cep_core.matching.imprecise.pair_evaluator import PossiblePairs

        return PossiblePairs(query, max_matches=max_matches, collapsed=collapsed, budget=budget)
    if query.confidence is not None:
        from cep_core.matching.imprecise.evaluator import ImpreciseEvaluator

        return ImpreciseEvaluator(
            query, max_matches=max_matches, collapsed=collapsed, supersets=supersets, budget=budget
        )
    if isinstance(query.pattern, Conjunction):
        from cep_core.matching.pairs.evaluator import PairEvaluator

        return PairEvaluator(query, max_matches=max_matches, collapsed=collapsed, budget=budget)
    from cep_core.matching.evaluator import MatchEvaluator

    return MatchEvaluator(query, max_matches=max_matches, collapsed=collapsed, supersets=supersets, budget=budget)
