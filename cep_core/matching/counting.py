"""Counts matches without listing them, under skip-till-any-match.

For one last event e, walk backwards over the window and count for every node (row, state) the ways to complete a match
at e: ways(i, s) = sum of ways(j, t) over the edges (i, s) -> (j, t), with ways(e, accepting) = 1; the matches that end
at e are the ways of all starting nodes (GRETA's recurrence, section 4.2, from the end). Counting from the end gives the
count of each last event, which is what days, listings and compact results need.

Cost for each last event with n rows in its window: O(n E); an edge whose comparisons are one comparison by order adds
O(log n) a node (a Fenwick tree over the later events' places), any other edge with comparisons O(n). No cost depends on
the number of matches. Counts are exact at any size: 62-bit integers with overflow detection, and where they overflow,
residues modulo as many coprime numbers as the window's bound asks for, joined by the Chinese remainder theorem.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd, prod
from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.matching.network import Ints, Network, holds

LIMIT = 1 << 62
"""Counts below it are plain; sums of two of them never wrap a 64-bit integer."""


LONG = 96
"""Windows of fewer rows are scanned rather than kept in trees."""


class Scratch(NamedTuple):
    """Room for windows of up to n rows: `ways[row - low, state]` is the outcome, the rest is working memory."""

    ways: Ints
    """[n, S]"""
    totals: Ints
    """[S] over the rows that come later than the one in hand"""
    members: Ints
    """[S, n] those rows where ways are left"""
    sizes: Ints
    """[S]"""
    trees: Ints
    """[C, largest place + 1] Fenwick trees of ways by `Network.store`, one for each comparison"""


def scratch_for(network: Network, longest: int) -> Scratch:
    """Working memory for windows of up to `longest` rows."""
    states, comparisons = network.fits.shape[1], len(network.operator)
    places = 1 + int(network.store.max(initial=0)) if longest >= LONG else 1
    return Scratch(
        ways=np.empty((longest, states), np.int64),
        totals=np.empty(states, np.int64),
        members=np.empty((states, longest), np.int64),
        sizes=np.empty(states, np.int64),
        trees=np.zeros((comparisons, places), np.int64),
    )


@njit(cache=True)
def complete_ways(network: Network, low: int, end: int, modulus: int, scratch: Scratch) -> bool:
    """Fills scratch.ways[row - low, state] for the rows low..end; whether a count reached LIMIT (it then stays there).

    With a modulus, counts are residues and nothing overflows.
    """
    ways = scratch.ways
    states = network.fits.shape[1]
    long = end - low >= LONG
    exceeded = False
    scratch.totals[:] = 0
    scratch.sizes[:] = 0
    ready = end + 1  # rows from here on come strictly later than the one in hand
    for row in range(end, low - 1, -1):
        while ready - 1 > row and network.tick[ready - 1] > network.tick[row]:
            ready -= 1
            for s in range(states):
                if ways[ready - low, s] != 0:
                    _make_ready(network, ready, s, ways[ready - low, s], modulus, long, scratch)
        for s in range(states):
            count = 0
            if network.fits[row, s]:
                if row == end:
                    count = 1 if network.accepts[row, s] else 0
                else:
                    for edge in range(network.begin[s], network.begin[s + 1]):
                        count = _plus(count, _ways_through(network, edge, row, low, modulus, long, scratch), modulus)
            ways[row - low, s] = count
            exceeded |= count >= LIMIT
    if long:
        _clear_trees(network, scratch)
    return exceeded


@njit(cache=True)
def _make_ready(network: Network, row: int, s: int, more: int, modulus: int, long: bool, scratch: Scratch) -> None:
    """Lets earlier rows go on to a node."""
    scratch.totals[s] = _plus(scratch.totals[s], more, modulus)
    scratch.members[s, scratch.sizes[s]] = row
    scratch.sizes[s] += 1
    if long:
        for edge in range(network.target.shape[0]):
            c = network.condition[edge]
            if network.target[edge] == s and c < network.condition[edge + 1] and network.query[c, row] >= 0:
                place = network.store[c, row]
                while 0 < place < scratch.trees.shape[1]:
                    scratch.trees[c, place] = _plus(scratch.trees[c, place], more, modulus)
                    place += place & -place


@njit(cache=True)
def _ways_through(network: Network, edge: int, row: int, low: int, modulus: int, long: bool, scratch: Scratch) -> int:
    """The ways of a node that leave it by an edge."""
    t = network.target[edge]
    c = network.condition[edge]
    if c == network.condition[edge + 1]:
        return scratch.totals[t]
    count = 0
    if long and network.query[c, row] >= 0:
        place = network.query[c, row]
        while place > 0:
            count = _plus(count, scratch.trees[c, place], modulus)
            place -= place & -place
        return count
    for k in range(scratch.sizes[t]):
        later = scratch.members[t, k]
        if holds(network, edge, row, later):
            count = _plus(count, scratch.ways[later - low, t], modulus)
    return count


@njit(cache=True)
def _clear_trees(network: Network, scratch: Scratch) -> None:
    """Undoes every insertion, which costs what the insertions cost."""
    for edge in range(network.target.shape[0]):
        c = network.condition[edge]
        if c == network.condition[edge + 1]:
            continue
        t = network.target[edge]
        for k in range(scratch.sizes[t]):
            place = network.store[c, scratch.members[t, k]]
            while 0 < place < scratch.trees.shape[1]:
                scratch.trees[c, place] = 0
                place += place & -place


@njit(cache=True)
def _plus(one: int, other: int, modulus: int) -> int:
    total = one + other
    if modulus:
        return total - modulus if total >= modulus else total
    return min(total, LIMIT)


@njit(cache=True)
def _count_all(network: Network, ends: Ints, lows: Ints, modulus: int, scratch: Scratch, counts: Ints) -> None:
    """counts[k]: paths that end at the row ends[k] and start at lows[k] or later; LIMIT if a count reached it."""
    states = network.fits.shape[1]
    for k in range(ends.shape[0]):
        low = lows[k]
        exceeded = complete_ways(network, low, ends[k], modulus, scratch)
        count = 0
        for row in range(low, ends[k] + 1):
            for s in range(states):
                if network.starts[row, s]:
                    count = _plus(count, scratch.ways[row - low, s], modulus)
        counts[k] = LIMIT if exceeded else count


def count_matches(network: Network, ends: Ints, lows: Ints) -> tuple[Ints, dict[int, int]]:
    """For each k the number of matches whose last event is the row ends[k] and whose first is lows[k] or later.

    Returns int64 counts and, by k, the exact counts of those that int64 cannot hold (their entry is LIMIT).
    """
    counts = np.zeros(len(ends), np.int64)
    if not len(ends):
        return counts, {}
    scratch = scratch_for(network, int((ends - lows).max()) + 1)
    _count_all(network, ends, lows, 0, scratch, counts)
    large = np.flatnonzero(counts == LIMIT)
    exact = _count_large(network, ends[large], lows[large], scratch) if len(large) else []
    return counts, dict(zip(large.tolist(), exact, strict=True))


def _count_large(network: Network, ends: Ints, lows: Ints, scratch: Scratch) -> list[int]:
    """Counts of any size from their residues."""
    choices = np.log2(1.0 + network.fits.sum(axis=1))  # an event is in no state of a match, or in one that it fits
    before = np.concatenate([[0.0], np.cumsum(choices)])
    moduli = coprime_moduli(int((before[ends + 1] - before[lows]).max() * (1 + 1e-9)) + 2)
    residues = []
    for modulus in moduli:
        counts = np.zeros(len(ends), np.int64)
        _count_all(network, ends, lows, modulus, scratch, counts)
        residues.append(counts.tolist())
    whole = prod(moduli)
    weights = [whole // m * pow(whole // m, -1, m) for m in moduli]
    return [sum(r * w for r, w in zip(column, weights, strict=True)) % whole for column in zip(*residues, strict=True)]


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
