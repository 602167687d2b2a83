"""Finds the time-points, events and values in a MonPoly log: one pass over bytes, about 2 ns a byte.

A log is a row of time-points `@5 P(1,a)(2,b) Q(3) T;`: a stamp, then names, each with any number of tuples; a name
without tuples is an event without arguments. A point ends at `;` or at the next `@`. Values are bare or between double
quotes, as they stand; `#` begins a comment.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.events.logs.reading.event_tokens import (
    ARITY,
    BACK,
    COMMAND,
    ENDS,
    FULL,
    GOOD,
    NO_POINT,
    STAMP,
    UNEXPECTED,
    UNKNOWN,
    Names,
    Tokens,
    name_number,
    set_progress,
)
from cep_core.events.logs.reading.value_columns import Bytes, integer
from cep_core.inner_kernels import borrowing

BARE = np.ones(256, np.bool_)
"""Whether a byte may stand in a name or in a value without quotes."""
BARE[: ord(" ") + 1] = False
BARE[list(b'(),;@"#<>{}')] = False


@borrowing
def _after_blanks(text: Bytes, i: int) -> int:
    """The next place that is neither blank nor in a comment."""
    n = len(text)
    while i < n:
        c = text[i]
        if c == 35:
            while i < n and text[i] != 10 and text[i] != 13:
                i += 1
        elif c > 32:
            break
        else:
            i += 1
    return i


@borrowing
def _after_word(text: Bytes, i: int) -> int:
    while i < len(text) and BARE[text[i]]:
        i += 1
    return i


@borrowing
def _read_values(text: Bytes, i: int, starts: Ints, ends: Ints, value: int) -> tuple[int, int, int]:
    """Reads values after a '(' and the ')'. Returns how it ended, the next place or that of the fault, and the number
    of values so far."""
    n = len(text)
    i = _after_blanks(text, i)
    if i < n and text[i] == 41:
        return GOOD, i + 1, value
    while True:
        if i >= n:
            return ENDS, n, value
        if value == len(starts):
            return FULL, i, value
        if text[i] == 34:
            start = i + 1
            end = start
            while end < n and text[end] != 34:
                end += 1
            if end == n:
                return ENDS, i, value
            i = end + 1
        else:
            start = i
            end = _after_word(text, i)
            if end == start:
                return UNEXPECTED, i, value
            i = end
        starts[value] = start
        ends[value] = end
        value += 1
        i = _after_blanks(text, i)
        if i >= n:
            return ENDS, n, value
        if text[i] == 41:
            return GOOD, i + 1, value
        if text[i] != 44:
            return UNEXPECTED, i, value
        i = _after_blanks(text, i + 1)


@njit(cache=True, nogil=True)
def count_marks(text: Bytes) -> tuple[int, int, int]:
    """How many '@', '(' and ',' there are: bounds for the numbers of points, events with brackets, and values."""
    points, brackets, commas = 0, 0, 0
    for c in text:
        points += c == 64
        brackets += c == 40
        commas += c == 44
    return points, brackets, commas


@njit(cache=True, nogil=True)
def scan(text: Bytes, is_last: bool, before: int, names: Names, tokens: Tokens) -> tuple[int, int, int]:
    """Scans a text that begins between points; `before` is the last stamp before it; `is_last`: no text follows.

    Returns how it ended, the place of a fault, and the number of arguments of the event there. A point is complete if
    it ends with `;` or before a further `@`, or if no text follows. FULL: the tokens have no room for a further point.
    """
    # arrays by names of their own: to take one out of a tuple in a loop counts its uses every time
    stamps, types, points, firsts, starts, ends, complete, seen = tokens
    slots, words, word_starts, types_of = names
    n = len(text)
    i = 0
    point, event, value = 0, 0, 0
    set_progress(complete, 0, 0, 0, 0)
    set_progress(seen, 0, 0, 0, 0)
    is_open = False
    name = -1  # of the tuples to come
    name_at = 0
    is_bare = False  # whether the name has no tuple so far
    while True:
        i = _after_blanks(text, i)
        set_progress(seen, i, point, event, value)
        c = text[i] if i < n else np.uint8(0)
        if event == len(types):
            return FULL, i, 0
        if is_bare and (i < n or is_last) and c != 40:
            if types_of[name, 0] < 0:
                return ARITY, name_at, 0
            types[event] = types_of[name, 0]
            points[event] = point - 1
            firsts[event] = value
            event += 1
            is_bare = False
            continue
        if i >= n:
            if is_last:
                set_progress(complete, n, point, event, value)
            return GOOD, n, 0
        if c == 40:  # (
            if name < 0:
                return UNEXPECTED, i, 0
            first = value
            end, i, value = _read_values(text, i + 1, starts, ends, value)
            if end == ENDS and not is_last:
                return GOOD, n, 0
            if end != GOOD:
                return end, i, 0
            length = value - first
            if length >= types_of.shape[1] or types_of[name, length] < 0:
                return ARITY, name_at, length
            types[event] = types_of[name, length]
            points[event] = point - 1
            firsts[event] = first
            event += 1
            is_bare = False
        elif BARE[c]:
            if not is_open:
                return NO_POINT, i, 0
            end = _after_word(text, i)
            if end == n and not is_last:
                return GOOD, n, 0
            name = name_number(text, i, end, slots, words, word_starts)
            if name < 0:
                return UNKNOWN, i, 0
            name_at = i
            is_bare = True
            i = end
        elif c == 59 and is_open:  # ;
            i += 1
            is_open = False
            name = -1
            set_progress(complete, i, point, event, value)
        elif c == 64:  # @
            set_progress(complete, i, point, event, value)
            if point == len(stamps):
                return FULL, i, 0
            start = _after_blanks(text, i + 1)
            end = _after_word(text, start)
            if end == n and not is_last:
                return GOOD, n, 0
            stamp, is_integer = integer(text, start, end)
            if not is_integer:
                return STAMP, i, 0
            if stamp < before:
                return BACK, i, 0
            before = stamp
            stamps[point] = stamp
            point += 1
            is_open = True
            name = -1
            i = end
        else:
            return COMMAND if c == 62 else UNEXPECTED, i, 0
