"""The rows of a day as frames of pandas, which the gate's library judges.

A column of whole numbers with gaps has floats there, in which large numbers that differ are equal. So such a column has
Python's integers if a float of 64 bits does not hold one of its numbers. Whatever way a day is judged, its columns have
the same types. Cost: one pass over the rows, two where they come in pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from jobs.quality.judged_rows import JudgedRows

if TYPE_CHECKING:
    import pandas as pd

_EXACT = 2**53
"""The largest whole number up to which floats of 64 bits hold all."""


def whole_frame(rows: JudgedRows, day: date) -> pd.DataFrame:
    """All rows of a day."""
    table = pa.concat_tables(rows.pieces(day))
    return _frame(table, *_gaps([table]))


def frames(rows: JudgedRows, day: date) -> Iterator[pd.DataFrame]:
    """The rows of a day, piece by piece, with the columns that they would have as a whole."""
    gaps, long = _gaps(rows.pieces(day))
    for piece in rows.pieces(day):
        yield _frame(piece, gaps, long)


def _gaps(pieces: Iterable[pa.Table]) -> tuple[set[str], set[str]]:
    """The columns with gaps, and those of whole numbers that floats do not hold."""
    gaps, long = set(), set()
    for piece in pieces:
        for name in piece.column_names:
            if piece[name].null_count:
                gaps.add(name)
            if pa.types.is_integer(piece[name].type) and _is_long(piece[name]):
                long.add(name)
    return gaps, long


def _is_long(column: pa.ChunkedArray) -> bool:
    bounds = pc.min_max(column).as_py()
    return any(bound is not None and abs(bound) > _EXACT for bound in bounds.values())


def _frame(piece: pa.Table, gaps: set[str], long: set[str]) -> pd.DataFrame:
    frame = piece.to_pandas()
    for name in gaps:
        kind = piece.schema.field(name).type
        if pa.types.is_integer(kind) and name in long:
            frame[name] = piece[name].to_pandas(integer_object_nulls=True).astype(object)
        elif pa.types.is_integer(kind):
            frame[name] = frame[name].astype("float64")
        elif pa.types.is_boolean(kind):
            frame[name] = frame[name].astype(object)
    return frame
