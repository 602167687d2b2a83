"""Finds the events and values in logs of one event a line, fields separated by commas: one pass over bytes.

`name,1,abc`: DejaVu's traces, each line a time-point; the last field may be its stamp. `name, tp=0, ts=7, x=1, y=abc`:
the CSV of the competition on runtime verification, where lines with equal `tp` are one time-point. Blanks around fields
do not count. A field between double quotes may hold commas and line ends; a doubled quote in it stands for one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.events.logs.reading.event_tokens import (
    ARITY,
    BACK,
    ENDS,
    GOOD,
    POINT,
    STAMP,
    TWO_STAMPS,
    UNEXPECTED,
    UNKNOWN,
    Names,
    Tokens,
    name_number,
    set_progress,
)
from cep_core.events.logs.reading.value_columns import Bytes, integer
from cep_core.inner_kernels import borrowing

UNTIMED, TIMED, KEYED = range(3)
"""The forms of a line: name and values; name, values and stamp; name, tp, ts, and values with their names."""


class Fields(NamedTuple):
    """What else a scan writes of values: `key_starts`, `key_ends` [values] the value's name; `doubled` [values] whether
    it holds doubled quotes. `numbers` [points]: `tp`."""

    key_starts: Ints
    key_ends: Ints
    doubled: Ints
    numbers: Ints


def fields_for(points: int, values: int) -> Fields:
    """Room for so many points and values."""
    return Fields(*(np.empty(size, np.int64) for size in (values, values, values, points)))


@borrowing
def _after_blanks(text: Bytes, i: int) -> int:
    while i < len(text) and (text[i] == 32 or text[i] == 9 or text[i] == 13):
        i += 1
    return i


@borrowing
def _read_value(text: Bytes, i: int, value: int, starts: Ints, ends: Ints, doubled: Ints) -> tuple[int, int]:
    """Reads a value from place `i`. Returns how it ended and the place of the comma or line end, or of the fault."""
    n = len(text)
    i = _after_blanks(text, i)
    doubled[value] = 0
    if i < n and text[i] == 34:
        start = i + 1
        end = start
        while True:
            while end < n and text[end] != 34:
                end += 1
            if end == n:
                return ENDS, i
            if end + 1 < n and text[end + 1] == 34:
                doubled[value] = 1
                end += 2
                continue
            break
        i = _after_blanks(text, end + 1)
        if i < n and text[i] != 44 and text[i] != 10:
            return UNEXPECTED, i
    else:
        start = i
        while i < n and text[i] != 44 and text[i] != 10:
            i += 1
        end = i
        while end > start and (text[end - 1] == 32 or text[end - 1] == 9 or text[end - 1] == 13):
            end -= 1
    starts[value] = start
    ends[value] = end
    return GOOD, i


@borrowing
def _read_line(text: Bytes, i: int, value: int, is_keyed: bool, tokens: Tokens, fields: Fields) -> tuple[int, int, int]:
    """Reads a line's fields. Returns how it ended, the place of the line end or fault, and the number of fields."""
    starts, ends = tokens.starts, tokens.ends
    key_starts, key_ends, doubled, _ = fields
    n = len(text)
    count = 0
    while True:
        i = _after_blanks(text, i)
        key_starts[value + count] = i
        key_ends[value + count] = i
        if is_keyed and count > 0:
            end = i
            while end < n and text[end] != 61 and text[end] != 44 and text[end] != 10:
                end += 1
            if end < n and text[end] != 61:
                return UNEXPECTED, i, count
            start, i = i, min(end + 1, n)
            while end > start and (text[end - 1] == 32 or text[end - 1] == 9):
                end -= 1
            key_ends[value + count] = end
        how, i = _read_value(text, i, value + count, starts, ends, doubled)
        if how != GOOD:
            return how, i, count
        count += 1
        if i >= n or text[i] == 10:
            return GOOD, i, count
        i += 1


@borrowing
def _is_key(text: Bytes, fields: Fields, value: int, second: int) -> bool:
    """Whether a value's name is `tp` or `ts`."""
    start = fields.key_starts[value]
    return fields.key_ends[value] - start == 2 and text[start] == 116 and text[start + 1] == second


@njit(cache=True, nogil=True)
def scan_lines(
    text: Bytes, is_last: bool, before: tuple[int, int], form: int, names: Names, tokens: Tokens, fields: Fields
) -> tuple[int, int, int]:
    """Scans a text that begins at a point; `before`: the last stamp and `tp` before it; `is_last`: no text follows.

    Returns how it ended, the place of a fault, and the number of arguments of the event there. A point is complete at
    the end of its line, or of the form KEYED before the first line of the next point.
    """
    # arrays by names of their own: to take one out of a tuple in a loop counts its uses every time
    stamps, types, points, firsts, starts, ends, complete, seen = tokens
    slots, words, word_starts, types_of = names
    numbers = fields.numbers
    n = len(text)
    i = 0
    point, event, value = 0, 0, 0
    last, number = before
    set_progress(complete, 0, 0, 0, 0)
    set_progress(seen, 0, 0, 0, 0)
    while True:
        while i < n and text[i] <= 32:
            i += 1
        set_progress(seen, i, point, event, value)
        if i >= n:
            if is_last:
                set_progress(complete, n, point, event, value)
            return GOOD, n, 0
        begin = i
        how, i, count = _read_line(text, i, value, form == KEYED, tokens, fields)
        if i >= n and not is_last:
            return GOOD, n, 0
        if how != GOOD:
            if how == ENDS and not is_last:
                return GOOD, n, 0
            return how, i, 0
        name = name_number(text, starts[value], ends[value], slots, words, word_starts)
        if name < 0:
            return UNKNOWN, begin, 0
        first, length = value + 1, count - 1
        stamp, is_stamp, is_new = 0, True, True
        if form == TIMED:
            length -= 1
            is_stamp = length >= 0
            if is_stamp:
                stamp, is_stamp = integer(text, starts[value + count - 1], ends[value + count - 1])
        elif form == KEYED:
            first, length = value + 3, count - 3
            if length < 0 or not _is_key(text, fields, value + 1, 112) or not _is_key(text, fields, value + 2, 115):
                return POINT, begin, 0
            at_point, is_point = integer(text, starts[value + 1], ends[value + 1])
            stamp, is_stamp = integer(text, starts[value + 2], ends[value + 2])
            if not is_point:
                return POINT, begin, 0
            is_new = at_point != number
            if at_point < number or (point == 0 and not is_new):
                return POINT, begin, 0
            number = at_point
        if not is_stamp:
            return STAMP, begin, 0
        if length >= types_of.shape[1] or types_of[name, length] < 0:
            return ARITY, begin, length
        if not is_new and stamp != last:
            return TWO_STAMPS, begin, 0
        if stamp < last:
            return BACK, begin, 0
        if is_new:
            if form == KEYED:
                set_progress(complete, begin, point, event, value)
            stamps[point] = stamp
            numbers[point] = number
            last = stamp
            point += 1
        types[event] = types_of[name, length]
        points[event] = point - 1
        firsts[event] = first
        event += 1
        value += count
        if form != KEYED:
            set_progress(complete, min(i + 1, n), point, event, value)


@njit(cache=True, nogil=True)
def find_keys(text: Bytes, firsts: Ints, length: int, fields: Fields, key: Bytes) -> Ints:
    """[events] The value of each event that has this name, -1 for none. `length`: the number of values of an event."""
    place = np.full(len(firsts), -1, np.int64)
    for event in range(len(firsts)):
        for value in range(firsts[event], firsts[event] + length):
            start = fields.key_starts[value]
            if fields.key_ends[value] - start == len(key):
                i = 0
                while i < len(key) and text[start + i] == key[i]:
                    i += 1
                if i == len(key):
                    place[event] = value
                    break
    return place
