"""Finds rows and fields in a block of CSV: one pass over its bytes, as RFC 4180 says, and strictly.

A quote opens only at a field's begin; line ends (LF, CR LF, CR) between quotes belong to the value, and a doubled quote
stands for one. A quote elsewhere, or text after a closing quote, makes a row wrong. A row whose quote is wrong, or not
closed within the longest length, ends at its first line end: the lines after it are read as rows of their own, so a
stray quote swallows nothing. Each decision depends on the row alone, not on where blocks end.
Cost: linear; a stray quote makes the lines up to the next one be read twice.
"""

from __future__ import annotations

from numba import njit

from cep_core.inner_kernels import inner
from jobs.raw.reading.kernels.row_places import (
    BLANK,
    COMMENTS,
    COUNT,
    ENDED,
    ENDLESS,
    FULL,
    GOOD,
    LONG,
    MORE,
    OPEN,
    QUOTED,
    QUOTES,
    Bytes,
    Places,
    RowPlaces,
)

LF, CR = 10, 13
NO_MARK = 256
"""The code of a separator, quote or comment that a form does not have: no byte has it."""


@inner(nogil=True)
def line_end(text: Bytes, i: int) -> int:
    """The place of the first line end from place `i` on; the text's length if there is none."""
    while i < len(text) and text[i] != LF and text[i] != CR:
        i += 1
    return i


@inner(nogil=True)
def after_line_end(text: Bytes, i: int, is_last: bool) -> int:
    """The place after the line end at place `i`; -1 if the text ends before it is known."""
    if i >= len(text):
        return i if is_last else -1
    if text[i] == LF:
        return i + 1
    if i + 1 >= len(text):
        return i + 1 if is_last else -1
    return i + 2 if text[i + 1] == LF else i + 1


@inner(nogil=True)
def _read_row(
    text: Bytes, i: int, marks: tuple[int, int], row: int, places: tuple[Places, Places]
) -> tuple[int, int, int, int, bool]:
    """Reads the row that begins at place `i`.

    Returns its verdict, the place of its line end or of its fault, the number of its fields, the quoted line breaks in
    it, and whether it holds doubled quotes. OPEN: a quote is open at the text's end.
    """
    separator, quote = marks
    starts, stops = places
    n = len(text)
    columns = starts.shape[0]
    fields, breaks, doubled = 0, 0, False
    while True:
        if i < n and text[i] == quote:
            i += 1
            start = i
            while True:
                while i < n and text[i] != quote:
                    if text[i] == LF or (text[i] == CR and i + 1 < n and text[i + 1] != LF):
                        breaks += 1
                    i += 1
                if i + 1 < n and text[i + 1] == quote:
                    doubled = True
                    i += 2
                    continue
                break
            if i >= n:
                return OPEN, i, fields, breaks, doubled
            stop = i
            i += 1
        else:
            start = i
            while i < n and text[i] != separator and text[i] != LF and text[i] != CR and text[i] != quote:
                i += 1
            stop = i
        if fields < columns:
            starts[fields, row] = start
            stops[fields, row] = stop
        fields += 1
        if i >= n or text[i] == LF or text[i] == CR:
            return GOOD if fields == columns else COUNT, i, fields, breaks, doubled
        if text[i] != separator:
            return QUOTES, i, fields, breaks, doubled
        i += 1


@njit(cache=True, nogil=True)
def scan_csv(
    text: Bytes, i: int, is_last: bool, marks: tuple[int, int, int], longest: int, places: RowPlaces
) -> tuple[int, int, int]:
    """Scans rows from place `i`. `is_last`: no text follows. `marks`: separator, quote, comment.

    Returns how the scan ended, the place to go on from, and the number of rows.
    """
    begins, ends, verdicts, fields, doubled, starts, stops, lines = places
    separator, quote, comment = marks
    n = len(text)
    row = 0
    while i < n:
        begin = i
        verdict, breaks, count, has_doubled = GOOD, 0, 0, False
        if text[i] == LF or text[i] == CR:
            kind, end = BLANK, i
        elif text[i] == comment:
            kind, end = COMMENTS, line_end(text, i)
        else:
            if row == len(begins):
                return FULL, i, row
            kind = -1
            verdict, end, count, breaks, has_doubled = _read_row(text, i, (separator, quote), row, (starts, stops))
            # the byte after a closing quote at the text's end is not known yet, nor is that after CR
            if verdict != QUOTES and not is_last and end + 1 >= n and end - begin <= longest:
                return MORE, begin, row
            if verdict in (OPEN, QUOTES) or end - begin > longest:
                end, breaks = line_end(text, begin), 0
                verdict = LONG if end - begin > longest else QUOTES
        following = after_line_end(text, end, is_last)
        if following < 0:
            return ENDLESS if end >= n and end - begin > longest else MORE, begin, row
        if kind >= 0:
            lines[kind] += 1
        else:
            begins[row], ends[row], verdicts[row], fields[row], doubled[row] = begin, end, verdict, count, has_doubled
            lines[QUOTED] += breaks
            row += 1
        i = following
    return ENDED, i, row


@njit(cache=True, nogil=True)
def undouble(text: Bytes, quote: int, rows: Places, places: tuple[Places, Places], to: Bytes, begin: int) -> None:
    """Writes the values of some rows that hold doubled quotes to `to`, with one quote for two.

    `begin`: the place in the text to which `to` will be appended.
    """
    starts, stops = places
    length = 0
    for row in rows:
        for column in range(starts.shape[0]):
            i, stop = starts[column, row], stops[column, row]
            first = length
            while i < stop:
                to[length] = text[i]
                length += 1
                i += 2 if text[i] == quote else 1
            starts[column, row] = begin + first
            stops[column, row] = begin + length
