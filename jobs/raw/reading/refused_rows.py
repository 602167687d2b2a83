"""Rows that were refused, with rule, reason and raw text. Built row by row: they are the exception.

A raw text that is not UTF-8 is shown with a backslash escape for each byte beyond ASCII, as Python writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

REFUSED = pa.schema(
    [
        ("ordinal", pa.int64()),
        ("offset", pa.int64()),
        ("rule", pa.string()),
        ("reason", pa.string()),
        ("raw", pa.string()),
        ("moment", pa.int64()),
    ]
)
"""`ordinal`: the row's number in its file. `offset`: its first byte in the file's text; of Parquet, -1. `moment`: what
its time says (`moments_of`), if the source declares one and the row has a value there."""

UTF8, SHAPE, TYPE = "utf8", "shape", "type"
"""Rules of every source: bytes are UTF-8, fields are those of the header, values have the declared type."""


class RefusedRow(NamedTuple):
    """A row of REFUSED."""

    ordinal: int
    offset: int
    rule: str
    reason: str
    raw: str
    moment: int | None = None


def refused_batch(rows: Sequence[RefusedRow]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(REFUSED)
    return pa.record_batch([pa.array(c, f.type) for c, f in zip(columns, REFUSED, strict=True)], schema=REFUSED)


def shown(raw: bytes) -> str:
    """A raw row as text.

    >>> shown(b"caf\\xc3\\xa9"), shown(b"caf\\xe9")
    ('café', 'caf\\\\xe9')
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("ascii", "backslashreplace")
