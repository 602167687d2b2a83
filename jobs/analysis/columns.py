"""The columns of the tables that a SELECT reads: their names and types, those behind a star, and types of expressions.

Conservative: None stands for a table of unknown columns, which may have any, and an empty type for one that is not
known. Names are compared as Spark does, ignoring case. Cost: linear in the columns of the tables read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlglot import exp


class Field(NamedTuple):
    """A column of a table: its name as written there, and its type in Spark's words, empty if not known."""

    name: str
    kind: str = ""


Columns = Mapping[str, Field]
"""A table's columns by their names in lower case."""


def columns_of(kinds: Mapping[str, str]) -> Columns:
    """Columns by name and type."""
    return {name.lower(): Field(name, kind) for name, kind in kinds.items()}


def type_of(item: exp.Expr, read: Mapping[str, Columns | None]) -> str:
    """An expression's type in Spark's words if it is plain (a column, a literal, a CAST); else empty."""
    if isinstance(item, exp.Paren):
        return type_of(item.this, read)
    if isinstance(item, exp.Null):
        return "VOID"
    if isinstance(item, exp.Boolean):
        return "BOOLEAN"
    if isinstance(item, exp.Literal):
        return "STRING" if item.is_string else "BIGINT" if str(item.this).isdigit() else "DECIMAL"
    if isinstance(item, exp.Cast):
        return item.to.sql("spark").upper().partition("(")[0]
    if isinstance(item, exp.Column):
        parts = [part.name.lower() for part in item.parts]
        if len(parts) == 2 and parts[0] in read:
            return (read[parts[0]] or {}).get(parts[1], Field("")).kind
        having = [columns[parts[0]].kind for columns in read.values() if columns and parts[0] in columns]
        if len(parts) == 1 and len(having) == 1 and None not in read.values():
            return having[0]
    return ""


def has_column(name: str, read: Mapping[str, Columns | None], closed: bool = False) -> bool:
    """Whether some table has the column. A table of unknown columns may have it, unless `closed` excludes those."""
    return any(name in columns if columns is not None else not closed for columns in read.values())


def columns_of_star(item: exp.Expr, read: Mapping[str, Columns | None], query: exp.Select) -> list[Field] | None:
    """The columns that a star stands for; None: not known."""
    star = item.this if isinstance(item, exp.Column) else item
    if not isinstance(star, exp.Star) or star.args.get("replace") or star.args.get("rename"):
        return None
    joins = query.args.get("joins") or []
    if isinstance(item, exp.Column):
        columns_of_table = read.get(item.table.lower())
        tables = [columns_of_table]
    elif any(join.args.get("using") or join.method or join.kind in ("SEMI", "ANTI") for join in joins):
        return None
    else:
        tables = list(read.values())
    if any(columns is None for columns in tables):
        return None
    left_out = {name.name.lower() for name in star.args.get("except_") or ()}
    return [column for columns in tables for name, column in (columns or {}).items() if name not in left_out]
