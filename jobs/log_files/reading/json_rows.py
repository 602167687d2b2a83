"""A JSON file as lines, each an object: as it is, or from one list of objects, as web services give it.

Cost of a list: the whole file in memory, as text and as objects; of a fault, some microseconds a line up to it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from jobs.exits import UnreadableSource
from jobs.log_files.reading.opened_file import opened

_BLANK = b"\xef\xbb\xbf \t\r\n"


def is_list(block: bytes) -> bool:
    """Whether a file that begins with this block is one list.

    >>> is_list(b' [{"ts": 1}]'), is_list(b'{"ts": 1}')
    (True, False)
    """
    return block.lstrip(_BLANK).startswith(b"[")


def lines_of(path: Path, stream: pa.NativeFile) -> io.BytesIO:
    """The objects of a list, each on a line. Raises UnreadableSource for what is no list of objects."""
    try:
        rows: Any = json.loads(stream.read().decode("utf-8-sig"))
    except ValueError as error:
        raise UnreadableSource(path, f"it begins as a list of JSON, but {error}") from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise UnreadableSource(path, f"item {number} of its list is no object: {str(row)[:40]}")
    return io.BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows))


def file_fault(path: Path) -> str | None:
    """What is wrong with the first line of a file that is no object; None: each one is, or the file is one list."""
    with opened(path) as stream:
        lines = io.BufferedReader(cast(io.RawIOBase, stream))
        return None if is_list(lines.peek(64)[:64]) else line_fault(lines)


def line_fault(lines: Iterable[bytes]) -> str | None:
    """What is wrong with the first line that is no object, by its number from 1; None: each one is.

    >>> line_fault([b'{"ts": 1}\\n', b"\\n", b'{"ts": 2} {}'])
    'line 3 is not one JSON object: Extra data after character 10; a load refuses such a row and goes on'
    """
    for number, line in enumerate(lines, 1):
        if line.strip(_BLANK) and (fault := _fault(line.decode("utf-8-sig", "replace").rstrip())) is not None:
            return f"line {number} is not one JSON object: {fault}; a load refuses such a row and goes on"
    return None


def _fault(line: str) -> str | None:
    try:
        row = json.loads(line, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        return f"{error.msg} after character {error.pos}"
    except ValueError as error:
        return str(error)
    return None if isinstance(row, dict) else f"found {line.strip()[:40]}"


def _distinct(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object. Raises ValueError for a key that is given twice."""
    values: dict[str, Any] = {}
    for key, value in members:
        if key in values:
            raise ValueError(f"the key '{key}' is given twice")
        values[key] = value
    return values
