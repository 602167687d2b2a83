"""Binding a query to the file of a log: how `trendmill match` and `trendmill aggregate` begin."""

from __future__ import annotations

import argparse

import pyarrow.compute as pc

from cep_core.compile import BoundText, bind_text
from cep_core.language.bound_query import AGGREGATION, MATCHING
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Comparison, Reference
from cep_core.language.patterns.walk import walk
from cep_core.progress.meter import Meter
from jobs.exits import WrongWorkload
from jobs.log_files.arguments import asked_query, reading_of
from jobs.log_files.columns import holds_whole_numbers, odd_among_numbers
from jobs.log_files.log import Log, read_log, wanted_by
from jobs.log_files.remarks import remark

ORDERS = ("<", "<=", ">", ">=")
HINTS = {
    MATCHING: "`trendmill aggregate` evaluates it",
    AGGREGATION: "RETURN COUNT(*) aggregates; `trendmill match` lists the matches",
}
"""The hint for a query whose kind is not the command's."""


def bind_to_log(options: argparse.Namespace, meter: Meter, kind: str) -> tuple[BoundText, Log]:
    """The bound query and the events that it needs. Raises QueryError for a query that is wrong or of the other kind,
    and what `read_log` raises."""
    text, name = asked_query(options)
    if not options.logs:
        raise WrongWorkload("which log? Name its files behind the query, or - for standard input")
    wanted, reading = wanted_by(text, name), reading_of(options)
    log = read_log(options.logs, wanted, reading, lambda done, of: meter.tell("reading", done, of))
    bound = bind_text(text, log.schema, name)
    bound.refuse_unless(kind, HINTS[kind])
    for name in _ordered_columns(log, bound.query):
        if odd := odd_among_numbers(log.events[name]):
            raise WrongWorkload(
                f"'{name}' holds numbers but for '{odd}', so it is read as text, and texts are compared letter by "
                f"letter; if it means no value, --missing '{odd}'"
            )
    return bound, log


def remark_on(bound: BoundText, log: Log) -> None:
    """How the file was understood, and what may surprise about the query on it."""
    remark(*log.notes, *bound.query.warnings, *_shut_out(log, bound.query), *_compared_as_texts(log, bound.query))


def _shut_out(log: Log, query: Query) -> list[str]:
    """Equivalences over a column in which a type has no value: events of this type are in no match."""
    types = {variable.name: variable.event_type for variable in query.variables}
    members = {(types[variable], attribute) for key in query.key_classes for variable, attribute in key.members}
    remarks = []
    for event_type, attribute in sorted(members):
        of_type = log.events.filter(pc.equal(log.events["event_type"], event_type))
        if of_type.num_rows and of_type[attribute].null_count == of_type.num_rows:
            remarks.append(
                f"no {event_type} has a value in '{attribute}', so [{attribute}] keeps them all out; "
                f"--lacks {event_type}.{attribute} says that it does not constrain them"
            )
    return remarks


def _compared_as_texts(log: Log, query: Query) -> list[str]:
    """Columns of whole numbers that the file holds as text, of which the query asks the order."""
    return [
        f"'{name}' holds whole numbers as text, and texts are compared: '10' is less than '9'"
        for name in _ordered_columns(log, query)
        if holds_whole_numbers(log.events[name])
    ]


def _ordered_columns(log: Log, query: Query) -> list[str]:
    """Columns of which the query asks what is less."""
    conditions = [
        *(predicate.expression for predicate in query.vertex_predicates),
        *(predicate.expression for predicate in query.edge_predicates),
        *(predicate.expression for predicate in query.match_predicates),
    ]
    parts = [part for condition in conditions for part in walk(condition)]
    ordered = [part for part in parts if isinstance(part, Comparison) and part.operator in ORDERS]
    asked = {side.attribute for part in ordered for side in (part.left, part.right) if isinstance(side, Reference)}
    return sorted(asked & set(log.events.column_names))
