"""The plan of a query WITH CONFIDENCE for the search for possible matches; refuses queries that it cannot evaluate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cep_core.aggregates.registry import NAMED
from cep_core.arrays import Ints
from cep_core.events.schema import Ties
from cep_core.language.errors import NotSupportedYet
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.language.patterns.query import Confidence, Query
from cep_core.language.patterns.tree import Expression, PrefixAggregate, Reference, Span, Unit, Which
from cep_core.language.patterns.walk import walk
from cep_core.matching.imprecise.kernels.worlds import LOOSE, STRICT, TIED
from cep_core.matching.plan.match_plan import MatchPlan, match_plan
from cep_core.matching.plan.negation import NegatedElement


@dataclass(frozen=True)
class PossiblePlan(MatchPlan):
    """A plan for possible worlds. `kinds`, not the automaton, states which events may be concurrent."""

    kinds: Ints
    """[edge] whether it may lead to an event of the same moment."""
    by_order: bool
    """Whether some condition may hold in one order of a match's events and not in another."""

    @property
    def confidence(self) -> Confidence:
        """The threshold."""
        assert self.query.confidence is not None
        return self.query.confidence

    @property
    def judges(self) -> bool:
        """Whether conditions or negations remain to be judged on the possible matches of the search."""
        return bool(self.conditions.judged or self.negations)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, as `explain` prints them."""
        sign = ">" if self.confidence.strict else ">="
        lines = [
            f"possible worlds: matches of confidence {sign} {self.confidence.threshold:g}, skip-till-any-match",
            "sets of events are extended while their partial worlds reach the threshold (dynamic programming)",
            "cost: sets that reach it x moments of their intervals; exponential in events of a match that overlap",
            "the number of matches is exact only while the listing is complete; it may be exponential",
        ]
        for negation in self.negations:
            lines.append(f"NOT {', '.join(negation.automaton.variables)}: weighed in each order of possible matches")
        if self.conditions.judged:
            where = "each order of listed matches" if self.by_order else "listed matches"
            lines.append(f"judged on {where}: {len(self.conditions.judged)} condition(s)")
        return tuple(lines)


def possible_plan(query: Query) -> PossiblePlan:
    """The plan of a query. Raises NotSupportedYet, with the place, if the search cannot evaluate the query."""
    plan = match_plan(query)
    for negation in plan.negations:
        _check_between(negation)
    lists = frozenset(variable.name for variable in query.positive if variable.kleene)
    by_order = bool(plan.conditions.neighbours) or any(
        depends_on_order(condition, lists) for condition in plan.conditions.postponed
    )
    timeless = replace(plan.automaton, loose=frozenset(), tied=frozenset())
    kinds = _kinds(plan.automaton, ordered=query.schema.ties is Ties.ORDERED)
    return PossiblePlan(query, timeless, plan.conditions, plan.negations, kinds, by_order)


def depends_on_order(condition: Expression, lists: frozenset[str]) -> bool:
    """Whether a condition may hold in one order of a list's events and not in another."""
    for part in walk(condition):
        if isinstance(part, Reference) and part.variable in lists and part.which is not Which.EACH:
            return True
        if isinstance(part, PrefixAggregate) and (
            part.span is not Span.ALL or part.defined or NAMED[part.function].of_order
        ):
            return True
    return False


def _kinds(automaton: Automaton, *, ordered: bool) -> Ints:
    loose, tied = automaton.loose, automaton.tied
    kinds = [TIED if edge in tied else LOOSE if ordered or edge in loose else STRICT for edge in automaton.edges]
    return np.array(kinds, np.int64)


def _check_between(negation: NegatedElement) -> None:
    """Refuses a negation unless it is one event between two events of the match."""
    at = negation.body.at
    if not isinstance(negation.body.body, Unit) or negation.inner:
        message = "NOT of anything but one event is not supported yet WITH CONFIDENCE"
        raise NotSupportedYet(message, at, hint="a query without WITH CONFIDENCE takes the clock as it is")
    if any(place.source is None or place.target is None for place in negation.places):
        message = "NOT at the start or the end of a pattern is not supported yet WITH CONFIDENCE"
        raise NotSupportedYet(message, at, hint="put it between two events of the match")
