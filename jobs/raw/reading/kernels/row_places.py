"""Where the rows of a block of text lie, and their values: what scanners of CSV and of JSON lines write.

All places are bytes from the block's begin. A value that is absent begins at -1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Ints

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int32]

GOOD, QUOTES, COUNT, LONG, NUL, NOT_UTF8, HEADER, NOT_JSON, UNSURE, OPEN = range(10)
"""Verdicts on a row's shape. UNSURE: a row of JSON that a slower reader must look at. OPEN: a quote is not closed."""

ENDED, MORE, FULL, ENDLESS = range(4)
"""How a scan ended: at the text's end; before a row whose end is not in the text; because the arrays are full; before a
line that is longer than a row may be and whose end is not in the text."""

BLANK, QUOTED, COMMENTS = range(3)
"""Lines that begin no row: empty ones, those begun by a quoted line break, comments."""

ROWS = 1 << 16
"""Rows that a scan holds at once."""


class RowPlaces(NamedTuple):
    """`begins`, `ends` [rows]: the row without its line end. `verdicts` [rows].

    `fields` [rows]: how many fields it has. `doubled` [rows]: whether a value holds doubled quotes. `starts`, `stops`
    [columns, rows]: the values. `lines` [3]: how many lines of each kind began no row, added up over scans.
    """

    begins: Places
    ends: Places
    verdicts: Bytes
    fields: Places
    doubled: Bytes
    starts: npt.NDArray[np.int32]
    stops: npt.NDArray[np.int32]
    lines: Ints


def places_for(columns: int, rows: int = ROWS) -> RowPlaces:
    """Room for so many rows."""
    return RowPlaces(
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.uint8),
        np.empty(rows, np.int32),
        np.empty(rows, np.uint8),
        np.empty((columns, rows), np.int32),
        np.empty((columns, rows), np.int32),
        np.zeros(3, np.int64),
    )


def part_of(places: RowPlaces, rows: slice) -> RowPlaces:
    """Some of the rows; views, not copies."""
    begins, ends, verdicts, fields, doubled, starts, stops, lines = places
    inner = (begins[rows], ends[rows], verdicts[rows], fields[rows], doubled[rows])
    return RowPlaces(*inner, starts[:, rows], stops[:, rows], lines)
