"""Lists the matches of SEQ(A, B+, C) under skip-till-any-match directly into the columns of the result.

For one last event c, the matches need only the positions of all a's and all b's, and for each b in the window the b's
that may follow it (the collapsed format of SASE++, section 5.2, and its enumeration). From one a, the walk goes depth
first over chains of b's. Each chain is a match, so no step is wasted. The chains of a later a are those that begin with
a later b. They are at the end of the matches that the first a has just listed, so they are copied. Every column is
written once, into buffers of one batch.

Assumes one state each for A, B and C, comparisons only on the edge B -> B, no negation, `seq` ascending in each
partition and at most MOST events of B in a window; otherwise use `listing`. The order is the same: by (seq, state) from
the first event to the last.
Cost for each last event with n b's in its window: O(n^2) comparisons, then O(length) for each match. Memory: n^2 / 2
successors and one batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import Ints
from cep_core.inner_kernels import inner
from cep_core.matching.arrays.network import Ends, Network, holds
from cep_core.matching.arrays.paths import LARGEST, BatchSize

MOST = 512
FIRST, CLOSURE, LAST = range(3)

Int32s = npt.NDArray[np.int32]


class Batch(NamedTuple):
    """n listed matches: match k binds `first[k]`, values[offsets[k]:offsets[k+1]] and `last[k]`, each by seq."""

    first_ts: Ints
    first: Ints
    offsets: Int32s
    values: Ints
    last_ts: Ints
    last: Ints
    jobs: Int32s
    """The number of the match's question."""


class Positions(NamedTuple):
    """Position lists: `a` and `b` have rows; `until_a[r]` and `until_b[r]` are how many of them are below row r."""

    a: Ints
    b: Ints
    until_a: Ints
    until_b: Ints
    after_a: Ints
    """For each a, the first b that may be later in time."""
    before: Ints
    """For each row, the first row of its partition that is not earlier in time."""


class ClosureEvents(NamedTuple):
    """The columns of a network's events that the listing reads."""

    lists: Positions
    seq: Ints
    ts: Ints


class _Walk(NamedTuple):
    """The state of the listing, kept so that the next batch can continue it."""

    at: Ints
    """[6] question; a (-1: the question has not begun); the next b to begin a chain with (-1: the a has not begun);
    depth; listed matches of the question; its first b."""
    begin: Int32s
    """[b] where the successors of each b of the question begin in the pool."""
    end: Int32s
    pool: Int32s
    here: Int32s
    """[depth] next successor in the pool."""
    stop: Int32s
    chain: Ints
    """[depth] the seq of the b; four entries longer, because it is copied four entries at a time."""
    match_of: Ints
    """[b] the first match of the batch whose chain begins with the b, for the last a that was listed by a walk."""
    value_of: Ints


def positions(network: Network, offsets: Ints, seq: Ints, questions: Ends) -> Positions | None:
    """The position lists, or None if `list_closures` does not apply."""
    m = len(seq)
    falls = np.flatnonzero(seq[1:] <= seq[:-1]) + 1
    if not np.isin(falls, offsets).all():
        return None
    until_a, until_b = (
        np.concatenate([[0], np.cumsum(flags, dtype=np.int64)])
        for flags in (network.starts[:, FIRST], network.fits[:, CLOSURE])
    )
    if len(questions.rows) and int((until_b[questions.rows + 1] - until_b[questions.lows]).max()) > MOST:
        return None
    before, after = np.empty(m, np.int64), np.empty(m, np.int64)
    _moments(network.tick, offsets, before, after)
    a, b = np.flatnonzero(network.starts[:, FIRST]), np.flatnonzero(network.fits[:, CLOSURE])
    return Positions(a, b, until_a, until_b, until_b[after[a]], before)


@njit(cache=True)
def _moments(tick: Ints, offsets: Ints, before: Ints, after: Ints) -> None:
    """For each row, the first row of its partition that is concurrent with it, and the first that is later."""
    for p in range(offsets.shape[0] - 1):
        low, high = offsets[p], offsets[p + 1]
        for row in range(low, high):
            before[row] = before[row - 1] if row > low and tick[row - 1] == tick[row] else row
        for row in range(high - 1, low - 1, -1):
            after[row] = after[row + 1] if row + 1 < high and tick[row + 1] == tick[row] else row + 1


@inner
def _successors(network: Network, b: Ints, edge: int, walk: _Walk, low: int, high: int) -> None:
    """Fills the pool with the b's that may follow each of b[low:high]."""
    condition, operator, left, right = network.condition, network.operator, network.left, network.right
    tick, begin, end, pool = network.tick, walk.begin, walk.end, walk.pool
    used = 0
    for i in range(low, high):
        begin[i - low] = used
        for j in range(i + 1, high):
            pool[used] = j - low
            follows = tick[b[j]] > tick[b[i]] and holds(condition, operator, left, right, edge, b[i], b[j])
            used += 1 if follows else 0
        end[i - low] = used


@njit(cache=True)
def _fill(
    network: Network, edge: int, events: ClosureEvents, questions: Ends, most: Ints, walk: _Walk, batch: Batch
) -> int:
    """Lists matches until the batch is full or all are listed. Returns the number of matches in the batch.

    Longer than 60 lines: the two ways to list the chains of an a, copying and walking, share all counters of the batch.
    Separate functions would pass a dozen numbers back and forth for each a.
    """
    lists, seq, ts = events
    ends, befores, begins = questions.rows, questions.befores, questions.begins
    a_rows, b_rows, until_a, until_b, after_a, before = lists
    at, begin, end, pool, cursor, stop, chain, match_of, value_of = walk
    first_ts, first, offsets, values, last_ts, last, jobs = batch
    count = 0
    used = 0
    offsets[0] = 0
    walked_until = -1  # the last complete listing of an a in this batch ends before this match; negative: none
    while at[0] < ends.shape[0]:
        k = at[0]
        if at[1] < 0:
            if most[k] == 0:
                at[0] += 1
                continue
            at[1], at[2], at[3], at[4] = until_a[begins[k]], -1, 0, 0
            at[5] = after_a[at[1]] if at[1] < a_rows.shape[0] else b_rows.shape[0]
            walked_until = -1
            _successors(network, b_rows, edge, walk, at[5], until_b[before[ends[k]]])
        low, high = at[5], until_b[before[ends[k]]]
        a = at[1]
        if a >= until_a[befores[k]] or after_a[a] >= high or at[4] == most[k]:
            at[0] += 1
            at[1] = -1
            continue
        segment = count
        full = False
        if at[2] < 0:
            top = after_a[a] - low
            if walked_until >= 0:
                matches, length = walked_until - match_of[top], offsets[walked_until] - value_of[top]
                if (
                    at[4] + matches <= most[k]
                    and count + matches <= first.shape[0]
                    and used + length <= values.shape[0] - 4
                ):
                    source, shift = match_of[top] + 1, used - value_of[top]
                    for q in range(matches):
                        offsets[count + 1 + q] = offsets[source + q] + shift
                    source = value_of[top]
                    for q in range(length):
                        values[used + q] = values[source + q]
                    count += matches
                    used += length
                    at[1] += 1
            if count == segment:
                at[2] = top
                walked_until = -2  # later a's may copy from this listing once it is complete
        if count == segment:
            top, depth, remaining = at[2], at[3], most[k] - at[4]
            while True:
                if depth == 0:
                    if top == high - low:
                        break
                    match_of[top], value_of[top] = count, used
                    chain[0], cursor[0], stop[0] = seq[b_rows[low + top]], begin[top], end[top]
                    top += 1
                    depth = 1
                if cursor[depth - 1] < stop[depth - 1]:
                    j = pool[cursor[depth - 1]]
                    cursor[depth - 1] += 1
                    chain[depth], cursor[depth], stop[depth] = seq[b_rows[low + j]], begin[j], end[j]
                    depth += 1
                    continue
                if count == first.shape[0] or used + depth > values.shape[0] - 4 or count - segment == remaining:
                    full = True
                    break
                q = 0
                while q < depth:
                    w, x, y, z = chain[q], chain[q + 1], chain[q + 2], chain[q + 3]
                    values[used + q], values[used + q + 1], values[used + q + 2], values[used + q + 3] = w, x, y, z
                    q += 4
                used += depth
                count += 1
                offsets[count] = used
                depth -= 1
            at[2], at[3] = top, depth
            if not full:
                at[1], at[2] = at[1] + 1, -1
                walked_until = count if walked_until == -2 else -1
        at[4] += count - segment
        end_row, first_row = ends[k], a_rows[a]
        for q in range(segment, count):
            first_ts[q] = ts[first_row]
            first[q] = seq[first_row]
        for q in range(segment, count):
            last_ts[q] = ts[end_row]
            last[q] = seq[end_row]
        for q in range(segment, count if jobs.shape[0] else segment):
            jobs[q] = k
        if full and at[4] < most[k]:
            return count
    return count


def list_closures(
    network: Network,
    events: ClosureEvents,
    questions: Ends,
    most: Ints,
    *,
    jobs: bool = True,
    size: BatchSize = LARGEST,
) -> Iterator[Batch]:
    """The first most[k] matches of each question k, in order, in batches; without `jobs`, that column is empty."""
    edge = next(
        edge for edge in range(int(network.begin[CLOSURE]), int(network.begin[LAST])) if network.target[edge] == CLOSURE
    )
    walk = _Walk(
        at=np.array([0, -1, -1, 0, 0, 0], np.int64),
        begin=np.empty(MOST, np.int32),
        end=np.empty(MOST, np.int32),
        pool=np.empty(MOST * MOST // 2 + 1, np.int32),
        here=np.empty(MOST + 1, np.int32),
        stop=np.empty(MOST + 1, np.int32),
        chain=np.zeros(MOST + 4, np.int64),
        match_of=np.empty(MOST, np.int64),
        value_of=np.empty(MOST, np.int64),
    )
    while walk.at[0] < len(questions.rows):
        batch = Batch(
            first_ts=np.empty(size.rows, np.int64),
            first=np.empty(size.rows, np.int64),
            offsets=np.empty(size.rows + 1, np.int32),
            values=np.empty(max(size.events, MOST) + 4, np.int64),
            last_ts=np.empty(size.rows, np.int64),
            last=np.empty(size.rows, np.int64),
            jobs=np.empty(size.rows if jobs else 0, np.int32),
        )
        n = _fill(network, edge, events, questions, most, walk, batch)
        if n:
            yield Batch(
                batch.first_ts[:n],
                batch.first[:n],
                batch.offsets[: n + 1],
                batch.values[: batch.offsets[n]],
                batch.last_ts[:n],
                batch.last[:n],
                batch.jobs[:n],
            )
