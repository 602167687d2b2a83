"""Columns of whole numbers that 64 bits do not hold, such as identifiers of thirty digits: they are read as texts.

Arrow takes them for floats, in which different ones are equal, and so it does with shorter ones beside a fraction, of
which people are told. Cost: a look at each column of floats; where one may be such a column, the file is read once
more, a file of JSON once more for each of several if one of them has fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from cep_core.events.exact_columns import beyond_64_bits, exact_column, rounded_to_floats

Places = Mapping[str, tuple[str, ...]]
"""For each column, the file's column and the fields down to it."""

_EXACT = 2.0**53
_WHOLE = r"^[+-]?[0-9]+$"
_LONG = r"^[+-]?0*[1-9][0-9]{15,}(\.0*)?$"
"""A whole number, written with more digits than floats keep apart."""
_DECIMAL = pa.decimal256(76, 0)
"""Arrow's reader of JSON gives no text of a number."""


def may_be_long(table: pa.Table) -> list[str]:
    """Columns of floats that may have been whole numbers of too many digits, beside fractions or not.

    >>> may_be_long(pa.table({"id": [1e30, 7.0], "x": [1e30, 7.5], "y": [1.0, 2.0]}))
    ['id', 'x']
    """
    return [field.name for field in table.schema if kinds.is_floating(field.type) and _is_long(table[field.name])]


def with_whole(table: pa.Table, read: Callable[[Places], pa.Table], long: Places) -> tuple[pa.Table, list[str]]:
    """The table with those of these columns that are whole numbers as texts, or as integers if 64 bits hold them; and a
    remark for each that became texts, or whose numbers were rounded.

    `read` gives columns as they are written: as texts; or as decimals, or raises ArrowInvalid if they are none.
    """
    notes: list[str] = []
    columns = _as_written(read, long)
    for name in long:
        if (written := columns.get(name)) is None:
            notes.append(rounded_to_floats(name))
            continue
        column, remark = table[name], None
        if kinds.is_decimal(written.type):
            column, remark = exact_column(written, name)
        elif pc.all(pc.match_substring_regex(written, _WHOLE)).as_py():
            column, remark = written, beyond_64_bits(name)
        elif pc.any(pc.match_substring_regex(written, _LONG)).as_py():
            remark = rounded_to_floats(name)
        table = table.set_column(table.column_names.index(name), name, column)
        notes += [] if remark is None else [remark]
    return table, notes


def _as_written(read: Callable[[Places], pa.Table], long: Places) -> dict[str, pa.ChunkedArray]:
    """The columns as they are written, but for those that are no whole decimals in a file without texts of numbers."""
    try:
        written = read(long) if long else pa.table({})
        return {name: written[name] for name in written.column_names}
    except pa.ArrowInvalid:
        if len(long) == 1:
            return {}
        return {kept: of for name, place in long.items() for kept, of in _as_written(read, {name: place}).items()}


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
    largest = pc.max(pc.abs(column)).as_py()
    return largest is not None and largest >= _EXACT
