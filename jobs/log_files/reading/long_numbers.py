"""Columns of whole numbers that 64 bits do not hold, such as identifiers of thirty digits: they are read as texts.

Arrow takes them for floats, in which different ones are equal. Cost: a look at each column of floats; where one may be
such a column, the file is read once more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from cep_core.events.exact_columns import beyond_64_bits

Places = Mapping[str, tuple[str, ...]]
"""For each column, the file's column and the fields down to it."""

_EXACT = 2.0**53
_WHOLE = r"^[+-]?[0-9]+$"
_DECIMAL = pa.decimal256(76, 0)
"""Arrow's reader of JSON gives no text of a number."""


def may_be_long(table: pa.Table) -> list[str]:
    """Columns of floats that may have been whole numbers of too many digits.

    >>> may_be_long(pa.table({"id": [1e30, 7.0], "x": [1e30, 7.5], "y": [1.0, 2.0]}))
    ['id']
    """
    return [field.name for field in table.schema if kinds.is_floating(field.type) and _is_long(table[field.name])]


def with_whole(table: pa.Table, read: Callable[[Places], pa.Table], long: Places) -> tuple[pa.Table, list[str]]:
    """The table with those of these columns as texts that are whole numbers, and a remark for each.

    `read` gives columns as they are written, as texts or decimals, or raises ArrowInvalid if they are none.
    """
    notes: list[str] = []
    try:
        written = read(long) if long else pa.table({})
    except pa.ArrowInvalid:
        return table, notes
    for name in written.column_names:
        texts = written[name].cast(pa.string())
        if pc.all(pc.match_substring_regex(texts, _WHOLE)).as_py():
            table = table.set_column(table.column_names.index(name), name, texts)
            notes.append(beyond_64_bits(name))
    return table, notes


def as_decimals(places: Places) -> pa.Schema:
    """The schema of columns of JSON that are read as decimals, from the fields down to each.

    >>> [str(field.type)[:22] for field in as_decimals({"user_id": ("user", "id"), "x": ("x",)})]
    ['struct<id: decimal256(', 'decimal256(76, 0)']
    """
    return pa.schema(_fields(list(places.values())))


def _fields(places: list[tuple[str, ...]]) -> list[pa.Field]:
    fields = []
    for top in dict.fromkeys(place[0] for place in places):
        below = [place[1:] for place in places if place[0] == top and len(place) > 1]
        fields.append(pa.field(top, pa.struct(_fields(below)) if below else _DECIMAL))
    return fields


def _is_long(column: pa.ChunkedArray) -> bool:
    is_whole = pc.all(pc.equal(pc.trunc(column), column)).as_py()
    return bool(is_whole) and pc.max(pc.abs(column)).as_py() >= _EXACT
