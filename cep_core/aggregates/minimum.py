"""MIN: the smallest non-null value; NULL if there is none."""

from __future__ import annotations

from cep_core.aggregates.extreme import Extreme


class Minimum(Extreme):
    """`MIN(E.x)` and `min(b[].x)`."""

    name = "min"
    largest = False
    grows = False
    word = "lowest"
