"""Numbers at a logarithmic axis as plain text, so that the letters of a figure stay letters."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.ticker import LogFormatterSciNotation

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Powers(LogFormatterSciNotation):
    """Labels the ticks that matplotlib would, in plain text."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return power(x) if super().__call__(x, pos) else ""


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


def label_powers(axes: Axes) -> None:
    """Labels logarithmic axes so, unless they have other labels."""
    for axis in (axes.xaxis, axes.yaxis):
        if isinstance(axis.get_major_formatter(), LogFormatterSciNotation):
            axis.set_major_formatter(Powers())
        if isinstance(axis.get_minor_formatter(), LogFormatterSciNotation):
            axis.set_minor_formatter(Powers(minor_thresholds=(1, 0.4)))
