"""Counts matches without listing them, under skip-till-any-match.

Counting from the end (`walks`) gives one count for each last event. Days, listings and compact results need exactly
these counts. Cost for each last event with n rows in its window: O(n E) additions; an edge with comparisons adds
O(log n) or O(n) for each node. Sixteen last events share a walk. No cost depends on the number of matches.

Counts are exact at any size. The first pass uses 61-bit integers, which stop at a limit. Counts that reach the limit
are counted modulo 2**64, and in floats, whose error has a bound. If the bound is less than 2**62, only one number
within it has that remainder. Otherwise the count is computed modulo several coprime numbers, as many as its size needs,
and the residues are joined by the Chinese remainder theorem.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd, prod

import numpy as np
import numpy.typing as npt

from cep_core.arrays import Ints
from cep_core.matching.arrays.network import LONG, Ends, Network
from cep_core.matching.kernels.walks import Scratch, count_ends, scratch_for
from cep_core.numbers.lanes import LIMIT

AHEAD = 15
"""After a walk that passed the limit, this many walks are assumed to pass it too."""

WORD = 1 << 64


def count_matches(network: Network, questions: Ends) -> tuple[Ints, dict[int, int]]:
    """The number of matches of each question.

    Returns int64 counts, and by question number k the exact counts that reach LIMIT (their int64 entry is LIMIT).
    """
    ends, lows = questions.rows, questions.begins
    counts = np.zeros(len(ends), np.int64)
    if not len(ends):
        return counts, {}
    order = np.arange(len(ends))
    if not (ends[1:] > ends[:-1]).all():
        order = np.lexsort((lows, ends))
        questions = questions.take(order)
    scratch = scratch_for(network, int((ends - lows).max()) + 1)
    ascending = np.empty_like(counts)
    count_ends(network, questions, 0, scratch, ascending, AHEAD)
    large = np.flatnonzero(ascending == LIMIT)
    exact: list[int] = []
    if len(large):
        exact = _count_large(network, questions.take(large), scratch)
        ascending[large] = [min(count, LIMIT) for count in exact]
    counts[order] = ascending
    return counts, {k: count for k, count in zip(order[large].tolist(), exact, strict=True) if count >= LIMIT}


def _count_large(network: Network, questions: Ends, scratch: Scratch) -> list[int]:
    """Counts of any size; the questions' rows ascend."""
    remainders, sizes = np.empty(len(questions.rows), np.uint64), np.empty(len(questions.rows))
    count_ends(network, questions, np.uint64(0), scratch.of(np.uint64), remainders, 0)
    count_ends(network, questions, np.uint64(0), scratch.of(np.float64), sizes, 0)
    error = (
        sizes * relative_error(network, len(scratch.ways)) + 2.0**12
    )  # plus the rounding of the remainder to a float
    close = error < 2.0**62
    words = np.rint((np.where(close, sizes, 0.0) - remainders.astype(np.float64)) / WORD)
    counts = [
        (high << 64) + low for high, low in zip(words.astype(np.int64).tolist(), remainders.tolist(), strict=True)
    ]
    far = np.flatnonzero(~close)
    if len(far):
        for k, count in zip(far.tolist(), _by_residues(network, questions.take(far), scratch, sizes), strict=True):
            counts[k] = count
    return counts


def relative_error(network: Network, rows: int) -> float:
    """The largest relative error of a float count in a walk over `rows` rows.

    Every number is a sum of other numbers, and each addition loses at most 2**-53 of it. A row's number takes one
    addition for each number that its edges bring. One more addition joins it with those of later rows. The last
    additions sum the starting nodes.
    """
    source = np.repeat(np.arange(len(network.begin) - 1), np.diff(network.begin))
    levels = int(network.store.max(initial=0)).bit_length() + 1
    additions = np.zeros(len(network.begin) - 1)
    for edge, state in enumerate(source.tolist()):
        first, after = int(network.condition[edge]), int(network.condition[edge + 1])
        placed = after == first + 1 and network.query.shape[1] > 0 and bool((network.query[first] >= 0).all())
        ranked = placed and rows > LONG
        additions[state] += 1 if first == after else max(levels, LONG) if ranked else rows
    lost = rows * (float(additions.max(initial=0)) + 1 + len(additions)) * 2.0**-53
    return lost / (1 - lost) if lost < 0.5 else np.inf


def _by_residues(network: Network, questions: Ends, scratch: Scratch, sizes: npt.NDArray[np.float64]) -> list[int]:
    """Counts from their residues; the questions' rows ascend."""
    moduli = coprime_moduli(_bits(network, questions, sizes))
    turning = scratch.of(np.uint64)
    residues = []
    for modulus in moduli:
        counts = np.empty(len(questions.rows), np.uint64)
        count_ends(network, questions, np.uint64(modulus), turning, counts, 0)
        residues.append(counts.tolist())
    whole = prod(moduli)
    weights = [whole // m * pow(whole // m, -1, m) for m in moduli]
    return [sum(r * w for r, w in zip(column, weights, strict=True)) % whole for column in zip(*residues, strict=True)]


def _bits(network: Network, questions: Ends, sizes: npt.NDArray[np.float64]) -> int:
    """An upper bound of the bits of the largest count.

    Floats give it closely, because sums of positive numbers keep their relative precision. Beyond the range of floats,
    the bound assumes that each event is in no state of a match, or in any state that it fits.
    """
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
