"""Random numbers without a generator: a hash of (seed, event, thing), the same on every machine and in any order.

Also the chained hash that identifies a match: of the pattern, the window, then its events. 64-bit integers wrap around.
"""

from __future__ import annotations

from numba import njit

FIRST = 0x2545F4914F6CDD1D
SECOND = 0x369DEA0F31A53F85


@njit(cache=True)
def chained(value: int, further: int) -> int:
    """A hash of a hash and one more integer (multiply and shift, wrapping)."""
    mixed = (value ^ (further + FIRST)) * SECOND
    mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    mixed *= FIRST
    return mixed ^ ((mixed >> 32) & 0xFFFFFFFF)


@njit(cache=True)
def chance(seed: int, event: int, thing: int) -> float:
    """A random number in [0, 1), of 53 bits."""
    mixed = chained(chained(chained(seed, event), thing), 0x5851F42D4C957F2D)
    return float((mixed >> 11) & 0x1FFFFFFFFFFFFF) / 9007199254740992.0
