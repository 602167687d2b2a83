"""Numbers at which machine arithmetic gives way: the ends of 64 bits and of doubles, and where the two part."""

from __future__ import annotations

import math
import sys

from hypothesis import strategies as st

LEAST, LARGEST = -(2**63), 2**63 - 1
WHOLE = (LEAST, LEAST + 1, -(2**53) - 1, -(2**53), 2**53, 2**53 + 1, 2**62, LARGEST - 1, LARGEST)
REAL = (
    -0.0,
    -(2.0**63),
    -(2.0**53),
    2.0**53,
    2.0**53 + 2,
    2.0**63,
    math.nextafter(2.0**63, 0),
    5e-324,
    sys.float_info.max,
    -sys.float_info.max,
    math.inf,
    -math.inf,
    math.nan,
)
KNOWN = REAL[:-1]
"""Without NaN, for results that are compared as whole tables: there it differs from itself."""


def whole(usual: st.SearchStrategy[int | None]) -> st.SearchStrategy[st.SearchStrategy[int | None]]:
    """What to draw the integers of a log from: usual ones mostly, in some logs the ends as well."""
    return st.sampled_from([usual, usual, usual | st.sampled_from(WHOLE), st.none() | st.sampled_from(WHOLE)])


def real(
    usual: st.SearchStrategy[float | None], ends: tuple[float, ...] = REAL
) -> st.SearchStrategy[st.SearchStrategy[float | None]]:
    """The same for floats."""
    return st.sampled_from([usual, usual, usual | st.sampled_from(ends), st.none() | st.sampled_from(ends)])


def kept(number: int) -> int | None:
    """A whole number of the language: unknown beyond 64 bits."""
    return number if LEAST <= number <= LARGEST else None


def place(number: float) -> tuple[bool, float]:
    """What orders numbers as the language does: exactly, and NaN equals NaN and exceeds all else."""
    return (True, 0) if isinstance(number, float) and math.isnan(number) else (False, number)
