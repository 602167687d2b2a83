"""The same trends, counted without a limit: for the windows whose numbers do not fit a machine word.

Numbers are L limbs of 32 bits in 64-bit words. Sums of limbs are taken word by word and carried once a vertex: a word
has room for 2**32 summands, more than a window's vertices times the template's edges (checked). The number of limbs
doubles until nothing is carried out of the last one, so at most half of the work is in vain.
O(n * edges * log n * L) time a window; overlapping windows stand side by side as in `lanes`. A count is never a float.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.trends.graph import NOTHING, Automaton, Bits, Comparisons, Flags, Ints, Limits, Vertices
from cep_core.trends.integers import Integers
from cep_core.trends.lanes import block_end, block_ranks, cut_off, lane_range
from cep_core.trends.ranked import longest_tie

FEWEST_LIMBS = 4
MOST_SUMMANDS = 1 << 32
LIMB = np.uint64(0xFFFFFFFF)
LIMB_BITS = np.uint64(32)


def count_exactly(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    weights: Bits,
    limits: Limits,
    first: Ints,
    last: Ints,
    partition: Ints,
    minima: Ints,
) -> list[Integers]:
    """The totals of `ranked.count_compared_windows` as unbounded integers: 1 + J columns, a row for each window.

    `weights[m, J, limbs]`: the weights as limbs of 32 bits, lowest first (`vertices.weights` is not read). Fills
    `minima[W, M]`. Raises OverflowError for a window of more than 2**32 / edges vertices.
    """
    edges = len(template.predecessors) + len(comparisons.source) + 1
    if len(first) and int((last - first).max()) * edges >= MOST_SUMMANDS:
        raise OverflowError(f"a window holds more than {MOST_SUMMANDS // edges:,} events of one partition")
    columns = [Integers(np.zeros(len(first), dtype=np.int64)) for _ in range(1 + weights.shape[1])]
    todo = np.arange(len(first))
    limbs = FEWEST_LIMBS
    while len(todo):
        totals = np.zeros((len(todo), 1 + weights.shape[1], limbs), np.uint64)
        smallest = np.full((len(todo), minima.shape[1]), NOTHING, np.int64)
        carried = np.zeros(len(todo), np.bool_)
        _count(
            template,
            comparisons,
            vertices,
            weights,
            limits.take(todo),
            first[todo],
            last[todo],
            partition[todo],
            totals,
            smallest,
            carried,
        )
        settled = todo[~carried]
        minima[settled] = smallest[~carried]
        for j, column in enumerate(columns):
            columns[j] = column.put(settled, integers_of(totals[~carried, j]))
        todo = todo[carried]
        limbs *= 2
    return columns


def integers_of(limbs: Bits) -> Integers:
    """A column of integers from limbs of 32 bits [n, limbs], lowest first.

    >>> integers_of(np.array([[5, 0, 0], [0, 0, 1]], dtype=np.uint64)).to_list()
    [5, 18446744073709551616]
    """
    high = limbs[:, 1]
    fits = ~limbs[:, 2:].any(axis=1) & (high < np.uint64(1 << 30))
    small = np.where(fits, limbs[:, 0] | (high << LIMB_BITS), np.uint64(0)).astype(np.int64)
    words = limbs.astype("<u4")
    return Integers(small, {int(n): int.from_bytes(words[n].tobytes(), "little") for n in np.flatnonzero(~fits)})


def limbs_of(weights: Ints) -> Bits:
    """Non-negative integers as limbs of 32 bits, lowest first: shape + (1 or 2,).

    >>> limbs_of(np.array([5, 2**32]))
    array([[5, 0],
           [0, 1]], dtype=uint64)
    """
    words = weights.astype(np.uint64)
    high = words >> LIMB_BITS
    return np.stack([words & LIMB, high], axis=-1) if high.any() else words[..., np.newaxis]


@njit(cache=True)
def _carry(words: Bits, begin: int, limbs: int) -> bool:
    """Bring each limb of the number at `begin` below 2**32. Returns whether the last one carried something out."""
    carry = np.uint64(0)
    for k in range(begin, begin + limbs):
        word = words[k] + carry
        words[k] = word & LIMB
        carry = word >> LIMB_BITS
    return carry != 0


@njit(cache=True)
def _add_product(words: Bits, number: int, count: int, limbs: int, weight: Bits) -> bool:
    """Add weight times the number at `count` to the one at `number`, and carry. Returns whether that does not fit."""
    lost = False
    for k in range(weight.shape[0]):
        if weight[k] == 0:
            continue
        for q in range(limbs):
            word = words[count + q] * weight[k]
            low = word & LIMB
            high = word >> LIMB_BITS
            if q + k < limbs:
                words[number + q + k] += low
            elif low != 0:
                lost = True
            if q + k + 1 < limbs:
                words[number + q + k + 1] += high
            elif high != 0:
                lost = True
    return _carry(words, number, limbs) or lost


@njit(cache=True)
def _count(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    weights: Bits,
    limits: Limits,
    first: Ints,
    last: Ints,
    partition: Ints,
    totals: Bits,
    minima: Ints,
    carried: Flags,
) -> None:
    """As `lanes.count_overlapping_windows`, each number `totals.shape[2]` limbs wide."""
    states = template.start.shape[0]
    compared = comparisons.source.shape[0]
    numbers = totals.shape[1]
    limbs = totals.shape[2]
    width = numbers * limbs
    extremes = vertices.codes.shape[1]
    limited = limits.starts_before.shape[0] > 0
    cut = comparisons.cut.any()
    room = longest_tie(vertices.tick) * states
    waiting_vertex = np.zeros(room, np.int64)
    waiting_state = np.zeros(room, np.int64)
    begin = 0
    while begin < first.shape[0]:
        end = block_end(first, last, partition, begin, width + extremes)
        lanes = end - begin
        start = first[begin]
        ranks, bounds, cells = block_ranks(comparisons, start, last[end - 1])
        most = 0
        for c in range(compared):
            most = max(most, cells[c])
        # Lane l's numbers stand at l * width, limb by limb, its minima at l * extremes.
        done = np.zeros((states, lanes * width), np.uint64)
        done_minima = np.full((states, lanes * extremes), NOTHING, np.int64)
        trees = np.zeros((compared, most + 1, lanes * width), np.uint64)
        trees_minima = np.full((compared, most + 1, lanes * extremes), NOTHING, np.int64)
        waiting = np.zeros((room, lanes * width), np.uint64)
        waiting_minima = np.full((room, lanes * extremes), NOTHING, np.int64)
        final = np.zeros(lanes * width, np.uint64)
        final_minima = np.full(lanes * extremes, NOTHING, np.int64)
        lost = np.zeros(lanes, np.bool_)
        # What each vertex committed, for edges that forget what negated matches cut off.
        span = last[end - 1] - start if cut else np.int64(0)
        kept = np.zeros((states, span, lanes * width), np.uint64)
        kept_minima = np.full((states, span, lanes * extremes), NOTHING, np.int64)
        present = np.zeros((states, span), np.bool_)
        floor = np.zeros(compared, np.int64)
        committed = np.int64(0)
        l0 = 0
        l1 = 0
        n = 0
        for i in range(start, last[end - 1]):
            if i > start and vertices.tick[i] != vertices.tick[i - 1]:
                x0, x1, y0, y1 = lane_range(l0, l1, width, extremes)
                for q in range(n):
                    s = waiting_state[q]
                    for x in range(x0, x1):
                        done[s, x] += waiting[q, x]
                    for y in range(y0, y1):
                        done_minima[s, y] = min(done_minima[s, y], waiting_minima[q, y])
                    if cut:
                        at = waiting_vertex[q] - start
                        present[s, at] = True
                        kept[s, at, x0:x1] = waiting[q, x0:x1]
                        kept_minima[s, at, y0:y1] = waiting_minima[q, y0:y1]
                    for c in range(compared):
                        at = ranks[c, waiting_vertex[q] - start]
                        if comparisons.source[c] != s or at == 0:
                            continue
                        equal = comparisons.equal[c]
                        while at <= cells[c]:
                            for x in range(x0, x1):
                                trees[c, at, x] += waiting[q, x]
                            for y in range(y0, y1):
                                trees_minima[c, at, y] = min(trees_minima[c, at, y], waiting_minima[q, y])
                            at = cells[c] + 1 if equal else at + (at & -at)
                n = 0
                committed = i - start
            while last[begin + l0] <= i:
                l0 += 1
            while l1 < lanes and first[begin + l1] <= i:
                l1 += 1
            x0, x1, y0, y1 = lane_range(l0, l1, width, extremes)
            for s in range(states):
                bit = np.uint64(1) << np.uint64(s)
                if not vertices.states[i] & bit:
                    continue
                waiting[n, x0:x1] = 0
                waiting_minima[n, y0:y1] = NOTHING
                if template.start[s]:
                    for lane in range(l0, l1):
                        if not limited or i < limits.starts_before[begin + lane, s]:
                            waiting[n, lane * width] = 1
                for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                    r = template.predecessors[e]
                    for x in range(x0, x1):
                        waiting[n, x] += done[r, x]
                    for y in range(y0, y1):
                        waiting_minima[n, y] = min(waiting_minima[n, y], done_minima[r, y])
                for c in range(compared):
                    if comparisons.target[c] != s:
                        continue
                    if comparisons.cut[c] and comparisons.since[c, i] - start > floor[c]:
                        r = comparisons.source[c]
                        since = comparisons.since[c, i] - start
                        cut_off(
                            trees[c],
                            trees_minima[c],
                            ranks[c],
                            cells[c],
                            comparisons.equal[c],
                            kept[r],
                            kept_minima[r],
                            present[r],
                            floor[c],
                            since,
                            committed,
                        )
                        floor[c] = since
                    at = bounds[c, i - start]
                    equal = comparisons.equal[c]
                    while at > 0:
                        for x in range(x0, x1):
                            waiting[n, x] += trees[c, at, x]
                        for y in range(y0, y1):
                            waiting_minima[n, y] = min(waiting_minima[n, y], trees_minima[c, at, y])
                        at = np.int64(0) if equal else at & (at - 1)
                own = waiting[n]
                found = False
                for lane in range(l0, l1):
                    count = lane * width
                    for j in range(numbers):
                        lost[lane] |= _carry(own, count + j * limbs, limbs)
                    if not own[count : count + limbs].any():
                        continue
                    found = True
                    for j in range(1, numbers):
                        if vertices.weighted[j - 1] & bit:
                            lost[lane] |= _add_product(own, count + j * limbs, count, limbs, weights[i, j - 1])
                    for j in range(extremes):
                        if vertices.coded[j] & bit:
                            y = lane * extremes + j
                            waiting_minima[n, y] = min(waiting_minima[n, y], vertices.codes[i, j])
                if not found:
                    continue
                if template.end[s]:
                    for lane in range(l0, l1):
                        if limited and i < limits.ends_from[begin + lane, s]:
                            continue
                        for x in range(lane * width, (lane + 1) * width):
                            final[x] += own[x]
                        for y in range(lane * extremes, (lane + 1) * extremes):
                            final_minima[y] = min(final_minima[y], waiting_minima[n, y])
                waiting_vertex[n] = i
                waiting_state[n] = s
                n += 1
            if lost[l0:l1].all() and l1 == lanes:
                break
        for lane in range(lanes):
            for j in range(numbers):
                at = lane * width + j * limbs
                lost[lane] |= _carry(final, at, limbs)
                totals[begin + lane, j] = final[at : at + limbs]
            for j in range(extremes):
                minima[begin + lane, j] = final_minima[lane * extremes + j]
            carried[begin + lane] = lost[lane]
        begin = end
