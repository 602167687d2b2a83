"""Counts matches without listing them, under skip-till-any-match.

For one last event e, walk backwards over the window and count for every node (row, state) the ways to complete a match
at e: ways(i, s) = sum of ways(j, t) over the edges (i, s) -> (j, t), with ways(e, accepting) = 1; the matches that end
at e are the ways of all starting nodes (GRETA's recurrence, section 4.2, from the end). Counting from the end gives the
count of each last event, which is what days, listings and compact results need. Last events whose windows overlap share
one walk, a lane each, so that additions run in SIMD and a comparison is made once for all of them.

Cost for each last event with n rows in its window: O(n E) additions; an edge whose comparisons are one comparison by
order adds O(log n) a node (a Fenwick tree over the later events' places), any other edge with comparisons O(n). No
cost depends on the number of matches. Counts are exact at any size: 61-bit integers that stop at a limit, and for those
that reach it residues modulo as many coprime numbers as the count asks for, joined by the Chinese remainder theorem.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd, prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.matching.network import ANY_STATE, LONG, Ends, Ints, Network, begins, holds

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]

LIMIT = 1 << 61
"""Counts below it are plain; two that reach it add without wrapping a 64-bit integer."""


UNBOUNDED = -1
"""Instead of a modulus: counts neither stop nor turn over, for floats."""

LANES = 64
"""At most so many last events share a walk."""
SCRATCH = 1 << 23
"""Integers of working memory for which fewer lanes are taken."""


class Scratch(NamedTuple):
    """Room for walks over up to n rows with up to L lanes: `ways` is the outcome, the rest is working memory."""

    ways: Numbers
    """[n, S, L]"""
    totals: Numbers
    """[S, L] over the rows that come later than the one in hand"""
    members: Ints
    """[S, n] those rows where ways are left"""
    sizes: Ints
    """[S]"""
    trees: Numbers
    """[C, largest place + 1, L] Fenwick trees of ways by `Network.store`, one for each comparison"""


def scratch_for(network: Network, longest: int, lanes: int = 1) -> Scratch:
    """Working memory for windows of up to `longest` rows, walked in up to `lanes` lanes of at most 2 `longest` rows."""
    states, comparisons = network.fits.shape[1], len(network.operator)
    rows = longest if lanes == 1 else 2 * longest
    places = 1 + int(network.store.max(initial=0)) if rows > LONG else 1
    lanes = max(1, min(lanes, SCRATCH // (rows * states + comparisons * places + 1)))
    return Scratch(
        ways=np.empty((rows, states, lanes), np.int64),
        totals=np.empty((states, lanes), np.int64),
        members=np.empty((states, rows), np.int64),
        sizes=np.empty(states, np.int64),
        trees=np.zeros((comparisons, places, lanes), np.int64),
    )


@njit(cache=True)
def complete_ways(network: Network, low: int, ends: Ints, ending: Ints, modulus: int, scratch: Scratch) -> None:
    """Fills scratch.ways[row - low, state, lane] for the rows low..ends[-1]; `ends` ascend, a lane each.

    `ending`: the state in which the matches of a lane end, or ANY_STATE.

    Counts stop at LIMIT; with a modulus they are residues.
    """
    # arrays are unpacked here because fetching one from a tuple inside a loop counts its references
    tick, fits, accepts = network.tick, network.fits, network.accepts
    begin, target, condition = network.begin, network.target, network.condition
    operator, left, right, store, query = network.operator, network.left, network.right, network.store, network.query
    ways, totals, members, sizes, trees = scratch
    states = fits.shape[1]
    edges = target.shape[0]
    lanes = ends.shape[0]
    end = ends[lanes - 1]
    long = end - low >= LONG
    totals[:] = 0
    sizes[:] = 0
    ready = end + 1  # rows from here on come strictly later than the one in hand
    for row in range(end, low - 1, -1):
        while ready - 1 > row and tick[ready - 1] > tick[row]:
            ready -= 1
            for s in range(states):
                if not fits[ready, s]:
                    continue
                for lane in range(lanes):
                    totals[s, lane] = _plus(totals[s, lane], ways[ready - low, s, lane], modulus)
                members[s, sizes[s]] = ready
                sizes[s] += 1
                if long:
                    for edge in range(edges):
                        c = condition[edge]
                        if target[edge] == s and c < condition[edge + 1] and query[c, ready] >= 0:
                            place = store[c, ready]
                            while 0 < place < trees.shape[1]:
                                for lane in range(lanes):
                                    more = ways[ready - low, s, lane]
                                    trees[c, place, lane] = _plus(trees[c, place, lane], more, modulus)
                                place += place & -place
        for s in range(states):
            for lane in range(lanes):
                ways[row - low, s, lane] = 0
            if not fits[row, s]:
                continue
            for edge in range(begin[s], begin[s + 1]):
                t, c = target[edge], condition[edge]
                if c == condition[edge + 1]:
                    for lane in range(lanes):
                        count = ways[row - low, s, lane]
                        ways[row - low, s, lane] = _plus(count, totals[t, lane], modulus)
                elif long and query[c, row] >= 0:
                    place = query[c, row]
                    while place > 0:
                        for lane in range(lanes):
                            count = ways[row - low, s, lane]
                            ways[row - low, s, lane] = _plus(count, trees[c, place, lane], modulus)
                        place -= place & -place
                else:
                    for k in range(sizes[t]):
                        later = members[t, k]
                        if holds(condition, operator, left, right, edge, row, later):
                            for lane in range(lanes):
                                count = ways[row - low, s, lane]
                                ways[row - low, s, lane] = _plus(count, ways[later - low, t, lane], modulus)
            if accepts[row, s]:
                lane = lanes - 1
                while lane >= 0 and ends[lane] >= row:
                    if ends[lane] == row and (ending[lane] == ANY_STATE or ending[lane] == s):
                        ways[row - low, s, lane] = 1
                    lane -= 1
    if long:
        _clear(condition, target, store, members, sizes, trees)


@njit(cache=True)
def _clear(condition: Ints, target: Ints, store: Ints, members: Ints, sizes: Ints, trees: Ints) -> None:
    """Undoes every insertion into the trees, at the same cost."""
    for edge in range(target.shape[0]):
        c, t = condition[edge], target[edge]
        if c == condition[edge + 1]:
            continue
        for k in range(sizes[t]):
            place = store[c, members[t, k]]
            while 0 < place < trees.shape[1]:
                trees[c, place] = 0
                place += place & -place


@njit(cache=True)
def _plus(one: int, other: int, modulus: int) -> int:
    total = one + other
    if modulus > 0:
        return total - modulus if total >= modulus else total
    return total if modulus == UNBOUNDED else min(total, LIMIT)


@njit(cache=True)
def _count_all(network: Network, questions: Ends, modulus: int, scratch: Scratch, counts: Numbers) -> None:
    """counts[k]: the paths of each question, whose rows ascend; LIMIT if more."""
    starts, since, ways = network.starts, network.since, scratch.ways
    ends, ending, windows, lows, befores = questions
    states = starts.shape[1]
    first = 0
    while first < ends.shape[0]:
        low = lows[first]
        most = low + 2 * (ends[first] - low + 1)
        after = first + 1
        while (
            after < ends.shape[0]
            and after - first < ways.shape[2]
            and lows[after] <= ends[after - 1]
            and ends[after] < most
        ):
            low = min(low, lows[after])
            after += 1
        complete_ways(network, low, ends[first:after], ending[first:after], modulus, scratch)
        for k in range(first, after):
            count = 0
            for row in range(lows[k], befores[k]):
                for s in range(states):
                    if begins(starts, since, row, s, windows[k]):
                        count = _plus(count, ways[row - low, s, k - first], modulus)
            counts[k] = count
        first = after


def count_matches(network: Network, questions: Ends) -> tuple[Ints, dict[int, int]]:
    """For each question the number of its matches.

    Returns int64 counts and, by k, the exact counts of those that int64 cannot hold (their entry is LIMIT).
    """
    ends, lows = questions.rows, questions.begins
    counts = np.zeros(len(ends), np.int64)
    if not len(ends):
        return counts, {}
    order = np.lexsort((lows, ends))
    scratch = scratch_for(network, int((ends - lows).max()) + 1, LANES)
    ascending = np.empty_like(counts)
    _count_all(network, questions.take(order), 0, scratch, ascending)
    counts[order] = ascending
    large = order[ascending == LIMIT]
    exact = _count_large(network, questions.take(large), scratch) if len(large) else []
    return counts, dict(zip(large.tolist(), exact, strict=True))


def _count_large(network: Network, questions: Ends, scratch: Scratch) -> list[int]:
    """Counts of any size from their residues; the questions' rows ascend."""
    ends = questions.rows
    moduli = coprime_moduli(_bits(network, questions, scratch))
    residues = []
    for modulus in moduli:
        counts = np.zeros(len(ends), np.int64)
        _count_all(network, questions, modulus, scratch, counts)
        residues.append(counts.tolist())
    whole = prod(moduli)
    weights = [whole // m * pow(whole // m, -1, m) for m in moduli]
    return [sum(r * w for r, w in zip(column, weights, strict=True)) % whole for column in zip(*residues, strict=True)]


def _bits(network: Network, questions: Ends, scratch: Scratch) -> int:
    """How many bits the largest of the counts has at most.

    The same walk in floats says it closely, since sums of positive numbers keep their relative precision; beyond their
    range each event is in no state of a match, or in one that it fits.
    """
    floats = scratch._replace(
        ways=np.empty(scratch.ways.shape),
        totals=np.empty(scratch.totals.shape),
        trees=np.zeros(scratch.trees.shape),
    )
    sizes = np.zeros(len(questions.rows))
    _count_all(network, questions, UNBOUNDED, floats, sizes)
    largest = float(sizes.max())
    if np.isfinite(largest):
        return int(np.log2(largest)) + 2
    before = np.concatenate([[0.0], np.cumsum(np.log2(1.0 + network.fits.sum(axis=1)))])
    return int((before[questions.rows + 1] - before[questions.begins]).max() * (1 + 1e-9)) + 2


@lru_cache(maxsize=16)
def coprime_moduli(bits: int) -> tuple[int, ...]:
    """Pairwise coprime numbers below LIMIT whose product exceeds 2**bits.

    >>> len(coprime_moduli(200)), prod(coprime_moduli(200)) > 2**200
    (4, True)
    """
    moduli: list[int] = []
    whole, candidate = 1, LIMIT - 1
    while whole <= 1 << bits:
        if gcd(candidate, whole) == 1:
            moduli.append(candidate)
            whole *= candidate
        candidate -= 1
    return tuple(moduli)
