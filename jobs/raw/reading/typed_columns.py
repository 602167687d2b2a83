"""Texts at places in a block become a column of the declared type. Tells the rows whose text is no such value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from cep_core.arrays import Flags
from jobs.raw.reading.kernels.number_values import LEFT, PRESENT, WRONG, read_floats, read_integers, read_truths
from jobs.raw.reading.kernels.row_places import Bytes, Places
from jobs.raw.reading.kernels.time_values import read_days, read_stamps

ARROW_TYPES: dict[str, pa.DataType] = {
    "STRING": pa.string(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us", "UTC"),
}
"""The Arrow type of each declared type."""

_READERS: dict[str, tuple[Callable[..., None], type[np.generic]]] = {
    "BIGINT": (read_integers, np.int64),
    "DOUBLE": (read_floats, np.float64),
    "BOOLEAN": (read_truths, np.uint8),
    "DATE": (read_days, np.int32),
    "TIMESTAMP": (read_stamps, np.int64),
}


@njit(cache=True, nogil=True)
def leave_out_missing(text: Bytes, starts: Places, stops: Places, missing: Bytes) -> None:
    """Marks values that are the empty text, or the text for a missing value, as absent: they begin at -1 then."""
    for row in range(len(starts)):
        start = starts[row]
        length = stops[row] - start
        if start < 0 or length == 0:
            starts[row] = stops[row] = -1
        elif length == len(missing):
            i = 0
            while i < length and text[start + i] == missing[i]:
                i += 1
            if i == length:
                starts[row] = stops[row] = -1


@njit(cache=True, nogil=True)
def _copy(text: Bytes, starts: Places, stops: Places, offsets: Places, to: Bytes) -> None:
    for row in range(len(starts)):
        begin = offsets[row]
        for i in range(offsets[row + 1] - begin):
            to[begin + i] = text[starts[row] + i]


def texts_at(text: Bytes, starts: Places, stops: Places) -> pa.Array:
    """The texts as a column; null where a text is absent. Assumes UTF-8."""
    offsets = np.zeros(len(starts) + 1, np.int32)
    np.cumsum(stops - starts, out=offsets[1:])
    copied = np.empty(offsets[-1], np.uint8)
    _copy(text, starts, stops, offsets, copied)
    buffers = [_bits(starts >= 0), pa.py_buffer(offsets), pa.py_buffer(copied)]
    return pa.StringArray.from_buffers(len(starts), buffers[1], buffers[2], buffers[0])


def column_at(kind: str, text: Bytes, starts: Places, stops: Places) -> tuple[pa.Array, Flags]:
    """The column of a declared type, and [rows] which of its texts are no value of the type; they are null."""
    if kind == "STRING":
        return texts_at(text, starts, stops), np.zeros(len(starts), np.bool_)
    read, dtype = _READERS[kind]
    values, states = np.empty(len(starts), dtype), np.empty(len(starts), np.uint8)
    read(text, starts, stops, values, states)
    if kind == "DOUBLE":
        _round_left(text, starts, stops, values, states)
    data = _bits(values != 0) if kind == "BOOLEAN" else pa.py_buffer(values)
    column = pa.Array.from_buffers(ARROW_TYPES[kind], len(starts), [_bits(states == PRESENT), data])
    return column, states == WRONG


def _round_left(text: Bytes, starts: Places, stops: Places, values: npt.NDArray[Any], states: Bytes) -> None:
    """Decimals that are not one exact operation away; what is beyond the largest double is no value."""
    left = np.flatnonzero(states == LEFT)
    if len(left):
        numbers = pc.utf8_ltrim(pc.utf8_trim(texts_at(text, starts[left], stops[left]), " \t"), "+")
        rounded = np.asarray(pc.cast(numbers, pa.float64()))
        values[left] = rounded
        states[left] = np.where(np.isfinite(rounded), PRESENT, WRONG)


def _bits(flags: Flags) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))
