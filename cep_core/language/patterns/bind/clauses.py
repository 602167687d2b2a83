"""Checks which clauses of a query go together: strategies, windows, grouping, AFTER MATCH SKIP, WITH CONFIDENCE.

Each part of a query has been bound by itself before. A clause that does not go with another one is reported with its
place. A workload's runs see a part of the log, so that its queries may not depend on where the log starts
(`docs/semantics.md` 2). Cost: linear in variables, conditions and attributes of the partition.
"""

from __future__ import annotations

from cep_core.language.patterns.bind.imprecision import check_imprecise
from cep_core.language.patterns.bind.naming import Report
from cep_core.language.patterns.bind.scope import NameScope
from cep_core.language.patterns.query import Query, Strategy
from cep_core.language.patterns.syntax import WrittenQuery


def check_clauses(
    query: Query, written: WrittenQuery, scope: NameScope, report: Report, *, whole_log: bool
) -> list[str]:
    """Reports every clause that does not go with another one; gives warnings of those that go and may surprise."""
    warnings: list[str] = []
    if query.aggregation:
        for predicate in query.match_predicates:
            hint = "an aggregation takes conditions on one event or two neighbours: use a matching query"
            report("not a condition on an event or on neighbours", predicate.expression.at, hint)
    elif written.group_by:
        report("GROUP-BY without an aggregate over all trends", written.group_by[0].at, "RETURN ..., COUNT(*)")
    if query.strategy is Strategy.PARTITION:
        _check_partition(query, written, scope, report)
    if not whole_log:
        _check_independence(query, written, report)
    if written.confidence is not None:
        check_imprecise(query, written.confidence.at, report)
        if not query.schema.imprecision and not query.schema.open_world:
            warnings.append("WITH CONFIDENCE, but the log's times are precise: every match is certain")
    if query.window.slide is not None and query.window.slide > query.window.size:
        warnings.append("SLIDE is longer than WITHIN: events between windows are not judged")
    if written.skip is not None:
        at = written.skip.at
        if query.aggregation:
            report("AFTER MATCH SKIP belongs to matching", at, "")
        elif query.strategy is Strategy.ANY:
            hint = "choose skip_till_next_match or a contiguity"
            report("AFTER MATCH SKIP needs a strategy with one match per start", at, hint)
    return warnings


def _check_partition(query: Query, written: WrittenQuery, scope: NameScope, report: Report) -> None:
    at = written.strategy_at or query.pattern.at
    if not query.partition_attributes:
        report("partition contiguity needs a partition", at, "add [x]: every event of the match has the same x")
    for variable in query.variables:
        for attribute in query.partition_attributes:
            if scope.attribute_type(variable, attribute) is None:
                message = f"{variable.event_type} lacks the partition attribute '{attribute}'"
                report(message, variable.at, "contiguity ranks the events that have every one of them")


def _check_independence(query: Query, written: WrittenQuery, report: Report) -> None:
    """Refuse queries that depend on where the log starts (`docs/semantics.md` 2)."""
    if query.window.events and (query.aggregation or query.strategy is Strategy.PARTITION):
        where = "an aggregation" if query.aggregation else "partition contiguity"
        message = f"WITHIN ... EVENTS of {where} depends on where the log starts"
        report(message, written.within.at, "in a workload give the window in time")
    elif query.window.events and written.slide is not None:
        message = "SLIDE over a number of EVENTS depends on where the log starts"
        report(message, written.slide.at, "in a workload give the window in time")
    if written.skip is not None:
        message = "AFTER MATCH SKIP depends on all earlier matches"
        report(message, written.skip.at, "in a workload leave it out; cep.match takes it on a whole log")
