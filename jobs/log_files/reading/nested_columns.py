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


def flat(table: pa.Table) -> tuple[pa.Table, dict[str, str]]:
    """A table without records in it; and for each of its columns, the file's column in which it is.

    >>> flat(pa.table({"user": [{"id": 7, "at": {"x": 1}}], "ts": [3]}))[1]
    {'user_id': 'user', 'user_at_x': 'user', 'ts': 'ts'}
    """
    columns: dict[str, pa.ChunkedArray] = {}
    tops: dict[str, str] = {}
    for top in table.column_names:
        for dotted, column in _fields(top, table[top]):
            plain = sayable(dotted)
            name = dotted if plain in columns or plain in table.column_names else plain
            columns[name], tops[name] = column, top
    return pa.table(columns), tops


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


def _fields(name: str, column: pa.ChunkedArray) -> Iterator[tuple[str, pa.ChunkedArray]]:
    if not kinds.is_struct(column.type):
        yield name, column
        return
    for place, field in enumerate(column.type):
        yield from _fields(f"{name}.{field.name}", pc.struct_field(column, [place]))
