"""The data of an event graph that a search over possible worlds reads: when rows may happen, and in which order.

`Times` has the moments of each row, which are equally likely. `Asked` has everything that the kernels read, in one flat
tuple that is made once for each search. `Chosen` has the events of one partial match.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Flags, Floats, Ints
from cep_core.inner_kernels import borrowing
from cep_core.matching.arrays.network import Network

STRICT, LOOSE, TIED = 0, 1, 2
"""Edges. STRICT: to a later moment. LOOSE: or to the same moment with a larger `seq`. TIED: only the latter."""


class Times(NamedTuple):
    """When each of m rows may happen."""

    low: Ints
    high: Ints
    share: Floats
    """The probability of each single moment of the row."""
    seq: Ints
    ordered: bool
    """Whether some events of the same moment follow each other, by `seq`."""


class Asked(NamedTuple):
    """The data that questions need of an event graph whose rows have imprecise times.

    Flat, because a kernel pays for every array of a tuple that it takes out of another tuple: see `Network` and
    `Times`.
    """

    starts: Flags
    accepts: Flags
    begin: Ints
    target: Ints
    condition: Ints
    operator: Ints
    left: Ints
    right: Ints
    variable_of: Ints
    """[state]"""
    kinds: Ints
    """[edge] STRICT, LOOSE or TIED."""
    low: Ints
    high: Ints
    share: Floats
    seq: Ints
    ordered: bool
    useful: Flags
    """[row - base[0], state] the nodes that may be in some match."""
    base: Ints
    """[1] the first row of the current question."""


class Chosen(NamedTuple):
    """[slot] the chosen events."""

    row: Ints
    variable: Ints


def asked_of(network: Network, variable_of: Ints, kinds: Ints, times: Times, useful: Flags) -> Asked:
    """The data of a graph for a search, before the first question."""
    return Asked(
        starts=network.starts,
        accepts=network.accepts,
        begin=network.begin,
        target=network.target,
        condition=network.condition,
        operator=network.operator,
        left=network.left,
        right=network.right,
        variable_of=variable_of,
        kinds=kinds,
        low=times.low,
        high=times.high,
        share=times.share,
        seq=times.seq,
        ordered=times.ordered,
        useful=useful,
        base=np.zeros(1, np.int64),
    )


def times_of(low: Ints, high: Ints, seq: Ints, *, ordered: bool) -> Times:
    return Times(low, high, 1.0 / (high - low + 1), seq, ordered)


@borrowing
def admits(kind: int, together: bool) -> bool:
    """Whether an edge of this kind may lead to an event of the same moment (`together`), or of a later moment."""
    return kind == LOOSE or (kind == TIED) == together
