"""A query bound to the file of a log that it is asked of: how `trendmill match` and `trendmill aggregate` begin."""

from __future__ import annotations

import argparse

from cep_core.language.errors import QueryError
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query
from jobs.log_files.arguments import query_text, reading_of
from jobs.log_files.log import Log, read_log, shut_out
from jobs.log_files.meter import Meter
from jobs.log_files.remarks import remark


def bind_to_log(options: argparse.Namespace, meter: Meter, *, aggregation: bool) -> tuple[Query, Log]:
    """The bound query and the events that it needs. Raises QueryError for a query that is wrong or of the other kind,
    and what `read_log` raises."""
    text = query_text(options.query)
    log = read_log(options.log, options.query, reading_of(options), lambda done, of: meter.tell("reading", done, of))
    query = bind(text, log.schema, str(options.query))
    if query.aggregation and not aggregation:
        hint = "`trendmill aggregate` evaluates it"
        raise QueryError("an aggregation query", query.returns[0].at, text=text, path=query.path, hint=hint)
    if aggregation and not query.aggregation:
        hint = "RETURN COUNT(*) aggregates; `trendmill match` lists the matches"
        raise QueryError("not an aggregation query", query.pattern.at, text=text, path=query.path, hint=hint)
    return query, log


def remark_on(query: Query, log: Log) -> None:
    """How the file was understood, and what of the query may surprise on it."""
    remark(*log.notes, *query.warnings, *shut_out(log, query))
