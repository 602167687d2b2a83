"""Binding a query to the file of a log: how `trendmill match` and `trendmill aggregate` begin."""

from __future__ import annotations

import argparse

from cep_core.compile import BoundText, bind_text
from cep_core.language.bound_query import AGGREGATION, MATCHING
from jobs.log_files.arguments import query_text, reading_of
from jobs.log_files.log import Log, read_log, shut_out
from jobs.log_files.meter import Meter
from jobs.log_files.remarks import remark

HINTS = {
    MATCHING: "`trendmill aggregate` evaluates it",
    AGGREGATION: "RETURN COUNT(*) aggregates; `trendmill match` lists the matches",
}
"""What to do with a query of another kind than the command's."""


def bind_to_log(options: argparse.Namespace, meter: Meter, kind: str) -> tuple[BoundText, Log]:
    """The bound query and the events that it needs. Raises QueryError for a query that is wrong or of the other kind,
    and what `read_log` raises."""
    text = query_text(options.query)
    log = read_log(options.log, options.query, reading_of(options), lambda done, of: meter.tell("reading", done, of))
    bound = bind_text(text, log.schema, str(options.query))
    bound.refuse_unless(kind, HINTS[kind])
    return bound, log


def remark_on(bound: BoundText, log: Log) -> None:
    """How the file was understood, and what may surprise about the query on it."""
    remark(*log.notes, *bound.query.warnings, *shut_out(log, bound.query))
