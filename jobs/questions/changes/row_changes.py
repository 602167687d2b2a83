"""Which rows of two answers are the same, which joined, which are gone, and which have other values.

A match is the events that it binds; a row of an aggregation its group and window; a violation its point and values.
Cost: linear in the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cep_core.compile import BoundText
from cep_core.language.bound_query import AGGREGATION, MATCHING
from cep_core.language.patterns.query import Query, Window
from jobs.questions.result_columns import exact, further

Row = Mapping[str, Any]

WINDOWS = ("window_start", "window_end")
"""The columns of a window."""

_UNSAID = frozenset({"match_id", "first_ts", "last_ts"})
"""Columns that follow from a match's events."""


@dataclass(frozen=True)
class RowChanges:
    """The rows of one day that differ, in the order of the answers."""

    added: tuple[Row, ...] = ()
    gone: tuple[Row, ...] = ()
    changed: tuple[tuple[Row, Row], ...] = ()
    """Rows before and after."""


@dataclass(frozen=True)
class RowKeys:
    """What a row of either version is told by, and which further values are compared."""

    names: tuple[str, ...]
    """Columns; empty: the events of all variables."""
    before: tuple[str, ...]
    after: tuple[str, ...]
    """The variables of both versions."""
    compared: tuple[str, ...]
    listed_by: str = ""
    """The moment by which rows are listed first; empty: all rows are listed."""

    @staticmethod
    def of(before: BoundText, after: BoundText, columns: Sequence[tuple[str, ...]]) -> RowKeys:
        """`columns`: those of both answers."""
        shared = tuple(name for name in columns[0] if name in columns[1])
        said = [name for name in further(shared) if name not in _UNSAID]
        if after.kind == MATCHING:
            old, new = (tuple(variable.name for variable in bound.query.positive) for bound in (before, after))
            values = tuple(name for name in said if name not in {*old, *new})
            return RowKeys(new if {*old} == {*new} else (), old, new, values, "last_ts")
        if after.kind == AGGREGATION:
            return RowKeys.of_aggregations(before.query, after.query, columns)
        return RowKeys(columns[1], (), (), (), "ts")

    @staticmethod
    def of_aggregations(before: Query, after: Query, columns: Sequence[Sequence[str]]) -> RowKeys:
        """Windows of other sizes are told by where they end, if they end at the same places."""
        said = further([name for name in columns[0] if name in columns[1]])
        same = {*before.group_by} == {*after.group_by}
        names = (*before.group_by, *window_keys(before.window, after.window)) if same else tuple(columns[1])
        return RowKeys(names, (), (), tuple(name for name in said if name not in {*names, *WINDOWS}))

    def changes(self, before: Sequence[Row], after: Sequence[Row]) -> RowChanges:
        """What became of the rows of a day."""
        old = {self.key(row, self.before): row for row in before}
        new = {self.key(row, self.after): row for row in after}
        pairs = [(old[key], row) for key, row in new.items() if key in old]
        return RowChanges(
            tuple(row for key, row in new.items() if key not in old),
            tuple(row for key, row in old.items() if key not in new),
            tuple(pair for pair in pairs if self.different(*pair)),
        )

    def different(self, before: Row, after: Row) -> list[str]:
        """The columns in which two rows of one key differ."""
        return [name for name in self.compared if exact(before, name) != exact(after, name)]

    def key(self, row: Row, variables: Sequence[str] = ()) -> tuple[Any, ...]:
        """What a row is told by. `variables`: of a matching query."""
        if self.names:
            return tuple(_plain(row.get(name)) for name in self.names)
        return tuple(sorted(seq for name in variables for seq in _events(row[name])))


def window_keys(before: Window, after: Window) -> tuple[str, ...]:
    """The columns that tell a window of both versions.

    >>> window_keys(Window(24, slide=4), Window(12, slide=4)), window_keys(Window(24, slide=4), Window(24, slide=3))
    (('window_end',), ('window_start', 'window_end'))
    """
    slides = before.slide, after.slide
    aligned = slides[0] is not None and slides[0] == slides[1] and (before.size - after.size) % slides[0] == 0
    resized = before.size != after.size and before.events == after.events
    return WINDOWS[1:] if aligned and resized else WINDOWS


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _events(value: Any) -> list[int]:
    return [] if value is None else value if isinstance(value, list) else [value]
