"""Equivalences between points become truths."""

from __future__ import annotations

from numba import njit

from cep_core.arrays import Ints
from cep_core.monitoring.propositional.stream.kernels.state import Codes

FREE = -1
"""A point without a truth."""


@njit(cache=True)
def resolve(truths: Codes, equal: Ints) -> None:
    """Points that are equal to an earlier one take its truth; `equal` of the others is the point itself."""
    for point in range(truths.shape[0]):
        if equal[point] != point:
            truths[point] = truths[equal[point]]


@njit(cache=True)
def first_open(truths: Codes, equal: Ints, begin: int, end: int) -> int:
    """The first point from `begin` on without a truth; `end` if there is none. Those before it get theirs."""
    for point in range(begin, end):
        if equal[point] != point:
            truths[point] = truths[equal[point]]
        if truths[point] == FREE:
            return point
    return end
