"""Finds stamps and names in logs of lines `@ts name name ...`: one pass over bytes, columns of bits out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Ints
from cep_core.events.logs.reading.value_columns import Bytes
from cep_core.inner_kernels import borrowing

GOOD, NO_STAMP, BAD_STAMP, BACK, UNEXPECTED, NO_TEXT = range(6)
"""How a scan ended: at the end of the text, or at a line that does not begin with @, with a stamp that is no whole
number of 64 bits, with a stamp before the last one, with a character that no name has, with bytes that are no text."""

_NEW_LINE, _AT, _MINUS, _ZERO, _NINE = 10, 64, 45, 48, 57
_LARGEST = np.uint64(2**63 - 1)
Columns = npt.NDArray[np.bool_]


class NamesWanted(NamedTuple):
    """The names to look for: their bytes, borders[i] .. borders[i + 1]; `slots`: a hash table of numbers, -1 free."""

    text: Bytes
    borders: Ints
    slots: Ints


@njit(cache=True)
def _after(code: int, byte: int) -> int:
    """The hash code of a name that goes on with a byte."""
    return ((code ^ byte) * 0x100000001B3) & 0x7FFFFFFFFFFFFFFF


def wanted(names: list[str]) -> NamesWanted:
    """A table of names."""
    encoded = [name.encode() for name in names]
    slots = np.full(4 << len(names).bit_length(), -1, np.int64)
    for number, name in enumerate(encoded):
        code = 0
        for byte in name:
            code = _after(code, byte)
        place = code & (len(slots) - 1)
        while slots[place] >= 0:
            place = (place + 1) & (len(slots) - 1)
        slots[place] = number
    borders = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return NamesWanted(np.frombuffer(b"".join(encoded), np.uint8), borders, slots)


@borrowing
def _number_of(names: NamesWanted, text: Bytes, begin: int, end: int, code: int) -> int:
    """The number of the name text[begin:end], -1 if it is not wanted."""
    place = code & (names.slots.shape[0] - 1)
    while names.slots[place] >= 0:
        number = names.slots[place]
        first = names.borders[number]
        length = names.borders[number + 1] - first
        if length == end - begin:
            same = 0
            while same < length and names.text[first + same] == text[begin + same]:
                same += 1
            if same == length:
                return number
        place = (place + 1) & (names.slots.shape[0] - 1)
    return -1


@borrowing
def _is_in_name(byte: int) -> bool:
    """Letters, digits, _ - . : / and all bytes beyond ASCII."""
    return (
        97 <= byte <= 122
        or 65 <= byte <= 90
        or 45 <= byte <= 58  # - . / digits :
        or byte == 95
        or byte >= 128
    )


@borrowing
def _letter_length(text: Bytes, i: int, end: int) -> int:
    """The number of bytes of a letter beyond ASCII in UTF-8; 0 if they are no letter."""
    byte = text[i]
    length = 2 if 0xC2 <= byte <= 0xDF else 3 if 0xE0 <= byte <= 0xEF else 4 if 0xF0 <= byte <= 0xF4 else 0
    if length == 0 or i + length > end:
        return 0
    for j in range(i + 1, i + length):
        if text[j] & 0xC0 != 0x80:
            return 0
    second = text[i + 1]
    if (byte == 0xE0 and second < 0xA0) or (byte == 0xED and second > 0x9F):
        return 0
    if (byte == 0xF0 and second < 0x90) or (byte == 0xF4 and second > 0x8F):
        return 0
    return length


@njit(cache=True)
def scan_names(
    text: Bytes, begin: int, before: int, names: NamesWanted, stamps: Ints, columns: Columns, progress: Ints
) -> int:
    """Scans whole lines from `begin` on. Gives how it ended; `before`: the stamp of the last point.

    progress: in, the number of points so far; out, with those of this text, and the place of a fault. columns[name,
    point] is all False behind the points so far. The last line need not have an end.
    """
    size = text.shape[0]
    point = progress[0]
    i = begin
    while i < size:
        while i < size and (text[i] <= 32 and text[i] in (32, 9, 13, _NEW_LINE)):
            i += 1
        if i == size:
            break
        if text[i] != _AT:
            return _fault(NO_STAMP, point, i, progress)
        line, i = i, i + 1
        negative = i < size and text[i] == _MINUS
        i += negative
        while i + 1 < size and text[i] == _ZERO and _ZERO <= text[i + 1] <= _NINE:
            i += 1
        first, number = i, np.uint64(0)
        while i < size and _ZERO <= text[i] <= _NINE and i - first < 20:
            number = number * np.uint64(10) + np.uint64(text[i] - _ZERO)
            i += 1
        is_whole = 0 < i - first < 20 and number <= _LARGEST + np.uint64(negative)
        if not is_whole or (i < size and text[i] > 32):
            return _fault(BAD_STAMP, point, line, progress)
        stamp = int(np.int64(np.uint64(0) - number if negative else number))
        if stamp < before:
            return _fault(BACK, point, line, progress)
        end = _line_of_names(text, i, names, columns, point)
        if end < 0:
            for name in range(columns.shape[0]):
                columns[name, point] = False
            return _fault(NO_TEXT if text[-end - 1] >= 128 else UNEXPECTED, point, -end - 1, progress)
        i = end
        stamps[point] = stamp
        before = stamp
        point += 1
    return _fault(GOOD, point, size, progress)


@borrowing
def _line_of_names(text: Bytes, i: int, names: NamesWanted, columns: Columns, point: int) -> int:
    """Sets the bits of the names up to the end of the line. Gives its place; that of a fault as -1 - place."""
    size = text.shape[0]
    while i < size and text[i] != _NEW_LINE:
        byte = text[i]
        if byte == 32 or byte == 9 or byte == 13:
            i += 1
            continue
        begin, code = i, 0
        while i < size and _is_in_name(text[i]):
            length = 1 if text[i] < 128 else _letter_length(text, i, size)
            if length == 0:
                return -1 - i
            for j in range(i, i + length):
                code = _after(code, np.int64(text[j]))
            i += length
        if i == begin:
            return -1 - i
        number = _number_of(names, text, begin, i, code)
        if number >= 0:
            columns[number, point] = True
    return i


@borrowing
def _fault(end: int, points: int, at: int, progress: Ints) -> int:
    progress[0] = points
    progress[1] = at
    return end
