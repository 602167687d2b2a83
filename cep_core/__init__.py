"""Trend aggregation, Kleene matching, monitoring and load shedding over a log in an Arrow table, without Spark.

import cep_core as cep
cep.match("PATTERN SEQ(A a, B+ b[]) WHERE [user] WITHIN 10 minutes", events)

A name is imported when it is first used: a process that needs only the errors does not import the engines, whose
libraries cost half a CPU-second.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from cep_core import quick_numba

if TYPE_CHECKING:
    from cep_core.events.logs.errors import LogError
    from cep_core.language.budget import WorkExhausted
    from cep_core.language.errors import QueryError
    from cep_core.language.first_order.safety.refusals import UnboundedFuture, UnsafeFormula
    from cep_core.language.patterns.user_aggregates import UserAggregate
    from cep_core.matches.bound_events import events_of
    from cep_core.matches.picture import plot
    from cep_core.matches.why import why_match, why_none, why_not_match
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
    "events_of",
    "explain",
    "match",
    "monitor",
    "monitor_mtl",
    "optimize_shares",
    "plot",
    "shed",
    "slices_of",
    "why",
    "why_match",
    "why_mtl",
    "why_none",
    "why_not_match",
]

_MODULES = {
    "EvaluationError": "monitoring.first_order.arrays.errors",
    "LogError": "events.logs.errors",
    "QueryError": "language.errors",
    "TooManyExpressions": "monitoring.propositional.stream.limit",
    "UnboundedFuture": "language.first_order.safety.refusals",
    "UnsafeFormula": "language.first_order.safety.refusals",
    "UserAggregate": "language.patterns.user_aggregates",
    "WorkExhausted": "language.budget",
    "aggregate": "queries",
    "detect": "queries",
    "events_of": "matches.bound_events",
    "explain": "queries",
    "match": "queries",
    "monitor": "policies",
    "monitor_mtl": "propositional_policies",
    "optimize_shares": "slicing",
    "plot": "matches.picture",
    "shed": "queries",
    "slices_of": "slicing",
    "why": "policies",
    "why_match": "matches.why",
    "why_mtl": "propositional_policies",
    "why_none": "matches.why",
    "why_not_match": "matches.why",
}
"""The module of each public name."""
_MEANT = {
    "why_not": ": cep.why_not_match(query, events, [3, 7]) asks why events are no match, cep.why_none why there is none"
}
"""What is said to who asks for a name that there is not."""

quick_numba.install()


if not TYPE_CHECKING:  # a checker of types knows the names, and refuses others

    def __getattr__(name: str) -> object:
        """A public name, on its first use (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_MEANT.get(name, '')}")
        with quick_numba.nothing_collected():
            value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
