"""Verdicts as tables: as they are told, or, resolved, the truth of each decided point."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.monitoring.propositional.arrays.points import offsets_in_trace
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.stream.kernels.resolving import FREE, resolve
from cep_core.monitoring.propositional.stream.kernels.state import EQUAL, TRUE, Told

VERDICTS = pa.schema(
    [
        ("ts", pa.int64()),
        ("offset", pa.int64()),
        ("verdict", pa.bool_()),
        ("equal_ts", pa.int64()),
        ("equal_offset", pa.int64()),
    ]
)
"""A verdict is true, false, or null: then it equals that of the earlier point at `equal_ts`, `equal_offset`."""
RESOLVED = pa.schema([("tp", pa.int64()), ("ts", pa.int64()), ("offset", pa.int64()), ("verdict", pa.bool_())])


def verdict_batch(verdicts: Told) -> pa.RecordBatch:
    """Verdicts in the order in which they are told. No number is copied, and Arrow is asked for no memory: the first
    block of its own pool takes milliseconds.

    >>> point, nothing = np.array([2]), np.array([0])
    >>> verdict_batch(Told(point, np.array([1]), np.array([2], np.int8), point, nothing, nothing)).to_pylist()
    [{'ts': 2, 'offset': 1, 'verdict': None, 'equal_ts': 2, 'equal_offset': 0}]
    """
    is_equal = verdicts.code == EQUAL
    equal = pa.py_buffer(np.packbits(is_equal, bitorder="little"))
    decided = pa.py_buffer(np.packbits(~is_equal, bitorder="little"))
    holds = pa.py_buffer(np.packbits(verdicts.code == TRUE, bitorder="little"))
    points, number = pa.int64(), len(is_equal)
    columns = [
        pa.array(verdicts.ts),
        pa.array(verdicts.offset),
        pa.Array.from_buffers(pa.bool_(), number, [decided, holds]),
        pa.Array.from_buffers(points, number, [equal, pa.py_buffer(verdicts.equal_ts)]),
        pa.Array.from_buffers(points, number, [equal, pa.py_buffer(verdicts.equal_offset)]),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=VERDICTS)


def sub_logs_of(verdicts: Told, before: int) -> Ints:
    """[verdicts] The number of the sub-log of each verdict; `before`: how many have begun before."""
    return np.searchsorted(verdicts.begins, np.arange(len(verdicts.ts)), side="right") + (before - 1)


class Truths(NamedTuple):
    """The decided points of a trace, in its order: their places, offsets, and truths."""

    place: Ints
    offset: Ints
    holds: Flags


def resolved_truths(verdicts: Iterable[Told], trace: Trace) -> Truths:
    """The truth of every decided point of a trace, from all that was told of it.

    Equivalences name earlier points, so one pass in order of time resolves them. Linear but for binary searches.
    """
    offsets = offsets_in_trace(trace)
    begins = np.flatnonzero(offsets == 0)  # the first point of each stamp of each sub-log
    distinct, rank = np.unique(trace.stamps[begins], return_inverse=True)
    log = np.searchsorted(trace.starts, begins, side="right") - 1
    keys = log * len(distinct) + rank
    # Sub-logs without points never begin.
    occupied = np.flatnonzero(np.diff(trace.starts) > 0)

    def place(log: Ints, ts: Ints, offset: Ints) -> Ints:
        key = occupied[log] * len(distinct) + np.searchsorted(distinct, ts)
        return begins[np.searchsorted(keys, key)] + offset

    truths = np.full(trace.points, FREE, np.int8)
    equal = np.arange(trace.points)
    logs = 0
    for some in verdicts:
        log = sub_logs_of(some, logs)
        logs += len(some.begins)
        is_equal = some.code == EQUAL
        here = place(log, some.ts, some.offset)
        truths[here[~is_equal]] = some.code[~is_equal]
        there = place(log[is_equal], some.equal_ts[is_equal], some.equal_offset[is_equal])
        equal[here[is_equal]] = there
    resolve(truths, equal)
    decided = np.flatnonzero(truths != FREE)
    return Truths(decided, offsets[decided], truths[decided] == TRUE)
