"""Rows as a person writes them in a case: a table of text with a header, or a list of mappings.

Each value knows its place, so that a problem of it can be pointed at. Cost: linear in the text; a place is only looked
for when there is a problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from jobs.workload.files.problems import Mark, Problems, brief, kind
from jobs.workload.files.yaml_file import mark_inside

Place = Callable[[], Mark | None]

_CELL = re.compile(r'[ \t]*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^,]*?))[ \t]*(?:,|$)')


@dataclass(frozen=True)
class WrittenValue:
    """A value as it is written; None: it is absent. `of_name`: the place of its column's name."""

    text: str | None
    place: Place
    of_name: Place


@dataclass(frozen=True)
class WrittenRow:
    """A row's values by column."""

    values: Mapping[str, WrittenValue]
    place: Place


def read_rows(problems: Problems, where: str, value: Any) -> list[WrittenRow]:
    """The rows that are written at a place of a file. Problems are no rows, a column given twice, a ragged table."""
    if isinstance(value, str):
        return list(_of_table(problems, where, value))
    if not isinstance(value, list):
        problems.add(where, f"expected a table of text (`|` and lines), or a list of rows, found {kind(value)}")
        return []
    rows = []
    for number, item in enumerate(value):
        row = f"{where}[{number}]"
        if not isinstance(item, Mapping):
            problems.add(row, f"expected a row such as {{a: 1, b: 2}}, found {kind(item)}")
            continue
        values = {name: _of_mapping(problems, row, name, text) for name, text in problems.mapping(row, item).items()}
        rows.append(WrittenRow(values, partial(problems.mark, row)))
    return rows


def _of_mapping(problems: Problems, row: str, name: str, value: Any) -> WrittenValue:
    """A value of a mapping. A list of texts is written as in a table, with blanks between them."""
    where = f"{row}.{name}"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = " ".join(value)
    if value is not None and not isinstance(value, str):
        problems.add(where, f"expected one value, found {kind(value)}")
        value = None
    return WrittenValue(value, partial(problems.mark, where), partial(problems.mark, row, name))


def _of_table(problems: Problems, where: str, text: str) -> Iterator[WrittenRow]:
    file = where.partition(": ")[0]
    names: dict[str, Place] | None = None
    begin = 0
    for line in text.split("\n"):
        start, begin = begin, begin + len(line) + 1
        if not line.strip() or line.lstrip().startswith("#"):
            continue

        def place(at: int, length: int = 1, start: int = start) -> Place:
            return partial(mark_inside, problems, where, text, start + at, max(length, 1))

        of_line = place(len(line) - len(line.lstrip()), len(line.strip()))
        cells = _cells(line)
        if cells is None:
            problems.point(file, of_line(), 'a quote stands inside a value; write "a ""quoted"" word"')
            continue
        if names is None:
            names = {}
            for at, name in cells:
                if not name or name in names:
                    message = f"the column {brief(name)} is given twice" if name else "a column has no name"
                    problems.point(file, place(at, len(name or ""))(), message)
                names[name or ""] = place(at, len(name or ""))
            continue
        if len(cells) != len(names):
            wanted = f"expected {len(names)} values ({', '.join(names)}), found {len(cells)}"
            problems.point(file, of_line(), wanted, "an absent one is empty")
            continue
        values = {
            name: WrittenValue(cell, place(at, len(cell or "")), of_name)
            for (name, of_name), (at, cell) in zip(names.items(), cells, strict=True)
        }
        yield WrittenRow(values, of_line)


def _cells(line: str) -> list[tuple[int, str | None]] | None:
    """The values of a line with their places; None for a value that is empty and not quoted. None: a stray quote.

    >>> _cells('Tick, "a, b",,""')
    [(0, 'Tick'), (6, 'a, b'), (13, None), (14, '')]
    >>> _cells('"a"b') is None
    True
    """
    cells: list[tuple[int, str | None]] = []
    at = 0
    while True:
        cell = _CELL.match(line, at)
        if cell is None or (cell["plain"] or "").startswith('"'):
            return None
        quoted = cell["quoted"]
        if quoted is not None:
            cells.append((cell.start("quoted") - 1, quoted.replace('""', '"')))
        else:
            cells.append((cell.start("plain"), cell["plain"] or None))
        at = cell.end()
        if at == len(line) and not cell[0].endswith(","):
            return cells
        if at == len(line):
            return [*cells, (at, None)]
