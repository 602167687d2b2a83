"""Columns by names that a query can say: fields of nested records as columns of their own, `user_id` for `user.id`;
underscores for what is no letter or digit, `Start_Time_s` for `Start Time [s]`.

A name stays as it is where another column has the one with underscores already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from jobs.exits import WrongWorkload
from jobs.workload.files.problems import nearest


def flat(table: pa.Table) -> tuple[pa.Table, dict[str, tuple[str, ...]]]:
    """A table without records in it; and for each of its columns, the file's column and the fields down to it.

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


def given_column(table: pa.Table, name: str) -> str:
    """A column by its name, as the file has it too. Else WrongWorkload, which names the nearest column."""
    if name not in table.column_names and sayable(name) in table.column_names:
        return sayable(name)
    if name not in table.column_names:
        raise WrongWorkload(f"no column '{name}'; {nearest(name, table.column_names)}")
    return name


def sayable(name: str) -> str:
    """A name as queries can say it.

    >>> sayable("user.id"), sayable("Start Time [s]"), sayable("größe"), sayable("95%"), sayable("_x")
    ('user_id', 'Start_Time_s', 'größe', '_95', '_x')
    """
    if re.fullmatch(r"[^\W\d]\w*", name):
        return name
    plain = re.sub(r"\W+", "_", name).strip("_")
    return f"_{plain}" if not plain or plain[0].isdigit() else plain


def _fields(place: tuple[str, ...], column: pa.ChunkedArray) -> Iterator[tuple[tuple[str, ...], pa.ChunkedArray]]:
    if not kinds.is_struct(column.type):
        yield place, column
        return
    for number, field in enumerate(column.type):
        yield from _fields((*place, field.name), pc.struct_field(column, [number]))
