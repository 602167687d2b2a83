"""Trend aggregation, Kleene matching, monitoring and load shedding over a log in an Arrow table, without Spark.

import cep_core as cep
cep.match("PATTERN SEQ(A a, B+ b[]) WHERE [user] WITHIN 10 minutes", events)
"""

from cep_core.events.logs.errors import LogError
from cep_core.language.budget import WorkExhausted
from cep_core.language.errors import QueryError
from cep_core.language.first_order.safety.refusals import UnboundedFuture, UnsafeFormula
from cep_core.language.patterns.user_aggregates import UserAggregate
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.propositional.stream.limit import TooManyExpressions
from cep_core.policies import monitor, why
from cep_core.propositional_policies import monitor_mtl, why_mtl
from cep_core.queries import aggregate, detect, explain, match, shed
from cep_core.slicing import optimize_shares, slices_of

__all__ = [
    "EvaluationError",
    "LogError",
    "QueryError",
    "TooManyExpressions",
    "UnboundedFuture",
    "UnsafeFormula",
    "UserAggregate",
    "WorkExhausted",
    "aggregate",
    "detect",
    "explain",
    "match",
    "monitor",
    "monitor_mtl",
    "optimize_shares",
    "shed",
    "slices_of",
    "why",
    "why_mtl",
]
