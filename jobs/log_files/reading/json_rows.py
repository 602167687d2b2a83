"""A JSON file as lines, each an object: as it is, or from one list of objects, as web services give it.

Cost of a list: the whole file in memory, as text and as objects.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from jobs.exits import UnreadableSource

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
