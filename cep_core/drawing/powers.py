"""Numbers at a logarithmic axis as plain text, so that the letters of a figure stay letters."""

from __future__ import annotations

import math

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(number: float) -> str:
    """A positive number; beyond four digits with its power of ten.

    >>> power(0.01), power(1000.0), power(20000.0), power(1e8), power(3e-7)
    ('0.01', '1,000', '2×10⁴', '10⁸', '3×10⁻⁷')
    """
    exponent = math.floor(math.log10(number) + 1e-9)
    if -3 <= exponent <= 3:
        return f"{number:,.6g}"
    digits = f"{number / 10.0**exponent:.3g}"
    raised = f"10{str(exponent).translate(_RAISED)}"
    return raised if digits == "1" else f"{digits}×{raised}"
