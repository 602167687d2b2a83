"""The same trends, counted without a limit: for the windows whose numbers do not fit a machine word.

Numbers are L limbs of 32 bits in 64-bit words. Sums of limbs are taken word by word and carried once a vertex: a word
has room for 2**32 summands, more than a window's vertices times the template's edges (checked). The number of limbs
doubles until nothing is carried out of the last one, so at most half of the work is in vain.
O(n * edges * log n * L) time a window; O(values * edges * L) space. A count is never a float.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.trends.graph import NOTHING, Automaton, Bits, Comparisons, Flags, Ints, Vertices
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
    first: Ints,
    last: Ints,
    partition: Ints,
    minima: Ints,
) -> list[list[int]]:
    """The totals of `ranked.count_compared_windows` as unbounded integers, a list of 1 + J for each window.

    `weights[m, J, limbs]`: the weights as limbs of 32 bits, lowest first (`vertices.weights` is not read). Fills
    `minima[W, M]`. Raises OverflowError for a window of more than 2**32 / edges vertices.
    """
    edges = len(template.predecessors) + len(comparisons.source) + 1
    if len(first) and int((last - first).max()) * edges >= MOST_SUMMANDS:
        raise OverflowError(f"a window holds more than {MOST_SUMMANDS // edges:,} events of one partition")
    results: list[list[int]] = [[] for _ in range(len(first))]
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
            first[todo],
            last[todo],
            partition[todo],
            totals,
            smallest,
            carried,
        )
        minima[todo[~carried]] = smallest[~carried]
        words = totals.astype("<u4")
        for place in np.flatnonzero(~carried):
            results[todo[place]] = [int.from_bytes(number.tobytes(), "little") for number in words[place]]
        todo = todo[carried]
        limbs *= 2
    return results


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
def _carry(number: Bits) -> bool:
    """Bring every limb below 2**32. Returns whether something was carried out of the last one."""
    carry = np.uint64(0)
    for k in range(number.shape[0]):
        word = number[k] + carry
        number[k] = word & LIMB
        carry = word >> LIMB_BITS
    return carry != 0


@njit(cache=True)
def _add_product(number: Bits, count: Bits, weight: Bits) -> bool:
    """number += count * weight, carried. Returns whether the result does not fit."""
    limbs = number.shape[0]
    lost = False
    for k in range(weight.shape[0]):
        if weight[k] == 0:
            continue
        for q in range(limbs):
            word = count[q] * weight[k]
            low = word & LIMB
            high = word >> LIMB_BITS
            if q + k < limbs:
                number[q + k] += low
            elif low != 0:
                lost = True
            if q + k + 1 < limbs:
                number[q + k + 1] += high
            elif high != 0:
                lost = True
    return _carry(number) or lost


@njit(cache=True)
def _count(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    weights: Bits,
    first: Ints,
    last: Ints,
    partition: Ints,
    totals: Bits,
    minima: Ints,
    carried: Flags,
) -> None:
    states = template.start.shape[0]
    compared = comparisons.source.shape[0]
    numbers = totals.shape[1]
    limbs = totals.shape[2]
    extremes = vertices.codes.shape[1]
    done = np.zeros((states, numbers, limbs), np.uint64)
    done_minima = np.full((states, extremes), NOTHING, np.int64)
    most_ranks = np.int64(0)
    for w in range(first.shape[0]):
        most_ranks = max(most_ranks, comparisons.ranks[partition[w]])
    trees = np.zeros((compared, most_ranks + 1, numbers, limbs), np.uint64)
    trees_minima = np.full((compared, most_ranks + 1, extremes), NOTHING, np.int64)
    room = longest_tie(vertices.tick) * states
    waiting = np.zeros((room, numbers, limbs), np.uint64)
    waiting_minima = np.full((room, extremes), NOTHING, np.int64)
    waiting_vertex = np.zeros(room, np.int64)
    waiting_state = np.zeros(room, np.int64)
    for w in range(first.shape[0]):
        ranks = comparisons.ranks[partition[w]]
        done[:] = 0
        done_minima[:] = NOTHING
        trees[:, : ranks + 1] = 0
        trees_minima[:, : ranks + 1] = NOTHING
        lost = False
        n = 0
        for i in range(first[w], last[w]):
            if i > first[w] and vertices.tick[i] != vertices.tick[i - 1]:
                for q in range(n):
                    s = waiting_state[q]
                    for j in range(numbers):
                        for k in range(limbs):
                            done[s, j, k] += waiting[q, j, k]
                    for j in range(extremes):
                        done_minima[s, j] = min(done_minima[s, j], waiting_minima[q, j])
                    for c in range(compared):
                        at = np.int64(comparisons.rank[waiting_vertex[q], c])
                        if comparisons.source[c] != s or at == 0:
                            continue
                        while at <= ranks:
                            for j in range(numbers):
                                for k in range(limbs):
                                    trees[c, at, j, k] += waiting[q, j, k]
                            for j in range(extremes):
                                trees_minima[c, at, j] = min(trees_minima[c, at, j], waiting_minima[q, j])
                            at = at + (at & -at) if not comparisons.equal[c] else ranks + 1
                n = 0
            for s in range(states):
                bit = np.uint64(1) << np.uint64(s)
                if not vertices.states[i] & bit:
                    continue
                own = waiting[n]
                own_minima = waiting_minima[n]
                own[:] = 0
                if template.start[s]:
                    own[0, 0] = 1
                own_minima[:] = NOTHING
                for e in range(template.first_predecessor[s], template.first_predecessor[s + 1]):
                    r = template.predecessors[e]
                    for j in range(numbers):
                        for k in range(limbs):
                            own[j, k] += done[r, j, k]
                    for j in range(extremes):
                        own_minima[j] = min(own_minima[j], done_minima[r, j])
                for c in range(compared):
                    if comparisons.target[c] != s:
                        continue
                    at = np.int64(comparisons.bound[i, c])
                    while at > 0:
                        for j in range(numbers):
                            for k in range(limbs):
                                own[j, k] += trees[c, at, j, k]
                        for j in range(extremes):
                            own_minima[j] = min(own_minima[j], trees_minima[c, at, j])
                        at = at & (at - 1) if not comparisons.equal[c] else np.int64(0)
                for j in range(numbers):
                    lost |= _carry(own[j])
                if not own[0].any():
                    continue
                for j in range(numbers - 1):
                    if vertices.weighted[j] & bit:
                        lost |= _add_product(own[1 + j], own[0], weights[i, j])
                for j in range(extremes):
                    if vertices.coded[j] & bit:
                        own_minima[j] = min(own_minima[j], vertices.codes[i, j])
                if template.end[s]:
                    for j in range(numbers):
                        for k in range(limbs):
                            totals[w, j, k] += own[j, k]
                    for j in range(extremes):
                        minima[w, j] = min(minima[w, j], own_minima[j])
                waiting_vertex[n] = i
                waiting_state[n] = s
                n += 1
            if lost:
                break
        for j in range(numbers):
            lost |= _carry(totals[w, j])
        carried[w] = lost
