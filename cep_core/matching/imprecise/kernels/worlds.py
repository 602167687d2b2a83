"""What a search over possible worlds asks of an event graph: when its rows may happen, and what may follow what.

`Times` are the moments of each row, each as likely as the others; `Asked` is all that the kernels read, in one flat
tuple that is made once a search; `Chosen` are the events of one partial match.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Flags, Floats, Ints
from cep_core.matching.arrays.network import Network
from cep_core.matching.imprecise.kernels.borrowing import borrowing

STRICT, LOOSE, TIED = 0, 1, 2
"""Edges that lead to an event of a later moment; or of the same one with a larger `seq`; only of the same one."""


class Times(NamedTuple):
    """m rows: when they may happen."""

    low: Ints
    high: Ints
    share: Floats
    """The probability of each of its moments."""
    seq: Ints
    ordered: bool
    """Some events of the same moment follow each other, by `seq`; else none do."""


class Asked(NamedTuple):
    """What questions ask of an event graph whose rows may happen at various times.

    Flat, since kernels pay for every array of a tuple that they take out of another: see `Network` and `Times`.
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
    """[row - base[0], state] the nodes that some match may have."""
    base: Ints
    """[1] the first row of the question in hand."""


class Chosen(NamedTuple):
    """The chosen events by slot."""

    row: Ints
    variable: Ints


def asked_of(network: Network, variable_of: Ints, kinds: Ints, times: Times, useful: Flags) -> Asked:
    """What is asked of a graph, before the first question."""
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
    """Whether an edge of a kind leads to an event of the same moment, or of a later one."""
    return kind == LOOSE or (kind == TIED) == together
