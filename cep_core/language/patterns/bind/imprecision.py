"""WITH CONFIDENCE: matching where the time of an event is known only as an interval (SASE++, section 2.3).

Each choice of a time for every event from its interval is a possible world. The confidence of a match is the
probability of the worlds in which it is a match. Only skip-till-any-match can be evaluated this way: under the other
strategies a run may take an event in one world and skip it in another (SASE++, section 4). Positions and sliding
windows depend on the order of all events, so they are refused by name. Conditions that read `ts` itself are refused as
well.
"""

from __future__ import annotations

from collections.abc import Callable

from cep_core.language.errors import Position
from cep_core.language.patterns.query import Confidence, Query, Strategy
from cep_core.language.patterns.syntax import WrittenConfidence
from cep_core.language.patterns.tree import Expression
from cep_core.language.patterns.walk import references

Report = Callable[[str, Position, str], None]


def confidence_of(written: WrittenConfidence | None) -> Confidence | None:
    """The clause as a bound query has it."""
    return None if written is None else Confidence(written.threshold, written.operator == ">")


def check_imprecise(query: Query, at: Position, report: Report) -> None:
    """Reports every part of a query that cannot be used together with WITH CONFIDENCE, with its place."""
    if query.aggregation:
        report(
            "WITH CONFIDENCE belongs to matching: trends are not aggregated over possible worlds", at, "list matches"
        )
    if query.strategy is not Strategy.ANY:
        why = "an event that a run takes in one possible world it skips in another"
        report(f"WITH CONFIDENCE needs skip_till_any_match, not {query.strategy}: {why}", at, "")
    if query.window.events:
        report("WITHIN ... EVENTS counts positions, which imprecise times do not give", at, "give the window in time")
    if query.window.slide is not None:
        report("SLIDE and WITH CONFIDENCE do not go together", at, "WITHIN alone bounds each match in its world")
    for condition in _conditions(query):
        for part in references(condition):
            if part.attribute == "ts":
                report("a condition on ts, which WITH CONFIDENCE leaves open", part.at, "compare other attributes")


def _conditions(query: Query) -> list[Expression]:
    return [
        *(predicate.expression for predicate in query.vertex_predicates),
        *(predicate.expression for predicate in query.edge_predicates),
        *(predicate.expression for predicate in query.match_predicates),
    ]


def known_after(query: Query) -> int:
    """How long after the recorded time of a match's last event a forbidden event may still be recorded.

    A negated event may have happened earlier than its time stamp, and the last event of the match later than its own.
    The result is the sum of both margins.
    """
    margins = query.schema.imprecision
    before = [margins.get(variable.event_type, (0, 0))[0] for variable in query.variables if variable.negated]
    after = [margins.get(variable.event_type, (0, 0))[1] for variable in query.positive]
    return max(before) + max(after) if before else 0
