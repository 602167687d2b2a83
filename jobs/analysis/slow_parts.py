"""What in events.sql makes Spark bring rows together: then a large load moves every row between its workers.

Where events.sql computes each event from its own row, filters, and looks values up in small tables, rows go from the
reader to the sorted runs of their events as they are (docs/decisions/0028). Windows, aggregates and joins of large
tables are right, too, and take a shuffle of all rows. This is known from the text; of one that only Spark can read
nothing is said. A source is small if its files are: Spark sends it to every worker.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from jobs.analysis.resolution import first_word
from jobs.analysis.statement import parse_select
from jobs.raw.raw_frame import AS_TEXT
from jobs.runs.input_size import source_bytes
from jobs.workload.declaration import Workload

BROADCAST = 10 << 20
"""Bytes up to which Spark sends a table to every worker (its default)."""

UNKNOWN = (
    f" of tables of which none is known to have at most {BROADCAST >> 20} MB: it brings rows of equal keys together"
)


def slow_parts(workload: Workload) -> list[str]:
    """What makes rows move, each with its line and column in events.sql; nothing: rows stay where they are read."""
    query = parse_select(workload.events_sql).query
    if query is None:
        return []
    parts = sorted(set(_parts(workload, query)))
    return [f"events.sql:{place_in(workload.events_sql, start)}: {what}" for start, what in parts]


def _parts(workload: Workload, query: exp.Query) -> Iterator[tuple[int, str]]:
    for node in query.walk():
        if isinstance(node, exp.Window):
            yield first_word(node), "a window function brings the rows of each partition together and sorts them"
        elif isinstance(node, exp.Group):
            yield first_word(node), "GROUP BY brings rows of equal values together"
        elif isinstance(node, exp.AggFunc) and _is_of_all(node):
            yield first_word(node), "an aggregate brings all rows together"
        elif isinstance(node, exp.Distinct) and isinstance(node.parent, exp.Select):
            yield first_word(node.parent), "DISTINCT brings equal rows together"
        elif isinstance(node, exp.Union) and node.args.get("distinct"):
            yield first_word(node.expression), "UNION without ALL brings equal rows together"
        elif isinstance(node, exp.Intersect | exp.Except):
            yield first_word(node.expression), "INTERSECT and EXCEPT bring equal rows together"
        elif isinstance(node, exp.Exists) or (isinstance(node, exp.In) and node.args.get("query")):
            if not all(_is_small(workload, table) for table in node.find_all(exp.Table)):
                yield first_word(node), "a condition over a SELECT is a join" + UNKNOWN
        elif isinstance(node, exp.Join) and (what := _of_join(workload, node)):
            yield first_word(node), what


def _is_of_all(node: exp.Expr) -> bool:
    """Whether an aggregate is over all rows: neither over a window nor over groups."""
    select = node.find_ancestor(exp.Select)
    return node.find_ancestor(exp.Window) is None and select is not None and not select.args.get("group")


def _of_join(workload: Workload, join: exp.Join) -> str:
    """Why a join moves rows; empty: one side is known to be small enough to be sent to every worker."""
    side = join.side.upper()
    if side == "FULL":
        return "a FULL JOIN brings rows of equal keys of both sides together"
    sides = {"right": join.this}
    select = join.find_ancestor(exp.Select)
    if select is not None and isinstance(select.args.get("from_"), exp.From):
        sides["left"] = select.args["from_"].this
    small = [name for name, table in sides.items() if _is_small(workload, table)]
    fitting = {"LEFT": ["right"], "RIGHT": ["left"]}.get(side, ["left", "right"])
    if any(name in fitting for name in small):
        return ""
    return "a join" + UNKNOWN


def _is_small(workload: Workload, table: exp.Expr) -> bool:
    source = workload.sources.get(table.name) if isinstance(table, exp.Table) else None
    if source is None:
        return isinstance(table, exp.Values)
    size = source_bytes(source, [workload.start], workload.base)
    return size is not None and size <= BROADCAST * AS_TEXT


def place_in(text: str, start: int) -> str:
    """Line and column, both from 1."""
    before = text[:start]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
