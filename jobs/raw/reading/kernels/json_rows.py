"""Finds rows and values in a block of JSON lines, if a line is one plain object: one pass over its bytes.

Plain: the values are texts without escapes, numbers, true, false or null, no declared key is given twice, and nothing
follows. Whatever else a line is, right or wrong, is left to a slower reader (`jobs/raw/reading/json_line.py`). Keys
that are not declared are passed over. Cost: linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.inner_kernels import inner
from jobs.raw.reading.kernels.csv_rows import after_line_end, line_end
from jobs.raw.reading.kernels.row_places import (
    BLANK,
    ENDED,
    ENDLESS,
    FULL,
    GOOD,
    LONG,
    MORE,
    UNSURE,
    Bytes,
    Places,
    RowPlaces,
)

_LITERALS = np.frombuffer(b"truefalsenull", np.uint8)


class Keys(NamedTuple):
    """Declared names as bytes: name `k` is text[starts[k]:starts[k + 1]]."""

    text: Bytes
    starts: Places


def keys_of(names: Sequence[str]) -> Keys:
    encoded = [name.encode() for name in names]
    starts = np.cumsum([0, *(len(name) for name in encoded)])
    return Keys(np.frombuffer(b"".join(encoded) or b"\0", np.uint8), starts.astype(np.int32))


@inner(nogil=True)
def _after_blanks(text: Bytes, i: int, end: int) -> int:
    while i < end and (text[i] == 32 or text[i] == 9):
        i += 1
    return i


@inner(nogil=True)
def _after_text(text: Bytes, i: int, end: int) -> int:
    """The place of the quote that closes a text without escapes; -1: it is no such text."""
    while i < end and text[i] != 34:
        if text[i] == 92 or text[i] < 32:
            return -1
        i += 1
    return i if i < end else -1


@inner(nogil=True)
def _after_digits(text: Bytes, i: int, end: int) -> int:
    while i < end and 48 <= text[i] <= 57:
        i += 1
    return i


@inner(nogil=True)
def _after_plain(text: Bytes, i: int, end: int) -> int:
    """The place after a number, true, false or null; -1: there is none."""
    for first, last in ((0, 4), (4, 9), (9, 13)):
        if text[i] == _LITERALS[first]:
            for k in range(first, last):
                if i + k - first >= end or text[i + k - first] != _LITERALS[k]:
                    return -1
            return i + last - first
    if text[i] == 45:
        i += 1
    whole = _after_digits(text, i, end)
    if whole == i or (text[i] == 48 and whole > i + 1):
        return -1
    i = whole
    if i < end and text[i] == 46:
        fraction = _after_digits(text, i + 1, end)
        if fraction == i + 1:
            return -1
        i = fraction
    if i < end and (text[i] == 101 or text[i] == 69):
        i += 1
        if i < end and (text[i] == 43 or text[i] == 45):
            i += 1
        exponent = _after_digits(text, i, end)
        if exponent == i:
            return -1
        i = exponent
    return i


@inner(nogil=True)
def _column(text: Bytes, start: int, stop: int, expected: int, keys: Keys) -> int:
    """The declared column of a key, -1 for none. `expected`: the one that is tried first."""
    names, starts = keys
    columns = len(starts) - 1
    for step in range(columns):
        k = (expected + step) % columns
        length = starts[k + 1] - starts[k]
        if length == stop - start:
            i = 0
            while i < length and text[start + i] == names[starts[k] + i]:
                i += 1
            if i == length:
                return k
    return -1


@inner(nogil=True)
def _read_object(text: Bytes, i: int, end: int, keys: Keys, row: int, places: tuple[Places, Places]) -> int:
    """Reads a line of one plain object. Returns GOOD, or UNSURE for every other line."""
    starts, stops = places
    columns = starts.shape[0]
    for k in range(columns):
        starts[k, row] = -1
        stops[k, row] = -2
    i = _after_blanks(text, i, end)
    if i >= end or text[i] != 123:
        return UNSURE
    i = _after_blanks(text, i + 1, end)
    is_empty = i < end and text[i] == 125
    expected = 0
    while not is_empty:
        if i >= end or text[i] != 34:
            return UNSURE
        stop = _after_text(text, i + 1, end)
        if stop < 0:
            return UNSURE
        column = _column(text, i + 1, stop, expected, keys)
        i = _after_blanks(text, stop + 1, end)
        if i >= end or text[i] != 58:
            return UNSURE
        i = _after_blanks(text, i + 1, end)
        if i >= end:
            return UNSURE
        is_text = text[i] == 34
        start = i + 1 if is_text else i
        stop = _after_text(text, start, end) if is_text else _after_plain(text, start, end)
        if stop < 0:
            return UNSURE
        if column >= 0:
            if stops[column, row] != -2:
                return UNSURE
            is_null = not is_text and text[start] == 110
            starts[column, row] = -1 if is_null else start
            stops[column, row] = -1 if is_null else stop
            expected = column + 1
        i = _after_blanks(text, stop + 1 if is_text else stop, end)
        if i >= end or (text[i] != 44 and text[i] != 125):
            return UNSURE
        if text[i] == 125:
            break
        i = _after_blanks(text, i + 1, end)
    return GOOD if _after_blanks(text, i + 1, end) == end else UNSURE


@njit(cache=True, nogil=True)
def scan_json(text: Bytes, i: int, is_last: bool, keys: Keys, longest: int, places: RowPlaces) -> tuple[int, int, int]:
    """Scans lines from place `i`. `is_last`: no text follows.

    Returns how the scan ended, the place to go on from, and the number of rows.
    """
    begins, ends, verdicts, fields, doubled, starts, stops, lines = places
    row = 0
    while i < len(text):
        if row == len(begins):
            return FULL, i, row
        end = line_end(text, i)
        following = after_line_end(text, end, is_last)
        if following < 0:
            return ENDLESS if end >= len(text) and end - i > longest else MORE, i, row
        if end == i:
            lines[BLANK] += 1
        else:
            begins[row], ends[row], fields[row], doubled[row] = i, end, 0, 0
            is_long = end - i > longest
            verdicts[row] = LONG if is_long else _read_object(text, i, end, keys, row, (starts, stops))
            row += 1
        i = following
    return ENDED, i, row
