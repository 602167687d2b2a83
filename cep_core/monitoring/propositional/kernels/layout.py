"""The layout of a trace for the whole-log kernels: times, borders, and parts that fit into 64 bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Bits, Floats, Ints
from cep_core.inner_kernels import borrowing
from cep_core.monitoring.propositional.arrays.columns import WIDEST, WORD, PointColumns, WordTimes, unpacked
from cep_core.monitoring.propositional.arrays.trace import Trace

_ROOM = 9.2e18
"""A little less than 2**63."""
_SHORT = WIDEST // WORD
"""A word whose gaps are no longer has offsets that fit."""
Offsets = npt.NDArray[np.uint32]
_NONE = np.uint64(0)
_ONE = np.uint64(1)


def columns_of(trace: Trace, longest: int, *, closing: bool = True) -> Iterator[PointColumns]:
    """The layout of a trace, in parts of whole sub-logs whose times fit into 64 bits: in one part, but for extremes.

    `longest`: the largest number in an interval. `closing`: whether an empty point closes each sub-log. Raises
    ValueError where a single sub-log does not fit.

    >>> trace = Trace(np.array([7, 9, 3]), {}, np.array([0, 2, 3]))
    >>> [columns] = columns_of(trace, 2**30)
    >>> columns.times[: columns.places].tolist()
    [0, 2, 1073741827, 1073741827, 2147483652]
    >>> columns.points.tolist()
    [True, True, False, True, False]
    >>> [columns] = columns_of(trace, 2**30, closing=False)
    >>> columns.times[: columns.places].tolist(), columns.points
    ([0, 2, 2], None)
    """
    logs = len(trace.starts) - 1
    places = trace.points + logs
    if (longest + 1) * places < _ROOM:  # however far apart stamps are
        beyond = max(longest + 1, min(_SHORT, int(_ROOM) // max(places, 1)))
        yield _laid_out(trace, longest, beyond, closing)
        return
    reach = min(longest, _longest_span(trace), 2**63 - 2)
    lengths = _lengths(trace, reach + 1)
    if lengths.max() >= _ROOM:
        raise ValueError(
            f"an interval reaches over {longest} units of time, and a log's stamps are as far apart: "
            "such differences do not fit into 64 bits"
        )
    begin = 0
    while begin < logs:
        end = begin + int(np.searchsorted(np.cumsum(lengths[begin:]), _ROOM))
        own = trace.starts[begin : end + 1]
        yield _laid_out(Trace(trace.stamps[own[0] : own[-1]], {}, own - own[0]), reach, reach + 1, closing)
        begin = end


def _longest_span(trace: Trace) -> int:
    """The greatest difference of two stamps of a sub-log."""
    begin, end = trace.starts[:-1], trace.starts[1:]
    some = begin < end
    times = trace.stamps.view(np.uint64)
    return int((times[end[some] - 1] - times[begin[some]]).max(initial=0))


def _lengths(trace: Trace, beyond: int) -> Floats:
    """[sub-logs] How much time each takes, its empty point included."""
    times = trace.stamps.view(np.uint64)
    gaps = np.full(len(times), float(beyond))
    gaps[1:] = np.minimum(times[1:] - times[:-1], np.uint64(beyond))
    begins = trace.starts[:-1]
    gaps[begins[begins < trace.starts[1:]]] = beyond
    logs = len(begins)
    return np.bincount(np.repeat(np.arange(logs), np.diff(trace.starts)), gaps, logs).astype(np.float64)


def _laid_out(trace: Trace, reach: int, beyond: int, closing: bool) -> PointColumns:
    stamps, empty = trace.stamps, int(closing)
    starts = trace.starts + empty * np.arange(len(trace.starts))
    places = int(starts[-1])
    words = -(-places // WORD)
    times = WordTimes(
        np.empty(words, np.int64), np.empty(words, np.int64), np.empty(WORD * words, np.uint32), np.empty(0, np.int64)
    )
    first, last = np.zeros((2, words), np.uint64)
    mark_borders(starts, first, last)
    if lay_out(stamps, first, last if closing else np.zeros(words, np.uint64), beyond, times):
        gaps = np.zeros(WORD * words, np.int64)
        fill_gaps(stamps, starts, empty, beyond, gaps)
        times = times._replace(exact=np.cumsum(gaps))
    points = ~unpacked(last)[:places] if closing and len(starts) > 2 else None
    return PointColumns(starts, times, first, last, reach, points, len(stamps))


@njit(cache=True)
def fill_gaps(stamps: Ints, starts: Ints, empty: int, beyond: int, gaps: Ints) -> None:
    """[places] The time since the place before, as in `lay_out`. `gaps`: zeros."""
    limit = np.uint64(beyond)
    for sub_log in range(starts.shape[0] - 1):
        skipped = empty * sub_log
        end = starts[sub_log + 1] - empty
        for place in range(starts[sub_log] + 1, end):
            gap = np.uint64(stamps[place - skipped] - stamps[place - skipped - 1])
            gaps[place] = np.int64(gap) if gap < limit else beyond
        if empty and starts[sub_log] < end:
            gaps[end] = beyond


@njit(cache=True)
def mark_borders(starts: Ints, first: Bits, last: Bits) -> None:
    """Sets the bits of the first and last place of each sub-log, and `first` beyond the last place of all."""
    for sub_log in range(starts.shape[0] - 1):
        begin, final = starts[sub_log], starts[sub_log + 1] - 1
        if begin <= final:
            first[begin >> 6] |= _ONE << np.uint64(begin & 63)
            last[final >> 6] |= _ONE << np.uint64(final & 63)
    for place in range(starts[-1], WORD * first.shape[0]):
        first[place >> 6] |= _ONE << np.uint64(place & 63)


@njit(cache=True)
def lay_out(stamps: Ints, first: Bits, closings: Bits, beyond: int, times: WordTimes) -> bool:
    """Fills in the times of places. Whether a word is too long for offsets.

    `first`: the first places of sub-logs, and all beyond the last. `closings`: the empty points. No gap counts as
    longer than `beyond`, which is that before an empty point; none is before a first place.
    """
    wide = False
    time = 0  # of the place before
    point = np.uint64(0)  # the next one
    before = 0  # its stamp
    for word in range(first.shape[0]):
        own = stamps[point : point + np.uint64(WORD)]
        borders, empty = first[word], closings[word]
        offsets = times.offsets[WORD * word : WORD * (word + 1)]
        if borders <= _ONE and empty == _NONE:
            before = own[0] if borders else before
            begin, time = _lay_out_alike(own, before, time, beyond, offsets)
            point += np.uint64(WORD)
            before = own[-1]
        else:
            begin, time, before, points = _lay_out_with_borders(own, (borders, empty), before, time, beyond, offsets)
            point += points
        times.begins[word] = begin
        times.ends[word] = time
        wide |= time - begin > WIDEST
    return wide


@borrowing
def _lay_out_alike(stamps: Ints, before: int, time: int, beyond: int, offsets: Offsets) -> tuple[int, int]:
    """The offsets of a word in one sub-log, after a place with a stamp and a time. The times of its first and last."""
    limit = np.uint64(beyond)
    gap = np.uint64(stamps[0] - before)
    begin = time + int(min(gap, limit))
    if np.uint64(stamps[-1] - stamps[0]) <= limit:  # no gap is shortened: many at once
        earliest = stamps[0]
        for number in range(WORD):
            offsets[number] = min(stamps[number] - earliest, WIDEST)
        return begin, begin + (stamps[-1] - earliest)
    time = begin
    before = stamps[0]
    for number in range(WORD):
        time += int(min(np.uint64(stamps[number] - before), limit))
        offsets[number] = min(time - begin, WIDEST)
        before = stamps[number]
    return begin, time


@borrowing
def _lay_out_with_borders(
    stamps: Ints, borders: tuple[np.uint64, np.uint64], before: int, time: int, beyond: int, offsets: Offsets
) -> tuple[int, int, int, np.uint64]:
    """The same for a word with first places and empty points; also the stamp of its last point, and its points."""
    first, closings = borders
    limit = np.uint64(beyond)
    point, points = np.uint64(0), np.uint64(stamps.shape[0])
    begin = time
    if closings == _NONE and points == np.uint64(WORD):
        for number in range(WORD):
            place = np.uint64(number)
            inside = (first >> place & _ONE) - _ONE
            time += int(min(np.uint64(stamps[place] - before), limit) & inside)
            before = stamps[place]
            begin = begin if number else time
            offsets[place] = min(time - begin, WIDEST)
        return begin, time, before, points
    for number in range(WORD):
        place = np.uint64(number)
        inside = (first >> place & _ONE) - _ONE  # all bits, or none at first places: no branch
        gap = limit
        if closings >> place & _ONE == _NONE and point < points:
            gap = min(np.uint64(stamps[point] - before), limit)
            before = stamps[point]
            point += _ONE
        time += int(gap & inside)
        begin = begin if number else time
        offsets[number] = min(time - begin, WIDEST)
    return begin, time, before, point
