"""Checks that a result's column names are unique: fixed columns, then variables or groups, then the items of RETURN.

A name that two columns would share is reported (`docs/language.md`, Results). The lake adds columns, so a workload's
query must not use the names of those either. Linear in the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cep_core.language.patterns.bind.naming import Report
from cep_core.language.patterns.query import Query, ReturnItem
from cep_core.language.patterns.syntax import AttributeName

OF_ALL = ("window_start", "window_end", "certain")
OF_MATCHES = ("match_id", "match_path", "first_ts", "last_ts", "last_seq", "confidence")
OF_COUNTS = ("match_count", "match_count_log10", "match_count_exact")
OF_THE_LAKE = ("day", "run_id")


def check_names(query: Query, group_by: Sequence[AttributeName], report: Report, *, whole_log: bool) -> None:
    """Report every name of a variable, a group or an item that another column already has; `group_by` as written."""
    fixed = OF_ALL if query.aggregation else (*OF_ALL, *OF_MATCHES, *OF_COUNTS)
    reserved = frozenset(fixed if whole_log else (*fixed, *OF_THE_LAKE))
    taken: set[str] = set()
    if query.aggregation:
        renamed = {item.attribute: item.column for item in query.returns if item.attribute is not None}
        for written in group_by:
            column = renamed.get(written.attribute, written.attribute)
            if written.attribute in renamed:
                continue  # the RETURN item is checked below, at its own place
            if column in reserved:
                report(f"every result has a column '{column}'", written.at, f"RETURN {column} AS another_name")
            taken.add(column)
    else:
        for variable in query.positive:
            if variable.name in reserved:
                report(f"every result has a column '{variable.name}'", variable.at, "name the variable otherwise")
            taken.add(variable.name)
    grouped: set[str] = set()
    for item in query.returns:
        if item.attribute is not None:
            if item.attribute in grouped:
                report(f"'{item.attribute}' is returned twice", item.at, "")
            grouped.add(item.attribute)
        for column in _columns(item):
            if column in reserved or column in taken:
                report(f"two columns named '{column}'", item.at, "name one of them: ... AS name")
            taken.add(column)


def _columns(item: ReturnItem) -> Iterator[str]:
    """The item's column, and the columns for the size of its number (`docs/language.md`, Results)."""
    if item.aggregate is None:
        yield item.column
        return
    for suffix, _ in item.aggregate.returned(item.type, exact=True).columns:
        yield item.column + suffix
