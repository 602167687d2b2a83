"""What in events.sql takes rows in the order in which Spark happens to have them.

The same files must give the same events. `first(x)` of a group gives the value of whichever row comes first, LIMIT
keeps whichever rows come first; another division of rows among tasks gives others. Where all values of a group are
equal, or the rows are few enough, nothing depends on it, and the text does not say that: so it is told, not refused.
Of a text that only Spark can read nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from jobs.analysis.resolution import first_word
from jobs.analysis.slow_parts import place_in
from jobs.analysis.statement import parse_select

IN_ORDER: dict[type[exp.Expr], str] = {
    exp.First: "first",
    exp.FirstValue: "first_value",
    exp.Last: "last",
    exp.LastValue: "last_value",
    exp.NthValue: "nth_value",
    exp.AnyValue: "any_value",
    exp.ArrayAgg: "collect_list",
    exp.ArrayUniqueAgg: "collect_set",
    exp.GroupConcat: "listagg",
    exp.Mode: "mode",
}
"""Aggregates whose value depends on the order of their rows, with their names."""


def unordered_parts(events_sql: str) -> list[str]:
    """What depends on the order of rows that nobody gave, each with its line and column in events.sql."""
    query = parse_select(events_sql).query
    if query is None:
        return []
    parts = sorted(set(_parts(query)))
    return [f"events.sql:{place_in(events_sql, start)}: {what}" for start, what in parts]


def _parts(query: exp.Query) -> Iterator[tuple[int, str]]:
    for node in query.walk():
        if type(node) in IN_ORDER and not _has_order(node):
            yield first_word(node), f"{IN_ORDER[type(node)]} takes rows in the order in which Spark has them"
        elif isinstance(node, exp.Limit | exp.Offset) and _cuts_unordered(node):
            word = type(node).__name__.upper()
            yield first_word(node.parent or node), f"{word} without ORDER BY keeps whichever rows Spark has first"


def _has_order(node: exp.Expr) -> bool:
    """Whether an aggregate has an order of its own, or that of its window."""
    above = node.parent
    while isinstance(above, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        above = above.parent
    is_ordered = isinstance(above, exp.Window | exp.WithinGroup) and above.args.get("order") is not None
    return is_ordered or node.find(exp.Order) is not None


def _cuts_unordered(node: exp.Expr) -> bool:
    """Whether a cut depends on the order of rows: EXISTS asks only whether there is any."""
    select = node.parent
    return select is not None and not select.args.get("order") and not isinstance(select.parent, exp.Exists)
