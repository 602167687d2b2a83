"""Fields of nested records as columns of their own: `user.id` becomes `user_id`, which a query can name.

The dot stays where a column has the name with the underscore already.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from jobs.exits import WrongWorkload
from jobs.workload.files.problems import nearest


def flat(table: pa.Table) -> tuple[pa.Table, dict[str, str]]:
    """A table without records in it; and for each of its columns, the file's column in which it is.

    >>> flat(pa.table({"user": [{"id": 7, "at": {"x": 1}}], "ts": [3]}))[1]
    {'user_id': 'user', 'user_at_x': 'user', 'ts': 'ts'}
    """
    columns: dict[str, pa.ChunkedArray] = {}
    tops: dict[str, str] = {}
    for top in table.column_names:
        for dotted, column in _fields(top, table[top]):
            plain = dotted.replace(".", "_")
            name = dotted if dotted == top or plain in columns or plain in table.column_names else plain
            columns[name], tops[name] = column, top
    return pa.table(columns), tops


def given_column(table: pa.Table, name: str) -> str:
    """A column by its name, of a nested field also with dots. Else WrongWorkload, which names the nearest column."""
    if name not in table.column_names and name.replace(".", "_") in table.column_names:
        return name.replace(".", "_")
    if name not in table.column_names:
        raise WrongWorkload(f"no column '{name}'; {nearest(name, table.column_names)}")
    return name


def _fields(name: str, column: pa.ChunkedArray) -> Iterator[tuple[str, pa.ChunkedArray]]:
    if not kinds.is_struct(column.type):
        yield name, column
        return
    for place, field in enumerate(column.type):
        yield from _fields(f"{name}.{field.name}", pc.struct_field(column, [place]))
