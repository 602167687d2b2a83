"""Checks events.sql against the declared sources and events: its columns and its event types.

Some things cannot be known, for example what a table function gives, or an event type that a column holds. Then no
problem is reported. Spark would report the same problems, but only after reading every source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from jobs.analysis.changing import changing_mistakes
from jobs.analysis.columns import Columns, columns_of
from jobs.analysis.resolution import Given, Resolver, at, branches, first_word
from jobs.analysis.statement import Mistake, Statement, parse_select
from jobs.lake.definition import SQL_TYPES
from jobs.workload.declaration import Workload
from jobs.workload.files.problems import nearest

WHOLE = ("TINYINT", "SMALLINT", "INT", "BIGINT", "VOID")
ACCEPTED = {"BIGINT": WHOLE, "DOUBLE": (*WHOLE, "FLOAT", "DOUBLE", "DECIMAL")}
"""Types that a column may have in events.sql for a declared type. Other types must be equal, or `NULL`."""

LOOSE = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "STRING", "BOOLEAN"})
"""Types that are compared; the others are left to Spark."""


def tables_of(workload: Workload) -> dict[str, Columns]:
    """The views that events.sql reads: each source, with the column `_row`."""
    return {name: columns_of({**source.columns, "_row": "STRUCT"}) for name, source in workload.sources.items()}


def events_mistakes(workload: Workload) -> list[Mistake]:
    """The mistakes of events.sql, in text order."""
    statement = parse_select(workload.events_sql)
    names = {name.lower() for source in workload.sources.values() for name in source.columns}
    mistakes = [*statement.mistakes, *changing_mistakes(workload.events_sql, names)]
    if statement.query is None or not workload.sources:
        return mistakes
    resolver = Resolver(tables_of(workload))
    mistakes += resolver.resolve(statement.query)
    if workload.schema.types and resolver.scopes:
        root = resolver.scopes[-1]
        mistakes += [*_wrong_columns(workload, statement, resolver, root), *_wrong_types(workload, resolver, root)]
    return sorted(mistakes, key=lambda mistake: mistake.start)


def _wrong_columns(workload: Workload, statement: Statement, resolver: Resolver, root: Scope) -> Iterator[Mistake]:
    """Columns that the result lacks, has twice or should not have; SELECTs of different widths."""
    columns = resolver.given(root)
    if columns is None:
        return
    start = first_word(next(branches(root)).expression)
    expected = {"event_type": "", "ts": "BIGINT", "_row": "", **_sql_types(workload)}
    names = [column.name for column in columns]
    for name in expected:
        if name not in names:
            near = next((present for present in names if present.lower() == name.lower()), "")
            meaning = "the type of the event" if name == "event_type" else "declared in workload.yaml"
            meaning = {"ts": "the time of the event", "_row": "the column of the source that names the raw row"}.get(
                name, meaning
            )
            yield Mistake(
                start, 1, f"gives no column '{name}', {meaning}", f"'{near}' is in another case" if near else ""
            )
    for place, column in enumerate(columns):
        if not column.name:
            yield at(column.item, "gives a column without a name", "write AS and the name of an attribute")
        elif column.name not in (*expected, "seq"):
            hint = nearest(column.name, list(expected))
            yield at(column.item, f"gives the column '{column.name}', which workload.yaml does not declare", hint)
        elif column.name in names[:place]:
            yield at(column.item, f"gives the column '{column.name}' twice")
    for branch in branches(root):
        branch_columns = resolver.given(branch)
        if branch_columns is not None and len(branch_columns) != len(columns):
            message = f"gives {len(branch_columns)} columns, the first SELECT gives {len(columns)}"
            yield Mistake(first_word(branch.expression), 1, message)


def _wrong_types(workload: Workload, resolver: Resolver, root: Scope) -> Iterator[Mistake]:
    """Values that cannot have the declared type, and event types that are not declared or never given."""
    sides = [resolver.given(branch) for branch in branches(root)]
    first = sides[0] if sides else None
    if first is None or any(side is None or len(side) != len(first) for side in sides):
        return
    whole: list[list[Given]] = [side for side in sides if side is not None]
    declared = {"ts": "BIGINT", **_sql_types(workload)}
    for place, column in enumerate(first):
        if column.name == "event_type":
            yield from _wrong_events(workload, resolver, [side[place] for side in whole], list(branches(root)))
        kinds = {side[place].kind for side in whole} - {"VOID"}
        kind = next(iter(kinds)) if len(kinds) == 1 else ""
        expected = declared.get(column.name)
        if expected and kind in LOOSE and kind not in ACCEPTED.get(expected, (expected,)):
            yield at(
                column.item, f"'{column.name}' is {kind}, declared is {expected}", f"write CAST(... AS {expected})"
            )


def _wrong_events(workload: Workload, resolver: Resolver, items: list[Given], scopes: list[Scope]) -> Iterator[Mistake]:
    declared, literal_types, complete = workload.schema.types, set(), True
    for item, scope in zip(items, scopes, strict=True):
        literals = _literals(item.item, scope, resolver)
        complete &= literals is not None
        for literal in literals or ():
            literal_types.add(literal.name)
            if literal.name not in declared:
                yield at(literal, f"unknown event type '{literal.name}'", nearest(literal.name, declared))
    for event_type in declared:
        if complete and event_type not in literal_types:
            yield Mistake(first_word(scopes[0].expression), 1, f"gives no event of the declared type '{event_type}'")


def _literals(item: exp.Expr, scope: Scope, resolver: Resolver) -> list[exp.Expr] | None:
    """The texts that an expression can give; None: not known."""
    item = item.unalias()
    if isinstance(item, exp.Paren):
        return _literals(item.this, scope, resolver)
    if isinstance(item, exp.Null):
        return []
    if isinstance(item, exp.Literal):
        return [item] if item.is_string else None
    if isinstance(item, exp.If | exp.Case):
        ways = [item.args.get("true"), item.args.get("false")] if isinstance(item, exp.If) else []
        if isinstance(item, exp.Case):
            ways = [*(branch.args.get("true") for branch in item.args["ifs"]), item.args.get("default")]
        alternatives = [_literals(way, scope, resolver) for way in ways if way is not None]
        return None if None in alternatives else [literal for of_way in alternatives for literal in of_way or ()]
    return None


def _sql_types(workload: Workload) -> Mapping[str, str]:
    return {name: SQL_TYPES[kind] for name, kind in workload.attributes.items()}
