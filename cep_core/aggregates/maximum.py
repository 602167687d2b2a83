"""MAX: the largest non-null value; NULL if there is none."""

from __future__ import annotations

from cep_core.aggregates.extreme import Extreme


class Maximum(Extreme):
    """`MAX(E.x)` and `max(b[].x)`."""

    name = "max"
    largest = True
    grows = True
    word = "highest"
