"""Columns of a frame as attributes of a log: fields of records as columns of their own, `user_id` for `user.id`; names
that queries can say, `x_y` for `x y`; numbers of types such as DECIMAL as numbers that engines read.

Cost: nothing for columns that are so already.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from cep_core.events.by_schema import by_schema
from cep_core.events.exact_columns import exact_column
from cep_core.events.table import attribute_type

_NAME = re.compile(r"[^\W\d]\w*")


def sayable(name: str) -> str:
    """A name as queries can say it.

    >>> sayable("user.id"), sayable("Start Time [s]"), sayable("größe"), sayable("95%"), sayable("_x")
    ('user_id', 'Start_Time_s', 'größe', '_95', '_x')
    """
    if _NAME.fullmatch(name):
        return name
    plain = re.sub(r"\W+", "_", name).strip("_")
    return f"_{plain}" if not plain or plain[0].isdigit() else plain


def flat(table: pa.Table) -> tuple[pa.Table, dict[str, tuple[str, ...]]]:
    """A table without records in it; and for each of its columns, the table's column and the fields down to it.

    A name stays as it is where another column has the one with underscores already.

    >>> flat(pa.table({"user": [{"id": 7, "at": {"x": 1}}], "ts": [3]}))[1]
    {'user_id': ('user', 'id'), 'user_at_x': ('user', 'at', 'x'), 'ts': ('ts',)}
    """
    columns: dict[str, pa.ChunkedArray] = {}
    places: dict[str, tuple[str, ...]] = {}
    for top in table.column_names:
        for place, column in _fields((top,), table[top]):
            dotted = ".".join(place)
            plain = sayable(dotted)
            name = dotted if plain in columns or plain in table.column_names else plain
            columns[name], places[name] = column, place
    return pa.table(columns), places


_READ = frozenset(
    stored.id
    for stored in (
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()),
        *(pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.string(), pa.large_string()),
        *(pa.timestamp("s"), pa.duration("s"), pa.date32(), pa.date64()),
    )
)
"""The numbers of the types of columns that stay as they are."""


def are_attribute_columns(table: pa.Table) -> bool:
    """Whether a table has rows, and each column a name and a type that queries say and engines read: most have.

    >>> are_attribute_columns(pa.table({"x": [1.5]})), are_attribute_columns(pa.table({"x y": [1.5]}))
    (True, False)
    """
    return table.num_rows > 0 and _are_said_and_read(table.schema)


@by_schema
def _are_said_and_read(schema: pa.Schema) -> bool:
    for stored in schema.types:
        kind = stored.id
        if kind not in _READ and not (kinds.is_dictionary(stored) and stored.value_type.id in _READ):
            return False
    return all(map(_NAME.fullmatch, schema.names))


def attribute_columns(table: pa.Table) -> tuple[pa.Table, list[str]]:
    """The table with columns that queries can name and engines read, and remarks on values that became others.

    >>> attribute_columns(pa.table({"user": [{"id": 7}], "x y": [1.5]}))[0].column_names
    ['user_id', 'x_y']
    """
    if not all(map(_NAME.fullmatch, table.column_names)) or any(map(kinds.is_struct, table.schema.types)):
        table = flat(table)[0]
    remarks = []
    for place, field in enumerate(table.schema):
        if kinds.is_decimal(field.type) or kinds.is_uint64(field.type):
            column, remark = exact_column(table.column(place), field.name)
            table = table.set_column(place, field.name, column)
            remarks += [] if remark is None else [remark]
    return table, remarks


def not_compared(table: pa.Table, names: Collection[str]) -> str | None:
    """What is said of the first of these columns that holds what no condition compares; None where there is none.

    >>> not_compared(pa.table({"x": [1], "tags": [["a"]]}), ["x", "tags"])
    "'tags' holds list<item: string>, and conditions compare numbers, texts and truth values only"
    """
    for name, stored in _never_compared(table.schema):
        if name in names:
            reason = f"'{name}' holds {stored}, and conditions compare numbers, texts and truth values only"
            return f"{reason}; whole seconds, say, can be compared" if kinds.is_temporal(stored) else reason
    return None


@by_schema
def _never_compared(schema: pa.Schema) -> list[tuple[str, pa.DataType]]:
    """The columns that hold what no condition compares, with their types."""
    return [
        (name, stored)
        for name, stored in zip(schema.names, schema.types, strict=True)
        if not (kinds.is_decimal(stored) or kinds.is_null(stored) or attribute_type(stored) is not None)
    ]


def _fields(place: tuple[str, ...], column: pa.ChunkedArray) -> Iterator[tuple[tuple[str, ...], pa.ChunkedArray]]:
    if not kinds.is_struct(column.type):
        yield place, column
        return
    for number, field in enumerate(column.type):
        yield from _fields((*place, field.name), pc.struct_field(column, [number]))
