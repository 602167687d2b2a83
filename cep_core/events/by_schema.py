"""Keeps what follows from a table's schema alone for the next tables of the same schema.

Whoever asks for a log day by day has tables of one schema: to find it takes a microsecond, where names and types of all
columns take twenty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pyarrow as pa

Answer = TypeVar("Answer")

KEPT = 4
"""The answers for so many schemas are kept."""


def by_schema(work: Callable[[pa.Schema], Answer]) -> Callable[[pa.Schema], Answer]:
    """The function, asked once for each of the last schemas. Metadata are no part of a schema here.

    >>> asked = []
    >>> names = by_schema(lambda schema: asked.append(schema) or tuple(schema.names))
    >>> names(pa.schema({"x": pa.int64()})), names(pa.schema({"x": pa.int64()})), len(asked)
    (('x',), ('x',), 1)
    """
    kept: list[tuple[pa.Schema, Answer]] = []

    def ask(schema: pa.Schema) -> Answer:
        for known, answer in kept:
            if known.equals(schema):
                return answer
        answer = work(schema)
        kept[:] = [(schema.remove_metadata(), answer), *kept[: KEPT - 1]]
        return answer

    return ask
