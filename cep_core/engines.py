"""Which engine evaluates a bound query.

`ENGINES` lists the engines in order; the first that takes a bound query evaluates it. A new one needs one entry here.
`compile.py`, the front door of every language, asks for the evaluator of what it has bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cep_core.language.bound_query import AGGREGATION, MATCHING, POLICY, BoundQuery
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import Evaluator
from cep_core.language.first_order.policy import Policy
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Conjunction
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.settings import DEFAULTS, Settings

# Importing an engine loads its compiled kernels, so only the engine that is used is imported.


def _trends(query: Query, settings: Settings) -> Evaluator:
    from cep_core.trends.evaluator import TrendEvaluator

    return TrendEvaluator(query, exact=settings.exact)


def _possible_pairs(query: Query, settings: Settings) -> Evaluator:
    from cep_core.matching.imprecise.pair_evaluator import PossiblePairs

    return PossiblePairs(query, settings)


def _possible_matches(query: Query, settings: Settings) -> Evaluator:
    from cep_core.matching.imprecise.evaluator import ImpreciseEvaluator

    return ImpreciseEvaluator(query, settings)


def _pairs(query: Query, settings: Settings) -> Evaluator:
    from cep_core.matching.pairs.evaluator import PairEvaluator

    return PairEvaluator(query, settings)


def _matches(query: Query, settings: Settings) -> Evaluator:
    from cep_core.matching.evaluator import MatchEvaluator

    return MatchEvaluator(query, settings)


def _violations(policy: Policy, settings: Settings) -> Evaluator:
    from cep_core.monitoring.first_order.evaluator import PolicyEvaluator

    return PolicyEvaluator(policy, settings)


def _points_of_violation(policy: PropositionalPolicy, settings: Settings) -> Evaluator:
    from cep_core.monitoring.propositional.evaluator import PropositionalEvaluator

    return PropositionalEvaluator(policy, settings)


def _is_and(query: Query) -> bool:
    return isinstance(query.pattern, Conjunction)


@dataclass(frozen=True)
class Engine:
    """An engine, and which bound queries of its kind it takes."""

    kind: str
    evaluator: Callable[[Any, Settings], Evaluator]
    """Raises NotSupportedYet or QueryError, with the place, for a query that it cannot evaluate."""
    takes: Callable[[Any], bool] = lambda query: True


ENGINES: tuple[Engine, ...] = (
    Engine(AGGREGATION, _trends),
    Engine(MATCHING, _possible_pairs, lambda query: query.confidence is not None and _is_and(query)),
    Engine(MATCHING, _possible_matches, lambda query: query.confidence is not None),
    Engine(MATCHING, _pairs, _is_and),
    Engine(MATCHING, _matches),
    Engine(POLICY, _violations, lambda policy: isinstance(policy, Policy)),
    Engine(POLICY, _points_of_violation, lambda policy: isinstance(policy, PropositionalPolicy)),
)
"""The first one that takes a bound query evaluates it."""


def evaluator_of(query: BoundQuery, settings: Settings = DEFAULTS) -> Evaluator:
    """The evaluator of a bound query."""
    for engine in ENGINES:
        if engine.kind == query.kind and engine.takes(query):
            return engine.evaluator(query, settings)
    message = f"no engine evaluates a query of kind '{query.kind}' yet"
    raise NotSupportedYet(message, query.head, text=query.text, path=query.path)
