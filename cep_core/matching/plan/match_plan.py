"""The plan of a bound pattern: its automaton, and the place where each of its conditions is judged.

The engine refuses unsupported queries here, before any event is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cep_core.events.schema import Ties
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.automata.automaton import Automaton, automaton_of, one_path_each
from cep_core.language.patterns.automata.run_readings import check_readings
from cep_core.language.patterns.bind.alike import alike_units
from cep_core.language.patterns.query import Query, Strategy
from cep_core.matching.plan.conditions import Conditions, conditions_of
from cep_core.matching.plan.negation import NegatedElement, negations_of


@dataclass(frozen=True)
class MatchPlan:
    """A query compiled for matching; its window, strategy and AFTER MATCH SKIP are in `query`.

    What follows from it is worked out once: a night asks for each of many small slices.
    """

    query: Query
    automaton: Automaton
    conditions: Conditions
    negations: tuple[NegatedElement, ...]

    @property
    def any_match(self) -> bool:
        """Whether all matches are results, and not at most one for each first event."""
        return self.query.strategy is Strategy.ANY

    @cached_property
    def on_edges(self) -> tuple[NegatedElement, ...]:
        """The negated elements that edges of the event graph judge."""
        return tuple(negation for negation in self.negations if self._stands_on_edges(negation))

    @cached_property
    def on_matches(self) -> tuple[NegatedElement, ...]:
        """The negated elements that are judged on listed matches or runs."""
        return tuple(negation for negation in self.negations if not self._stands_on_edges(negation))

    @cached_property
    def counts_ahead(self) -> bool:
        """Whether matches can be counted without listing them."""
        judged = bool(self.conditions.judged or self.on_matches)
        return self.query.confidence is None and not (self.any_match and judged)

    @property
    def detects(self) -> bool:
        """Whether one pass over the events can find those that complete a match."""
        return self.any_match and self.counts_ahead and not (self.automaton.before or self.automaton.after)

    @cached_property
    def is_chain(self) -> bool:
        """Whether every match has events of the first variable, then events of the second, and so on."""
        automaton, last = self.automaton, len(self.automaton.variables) - 1
        onward = [set(after) - {state} for state, after in enumerate(automaton.successors)]
        return (
            automaton.variables == tuple(variable.name for variable in self.query.positive)
            and automaton.starts == (0,)
            and automaton.accepts == frozenset({last})
            and onward == [*({state + 1} for state in range(last)), set()]
        )

    @cached_property
    def has_one_event_each(self) -> bool:
        """Whether every match has one event of each variable."""
        return self.is_chain and not any(state in after for state, after in enumerate(self.automaton.successors))

    @property
    def is_certain_at_last(self) -> bool:
        """Whether all matches are certain at their last event: none waits for what must not follow, or may follow."""
        return self.any_match and not self.automaton.after

    @cached_property
    def columns_tell_paths(self) -> bool:
        """Whether the columns of a row say what its path says (`match_rows.with_paths`)."""
        return self.is_chain and not self.query.returns and self.query.confidence is None

    def check_owned(self, owned: Ownership | None) -> None:
        """Raises NotSupportedYet if the owned matches cannot be told from the others."""
        days = owned.days if owned is not None else None
        if self.query.skip is not None and owned is not None and (days is not None or owned.owns is not None):
            message = "AFTER MATCH SKIP depends on all earlier matches: it is evaluated on whole logs only"
            raise NotSupportedYet(message, self.query.pattern.at)
        # with a window counted in events, a match that could take more events has no moment of certainty
        waits = not self.any_match and any(self.automaton.successors[state] for state in self.automaton.accepts)
        if days is not None and self.query.window.events and (waits or self.automaton.after):
            message = "operating days of a match with an open end WITHIN a number of EVENTS are not supported yet"
            raise NotSupportedYet(message, self.query.pattern.at)

    def _stands_on_edges(self, negation: NegatedElement) -> bool:
        return self.any_match and self.query.confidence is None and negation.countable


def match_plan(query: Query) -> MatchPlan:
    """The plan of a query. Raises NotSupportedYet, with the place, if the engine cannot evaluate it."""
    concurrent = query.schema.ties is not Ties.ORDERED
    if query.strategy is Strategy.ANY:
        automaton = one_path_each(query.pattern, alike_units(query), concurrent=concurrent)
    else:
        automaton = automaton_of(query.pattern, alike_units(query), concurrent=concurrent, filled=True)
        check_readings(automaton, query.pattern.at)
    return MatchPlan(query, automaton, conditions_of(query, automaton), negations_of(query, automaton))
