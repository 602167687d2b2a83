"""The layout of a trace for the whole-log kernels: times, borders, and parts that fit into 64 bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.monitoring.propositional.arrays.columns import WORD, PointColumns, packed
from cep_core.monitoring.propositional.arrays.trace import Trace

_ROOM = 9.2e18
"""A little less than 2**63."""


def columns_of(trace: Trace, longest: int) -> Iterator[PointColumns]:
    """The layout of a trace, in parts of whole sub-logs whose times fit into 64 bits: in one part, but for extremes.

    `longest`: the largest number in an interval. Raises ValueError where a single sub-log does not fit.

    >>> trace = Trace(np.array([7, 9, 3]), {}, np.array([0, 2, 3]))
    >>> [columns] = columns_of(trace, 1)
    >>> columns.times[: columns.places].tolist(), columns.points.tolist()
    ([0, 2, 4, 4, 6], [True, True, False, True, False])
    """
    starts = trace.starts + np.arange(len(trace.starts))
    gaps = np.zeros(int(starts[-1]), np.int64)
    fits = (longest + 1) * len(gaps) < _ROOM  # however far apart stamps are
    reach = longest if fits else min(longest, _longest_span(trace), 2**63 - 2)
    fill_gaps(trace.stamps, starts, reach + 1, gaps)
    if fits or float(gaps.sum(dtype=np.float64)) < _ROOM:
        yield _laid_out(gaps, starts, reach)
        return
    lengths = np.add.reduceat(gaps.astype(np.float64), starts[:-1])
    if lengths.max() >= _ROOM:
        raise ValueError(
            f"an interval reaches over {longest} units of time, and a log's stamps are as far apart: "
            "such differences do not fit into 64 bits"
        )
    begin = 0
    while begin < len(lengths):
        end = begin + int(np.searchsorted(np.cumsum(lengths[begin:]), _ROOM))
        own = starts[begin : end + 1]
        yield _laid_out(gaps[own[0] : own[-1]], own - own[0], reach)
        begin = end


def _longest_span(trace: Trace) -> int:
    """The greatest difference of two stamps of a sub-log."""
    begin, end = trace.starts[:-1], trace.starts[1:]
    some = begin < end
    times = trace.stamps.view(np.uint64)
    return int((times[end[some] - 1] - times[begin[some]]).max(initial=0))


@njit(cache=True)
def fill_gaps(stamps: Ints, starts: Ints, beyond: int, gaps: Ints) -> None:
    """[places] The time since the place before, at most `beyond`, which is that of an empty point; 0 at first places.

    `starts`: of the sub-logs' places. `gaps`: zeros.
    """
    limit = np.uint64(beyond)
    for sub_log in range(starts.shape[0] - 1):
        last = starts[sub_log + 1] - 1
        before = stamps[starts[sub_log] - sub_log] if starts[sub_log] < last else 0
        for place in range(starts[sub_log] + 1, last):
            now = stamps[place - sub_log]
            gap = np.uint64(now - before)
            gaps[place] = np.int64(gap) if gap < limit else beyond
            before = now
        if starts[sub_log] < last:
            gaps[last] = beyond


def _laid_out(gaps: Ints, starts: Ints, reach: int) -> PointColumns:
    words = -(-len(gaps) // WORD)
    times = np.empty(words * WORD, np.int64)
    np.cumsum(gaps, out=times[: len(gaps)])
    times[len(gaps) :] = times[len(gaps) - 1] if len(gaps) else 0
    first, last = np.zeros((2, words * WORD), np.bool_)
    first[starts[:-1]] = True
    first[len(gaps) :] = True
    last[starts[1:] - 1] = True
    points = None if len(starts) == 2 else ~last[: len(gaps)]
    return PointColumns(starts, times, packed(first), packed(last), reach, points)
