"""Scans a text block by block: rows with their places, each row once, whatever the blocks are.

A row that a block's end cuts is scanned again with the next block before it. A line that is longer than a row may be is
passed over as it streams by; its begin is kept. So memory holds a block and the longest row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from jobs.raw.reading.file_form import TextForm
from jobs.raw.reading.file_ledger import LineEnds, RowLedger
from jobs.raw.reading.kernels.csv_rows import NO_MARK, scan_csv
from jobs.raw.reading.kernels.json_rows import keys_of, scan_json
from jobs.raw.reading.kernels.row_places import (
    BLANK,
    COMMENTS,
    ENDLESS,
    FULL,
    LONG,
    QUOTED,
    Bytes,
    RowPlaces,
    part_of,
    places_for,
)
from jobs.raw.reading.text_blocks import BYTE_ORDER_MARK

Scan = Callable[[Bytes, int, bool, RowPlaces], tuple[int, int, int]]


@dataclass(frozen=True)
class ScannedRows:
    """Rows of a block. `data`, `text`: its bytes, of which those from `first` to `next` were scanned.

    `offset`: the block's place in the whole text.
    """

    data: bytes
    text: Bytes
    first: int
    next: int
    offset: int
    places: RowPlaces

    @property
    def count(self) -> int:
        return len(self.places.begins)


class TextScan:
    """One pass over a text. `ledger` counts what has been scanned.

    `columns`: how many columns' values are looked for; 0: only the rows' places.
    """

    def __init__(self, form: TextForm, columns: int) -> None:
        self._scan = _scanner(form, columns)
        self._places = places_for(columns)
        self._comment = form.comment.encode()
        self._kept = form.kept
        self._line_ends = LineEnds()
        self._rows = 0
        self._passed_comments = 0

    @property
    def ledger(self) -> RowLedger:
        lines = self._places.lines
        return self._line_ends.ledger + RowLedger(
            rows=self._rows,
            quoted=int(lines[QUOTED]),
            blank=int(lines[BLANK]),
            comments=int(lines[COMMENTS]) + self._passed_comments,
        )

    def rows(self, blocks: Iterable[tuple[bytes, bool]], offset: int) -> Iterator[ScannedRows]:
        """The rows of all blocks. `offset`: the first byte's place in the whole text."""
        carried, skipping = b"", False
        for block, is_last in _without_mark(blocks, is_begin=offset == 0):
            if block is None:
                offset = len(BYTE_ORDER_MARK)
                continue
            self._line_ends.add(block)
            data = carried + block
            place = 0
            if skipping:
                place, skipping = _after_line(data, is_last)
            while not skipping:
                text = np.frombuffer(data, np.uint8)
                how, following, count = self._scan(text, place, is_last, self._places)
                self._rows += count
                yield ScannedRows(data, text, place, following, offset, part_of(self._places, slice(count)))
                place = following
                if how == ENDLESS:
                    yield from self._long(data, place, offset)
                    place, skipping = _after_line(data, is_last, place)
                elif how != FULL:
                    break
            offset += place
            carried = data[place:]

    def _long(self, data: bytes, place: int, offset: int) -> Iterator[ScannedRows]:
        """A line whose end is not in the block, as a row that is too long; a comment is none."""
        if self._comment and data.startswith(self._comment, place):
            self._passed_comments += 1
            return
        self._rows += 1
        row = places_for(self._places.starts.shape[0], 1)
        row.begins[0], row.ends[0], row.verdicts[0] = place, place + self._kept, LONG
        row.fields[0] = row.doubled[0] = 0
        yield ScannedRows(data, np.frombuffer(data, np.uint8), place, place, offset, row)


def _without_mark(blocks: Iterable[tuple[bytes, bool]], is_begin: bool) -> Iterator[tuple[bytes | None, bool]]:
    """The blocks; for a byte order mark at the text's begin, None and the rest of the block."""
    held = b""
    for block, is_last in blocks:
        block = held + block
        if is_begin and len(block) < len(BYTE_ORDER_MARK) and not is_last:
            held = block
            continue
        if is_begin and block.startswith(BYTE_ORDER_MARK):
            yield None, False
            block = block[len(BYTE_ORDER_MARK) :]
        held, is_begin = b"", False
        yield block, is_last


def _after_line(data: bytes, is_last: bool, place: int = 0) -> tuple[int, bool]:
    """The place after the line end from `place` on, and whether the line goes on in the next block."""
    end = re.compile(rb"\r\n|\r|\n").search(data, place)
    if end is None:
        return len(data), not is_last
    if end.end() == len(data) and end.group() == b"\r" and not is_last:
        return end.start(), True
    return end.end(), False


def _scanner(form: TextForm, columns: int) -> Scan:
    marks = (NO_MARK, NO_MARK, NO_MARK)
    if form.format == "csv":
        separator, quote, comment = (
            ord(mark) if mark else NO_MARK for mark in (form.separator, form.quote, form.comment)
        )
        marks = (separator, quote, comment)
    elif columns:
        keys = keys_of(list(form.columns))
        return lambda text, i, is_last, places: scan_json(text, i, is_last, keys, form.longest, places)
    return lambda text, i, is_last, places: scan_csv(text, i, is_last, marks, form.longest, places)
