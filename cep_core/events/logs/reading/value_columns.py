"""Values in a text of bytes as columns: places [start, end) become integers, floats or strings.

Numba and Arrow read all values of a column at once: O(bytes), about 10 ns a value. Only a value that is no plain number
is looked at by Python.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from cep_core.arrays import Ints
from cep_core.events.schema import AttributeType
from cep_core.inner_kernels import borrowing

Bytes = npt.NDArray[np.uint8]
_BOOLEANS = {"true": 1, "false": 0, "1": 1, "0": 0}


class BadValue(ValueError):
    """A value that is not of its type; `index` says which."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


def column_of(text: Bytes, starts: Ints, ends: Ints, kind: AttributeType) -> pa.Array:
    """[values] The values at these places, of one type: int64, double or string; bool as the integers 0 and 1.

    Raises BadValue for the first value that is not of the type.

    >>> text = np.frombuffer(b"12,-7,abc", np.uint8)
    >>> column_of(text, np.array([0, 3]), np.array([2, 5]), AttributeType.INT).to_pylist()
    [12, -7]
    """
    match kind:
        case AttributeType.INT:
            values, bad = integers(text, starts, ends)
            if bad >= 0:
                raise BadValue(bad)
            return pa.array(values)
        case AttributeType.FLOAT:
            return _floats(_strings(text, starts, ends))
        case AttributeType.STRING:
            return _strings(text, starts, ends)
        case AttributeType.BOOL:
            words = _strings(text, starts, ends).to_pylist()
            for index, word in enumerate(words):
                if word not in _BOOLEANS:
                    raise BadValue(index)
            return pa.array([_BOOLEANS[word] for word in words], pa.int64())


def _floats(words: pa.StringArray) -> pa.Array:
    try:
        return pc.cast(words, pa.float64())
    except pa.ArrowInvalid:
        pass
    values = []
    for index, word in enumerate(words.to_pylist()):
        try:
            values.append(float(word))
        except ValueError:
            raise BadValue(index) from None
    return pa.array(values, pa.float64())


def _strings(text: Bytes, starts: Ints, ends: Ints) -> pa.StringArray:
    offsets = np.zeros(len(starts) + 1, np.int32)
    np.cumsum(ends - starts, out=offsets[1:])
    data = np.empty(offsets[-1], np.uint8)
    _copy(text, starts, ends, offsets, data)
    strings = pa.StringArray.from_buffers(len(starts), pa.py_buffer(offsets), pa.py_buffer(data))
    if len(data) and data.max() >= 0x80:
        _check_encoding(strings, offsets, data)
    return strings


def _check_encoding(strings: pa.StringArray, offsets: npt.NDArray[np.int32], data: Bytes) -> None:
    try:
        strings.validate(full=True)
    except pa.ArrowInvalid:
        for index in range(len(strings)):
            try:
                data[offsets[index] : offsets[index + 1]].tobytes().decode()
            except UnicodeDecodeError:
                raise BadValue(index) from None


@njit(cache=True, nogil=True)
def _copy(text: Bytes, starts: Ints, ends: Ints, offsets: npt.NDArray[np.int32], data: Bytes) -> None:
    for i in range(len(starts)):
        place = offsets[i]
        for j in range(starts[i], ends[i]):
            data[place] = text[j]
            place += 1


@njit(cache=True, nogil=True)
def integers(text: Bytes, starts: Ints, ends: Ints) -> tuple[Ints, int]:
    """The integers at these places, and the index of the first one that is none of 64 bits, or -1."""
    values = np.empty(len(starts), np.int64)
    for i in range(len(starts)):
        values[i], is_integer = integer(text, starts[i], ends[i])
        if not is_integer:
            return values, i
    return values, -1


@borrowing
def integer(text: Bytes, start: int, end: int) -> tuple[int, bool]:
    """The integer in [start, end) and whether there is one of 64 bits. Digits with or without a sign."""
    place = start
    negative = False
    if place < end and (text[place] == 45 or text[place] == 43):
        negative = text[place] == 45
        place += 1
    if place == end:
        return 0, False
    value = np.int64(0)  # negative, since there is one negative number more
    for i in range(place, end):
        digit = np.int64(text[i]) - 48
        if digit < 0 or digit > 9:
            return 0, False
        if value < -922337203685477580 or (value == -922337203685477580 and digit > 8):
            return 0, False
        value = value * 10 - digit
    if negative:
        return int(value), True
    return -int(value), bool(value != np.iinfo(np.int64).min)
