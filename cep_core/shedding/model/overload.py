"""Overload: whether an event would miss the latency bound, and how many partial matches are too many.

pSPICE, section III-E and Algorithm 1: l_q = now - arrival, l_p = f(n), l_s = g(n). If l_q + l_p + l_s + b_s > LB, then
l_p' = LB - b_s - l_q - l_s is left for the event, and n' = inverse of f at l_p'. So n - n' partial matches are dropped,
or all of them if even f(0) exceeds l_p'. n counts all partial matches of the operator; by partition
(`shedders.partition`) it counts only those that the event meets.
"""

from __future__ import annotations

from dataclasses import dataclass

from numba import njit

from cep_core.shedding.model.regression import Latency, inverse, predicted


@njit(cache=True)
def too_many(
    queued: int,
    count: int,
    bound: int,
    buffer: int,
    processing: tuple[int, float, float],
    shedding: tuple[int, float, float],
) -> int:
    """How many of `count` partial matches must be dropped; 0 if the bound is not in danger.

    `processing`, `shedding`: kind, base and slope of f and g. The worked example: f = 10 + n/2, g = n/20, n = 600.

    >>> too_many(700, 600, 1000, 0, (1, 10.0, 0.5), (1, 0.0, 0.05))
    80
    """
    f_kind, f_base, f_slope = processing
    g_kind, g_base, g_slope = shedding
    spent = queued + predicted(g_kind, g_base, g_slope, count)
    if spent + predicted(f_kind, f_base, f_slope, count) + buffer <= bound:
        return 0
    return count - inverse(f_kind, f_base, f_slope, bound - buffer - spent, count)


@dataclass(frozen=True)
class Detector:
    """The bound LB, the safety buffer b_s (virtual nanoseconds), and f and g."""

    bound: int
    processing: Latency
    shedding: Latency
    buffer: int = 0

    def excess(self, queued: int, count: int) -> int:
        """How many of `count` partial matches must be dropped at an event that has waited for `queued`."""
        f, g = self.processing, self.shedding
        return int(
            too_many(queued, count, self.bound, self.buffer, (f.kind, f.base, f.slope), (g.kind, g.base, g.slope))
        )
