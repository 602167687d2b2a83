"""Resolving a SELECT: the columns that it names but no table has, and the columns that it gives.

Conservative: a table whose columns are not known (a table function, a PIVOT, another database's table) may have any
column, and in doubt nothing is a mistake. Names are compared as Spark does, ignoring case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from jobs.analysis.columns import Columns, columns_of, columns_of_star, has_column, type_of
from jobs.analysis.statement import Mistake
from jobs.workload.files.problems import nearest

FUNCTIONS = frozenset(
    f"{what}_{of}" for what in ("current", "session") for of in ("catalog", "database", "schema", "user", "window")
) | {"current_date", "current_time", "current_timestamp", "current_timezone", "localtimestamp", "user", "window"}
"""Names that Spark accepts although no column has them: functions without brackets, structs of windows."""
OTHERS = frozenset({"all", "grouping__id", "_metadata"})
UNITS = frozenset(("year", "quarter", "month", "week", "day", "dayofyear", "hour", "minute", "second")) | {
    "millisecond",
    "microsecond",
}
"""Units of time, as arguments of functions."""


@dataclass
class Resolver:
    """Resolves one query. `tables`: the tables that it may read; None: a table of unknown columns."""

    tables: Mapping[str, Columns | None]
    mistakes: list[Mistake] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    """The scopes of the query and its parts; the query's own scope is the last one."""
    _resolved: set[int] = field(default_factory=set)
    _lost: dict[int, tuple[exp.Column, list[str]]] = field(default_factory=dict)
    _reported: set[int] = field(default_factory=set)
    _given: dict[int, list[Given] | None] = field(default_factory=dict)

    def resolve(self, query: exp.Query) -> list[Mistake]:
        """Every unknown table, unknown column and column of two tables, in text order."""
        self.scopes = traverse_scope(query)
        for scope in self.scopes:
            if isinstance(scope.expression, exp.Select):
                self._resolve_select(scope)
            else:
                self._resolved |= {id(column) for column in scope.columns}
        for key, (column, names) in self._lost.items():
            if key not in self._resolved:
                hint = nearest(column.name, names)
                self.mistakes.append(at(column, f"unknown column '{column.sql('spark')}'", hint))
        return sorted(self.mistakes, key=lambda mistake: mistake.start)

    def _resolve_select(self, scope: Scope) -> None:
        read = self._read_by(scope)
        # A table that has no name, or that is read in a way not understood, may have any column.
        opened = bool(scope.pivots) or len(read) != _tables_of(scope.expression)
        aliases = {name.lower() for item in scope.expression.expressions for name in _names_given(item)}
        for column in [*scope.columns, *(star for star in scope.stars if isinstance(star, exp.Column))]:
            if id(column) in self._resolved:
                continue
            parts = [part.name.lower() for part in column.parts]
            unaliased = _of_tables(column, scope.expression)
            if opened or self._is_known(column, parts, read, set() if unaliased else aliases):
                self._resolved.add(id(column))
                if not opened and len(parts) == 1 and (unaliased or parts[0] not in aliases):
                    self._tell_ambiguous(column, read, scope.expression)
            else:
                columns_of_table = read.get(parts[0]) if len(parts) > 1 else None
                tables = [columns_of_table] if columns_of_table else read.values()
                names = [column.name for columns in tables for column in (columns or {}).values()]
                self._lost.setdefault(id(column), (column, sorted({*names})))

    def _read_by(self, scope: Scope) -> dict[str, Columns | None]:
        """The tables of a SELECT's FROM and JOINs by name."""
        sources = scope.sources
        return {
            name.lower(): self._columns_of(sources[name]) for name, _ in scope.references if name and name in sources
        }

    def _is_known(
        self, column: exp.Column, parts: list[str], read: Mapping[str, Columns | None], aliases: set[str]
    ) -> bool:
        if isinstance(column.this, exp.Star):
            return parts[0] in read or has_column(parts[0], read)
        if parts[0] in aliases or (not column.this.quoted and _is_special(column, parts[0])):
            return True
        if len(parts) > 1 and parts[0] in read and not has_column(parts[0], read, closed=True):
            columns = read[parts[0]]
            return columns is None or parts[1] in columns
        return (len(parts) > 2 and parts[1] in read) or has_column(parts[0], read)

    def _tell_ambiguous(self, column: exp.Column, read: Mapping[str, Columns | None], select: exp.Expr) -> None:
        name = column.name.lower()
        joins = select.args.get("joins") or []
        hidden = {join.alias_or_name.lower() for join in joins if join.kind in ("SEMI", "ANTI")}
        merged = {item.name.lower() for join in joins for item in join.args.get("using") or ()}
        natural = any(join.method == "NATURAL" for join in joins)
        having = [table for table, columns in read.items() if table not in hidden and columns and name in columns]
        if len(having) > 1 and name not in merged and not natural and _of_row(column, select):
            hint = f"write {' or '.join(f'{table}.{column.name}' for table in having)}"
            self.mistakes.append(at(column, f"the column '{column.name}' is in {' and in '.join(having)}", hint))

    def _columns_of(self, source: exp.Expr | Scope) -> Columns | None:
        if isinstance(source, Scope):
            return self.outputs(source)
        if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier) or source.db:
            return None
        name = source.name.lower()
        if name not in self.tables:
            if id(source) not in self._reported:
                self._reported.add(id(source))
                self.mistakes.append(at(source, f"unknown table '{source.name}'", nearest(name, list(self.tables))))
            return None
        columns = self.tables[name]
        renamed = source.alias_column_names
        if columns is None or not renamed:
            return columns
        return columns_of({name: column.kind for name, column in zip(renamed, columns.values(), strict=False)})

    def outputs(self, scope: Scope) -> Columns | None:
        """The columns that a query in FROM gives; None if not all are known."""
        inner = scope.expression
        holder = inner.parent
        renamed = holder.alias_column_names if isinstance(holder, exp.Subquery | exp.CTE) else []
        if isinstance(inner, exp.Select | exp.SetOperation):
            columns = self.given(scope)
            if columns is None or not renamed:
                return None if columns is None else columns_of({name: kind for name, kind, _ in columns if name})
            return columns_of({name: column.kind for name, column in zip(renamed, columns, strict=False)})
        named = renamed or inner.alias_column_names
        return columns_of(dict.fromkeys(named, "")) if named else None

    def given(self, scope: Scope) -> list[Given] | None:
        """The columns that a query gives, in order; None if not all are known, as for a query that reads itself."""
        if id(scope) not in self._given:
            self._given[id(scope)] = None
            self._given[id(scope)] = self._find_given(scope)
        return self._given[id(scope)]

    def _find_given(self, scope: Scope) -> list[Given] | None:
        query = scope.expression
        if isinstance(query, exp.SetOperation):
            return None if query.args.get("by_name") else self.given(scope.set_operation_scopes[0])
        if isinstance(query, exp.Subquery) and len(scope.derived_table_scopes) == 1:
            return self.given(scope.derived_table_scopes[0])
        if not isinstance(query, exp.Select) or scope.pivots or query.args.get("operation_modifiers"):
            return None
        read = self._read_by(scope)
        if len(read) != _tables_of(query):
            return None
        columns: list[Given] = []
        for item in query.expressions:
            if item.is_star:
                expanded = columns_of_star(item, read, query)
                if expanded is None:
                    return None
                columns += [Given(name, kind, item) for name, kind in expanded]
            elif isinstance(item, exp.Aliases):
                columns += [Given(name.name, "", item) for name in item.expressions]
            elif isinstance(item, exp.Alias | exp.Column | exp.Dot):
                columns.append(Given(item.alias_or_name or item.name, type_of(item.unalias(), read), item))
            elif _names_itself(item):
                return None
            else:
                columns.append(Given("", type_of(item, read), item))
        return columns


class Given(NamedTuple):
    """A column that a query gives. `name` empty: Spark invents one. `kind` empty: its type is not known."""

    name: str
    kind: str
    item: exp.Expr


def branches(scope: Scope) -> Iterator[Scope]:
    """The SELECTs whose rows a query combines, in text order."""
    if isinstance(scope.expression, exp.SetOperation):
        for side in scope.set_operation_scopes:
            yield from branches(side)
    elif isinstance(scope.expression, exp.Subquery) and len(scope.derived_table_scopes) == 1:
        yield from branches(scope.derived_table_scopes[0])
    else:
        yield scope


def _is_special(column: exp.Column, name: str) -> bool:
    return name in FUNCTIONS or name in OTHERS or (name in UNITS and isinstance(column.parent, exp.Func))


def _tables_of(select: exp.Expr) -> int:
    """How many tables a SELECT reads."""
    first = select.args.get("from_")
    return (first is not None) + len(select.args.get("joins") or ()) + len(select.args.get("laterals") or ())


def _names_given(item: exp.Expr) -> list[str]:
    if isinstance(item, exp.Aliases):
        return [name.name for name in item.expressions]
    return [item.alias] if item.alias else []


def _names_itself(item: exp.Expr) -> bool:
    """Whether Spark itself names a column without alias, such as `col` for the elements of an array."""
    return isinstance(item, exp.UDTF | exp.Explode | exp.Inline | exp.Posexplode | exp.Anonymous | exp.Bracket)


def _of_tables(column: exp.Column, select: exp.Expr) -> bool:
    """Whether a column stands where the SELECT's aliases cannot be used: in its WHERE or in a join's condition."""
    return _clause(column, select) in ("where", "joins", "from_", "laterals")


def _of_row(column: exp.Column, select: exp.Expr) -> bool:
    """Whether a column must come from the tables, not from what the SELECT gives; in ORDER BY it need not."""
    return _clause(column, select) in ("where", "joins", "expressions")


def _clause(node: exp.Expr, select: exp.Expr) -> str:
    """The clause of a SELECT in which a node stands; empty if it stands in another query."""
    while node.parent is not None and node.parent is not select:
        node = node.parent
        if isinstance(node, exp.Query):
            return ""
    return node.arg_key or ""


def at(node: exp.Expr, message: str, hint: str = "") -> Mistake:
    """A mistake at the first word of a node."""
    places = [(inner.meta["start"], inner.meta["end"]) for inner in node.walk() if "start" in inner.meta]
    start, _ = min(places, default=(0, 0))
    _, end = max(places, default=(0, 0), key=lambda place: place[1])
    return Mistake(start, end - start + 1, message, hint)


def first_word(node: exp.Expr) -> int:
    """Where the first word of a node with a known place stands."""
    return min((inner.meta["start"] for inner in node.walk() if "start" in inner.meta), default=0)
