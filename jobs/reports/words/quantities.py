"""Numbers as reports write them: counts of any size, quantities, plurals, ratios, medians.

Counts may exceed every machine type (`docs/architecture.md`, Numbers). So a `Magnitude` always has the base-10
logarithm of its absolute value, and the exact integer if it is known. Comparing and printing never overflow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

PLAIN_DIGITS = 9
"""Integers of up to this many digits are written out; longer ones as 1.2e34."""


@dataclass(frozen=True)
class Magnitude:
    """A number of any size: `sign` -1, 0 or 1, `log10` of its absolute value (-inf at 0), `exact` if it is known.

    >>> Magnitude.of(87), Magnitude.of(None, 34.1)
    (Magnitude(sign=1, log10=1.9395192526186185, exact=87), Magnitude(sign=1, log10=34.1, exact=None))
    """

    sign: int
    log10: float
    exact: int | float | None = None

    @staticmethod
    def of(value: int | float | Decimal | None, log10: float | None = None, sign: int | None = None) -> Magnitude:
        """From a value, or from its logarithm and sign if the value itself is beyond 38 digits.

        No value and no logarithm is zero: a missing count means that nothing was counted.
        """
        if isinstance(value, Decimal):
            value = int(value) if value == value.to_integral_value() else float(value)
        if value is not None:
            size = log10 if log10 is not None else (log10_of(abs(value)) if value else -math.inf)
            return Magnitude((value > 0) - (value < 0), size, value)
        if log10 is None:
            return Magnitude(0, -math.inf, 0)
        return Magnitude(1 if sign is None else sign, log10)

    @property
    def key(self) -> tuple[float, int | float]:
        """Sorts magnitudes by value. The exact value decides between equal logarithms."""
        if self.sign == 0:
            return (0.0, 0.0)
        # 10 ** log10 may overflow: negative numbers sort before 0 by mirrored logarithms, shifted clear of 0 an integer
        # stays an integer, since beyond 10^308 it cannot become a float
        return (self.sign * (self.log10 + 1000.0), 0.0 if self.exact is None else self.exact)

    def __str__(self) -> str:
        return quantity(self)


def log10_of(value: int | float) -> float:
    """Base-10 logarithm, also of integers beyond the range of a float."""
    return math.log10(value)


def scientific(log10: float) -> str:
    """A number given by its logarithm, with two digits.

    >>> scientific(34.0792), scientific(46.9999), scientific(9.0)
    ('1.2e34', '1.0e47', '1.0e9')
    """
    exponent = math.floor(log10)
    mantissa = f"{10 ** (log10 - exponent):.1f}"
    return f"1.0e{exponent + 1}" if mantissa == "10.0" else f"{mantissa}e{exponent}"


def quantity(value: Magnitude | int | float | Decimal | None) -> str:
    """A number for a sentence or a table cell.

    >>> quantity(1234), quantity(12475.0), quantity(72.4567), quantity(Decimal(10) ** 34), quantity(None)
    ('1,234', '12,475', '72.46', '1.0e34', '–')
    >>> quantity(Magnitude.of(None, 47.3)), quantity(-0.5), quantity(0.000012)
    ('2.0e47', '−0.5', '1.2e-05')
    >>> quantity(float("-inf")), quantity(float("nan"))
    ('−∞', '–')
    """
    if value is None:
        return "–"
    magnitude = value if isinstance(value, Magnitude) else Magnitude.of(value)
    if isinstance(magnitude.exact, float) and math.isnan(magnitude.exact):
        return "–"
    minus = "−" if magnitude.sign < 0 else ""
    if magnitude.sign == 0:
        return "0"
    if magnitude.log10 == math.inf:
        return minus + "∞"
    if magnitude.exact is None or magnitude.log10 >= PLAIN_DIGITS:
        return minus + scientific(magnitude.log10)
    size = abs(magnitude.exact)
    if isinstance(size, int) or size == int(size):
        return f"{minus}{int(size):,}"
    if size < 1:
        return minus + (f"{size:.1e}" if size < 0.001 else f"{size:.3g}")
    return minus + f"{size:,.2f}".rstrip("0").rstrip(".")


def counted(n: int | Magnitude, noun: str, nouns: str | None = None) -> str:
    """A count with its noun.

    >>> counted(1, "match", "matches"), counted(70, "match", "matches"), counted(0, "window")
    ('1 match', '70 matches', 'no windows')
    """
    many = nouns or noun + "s"
    magnitude = n if isinstance(n, Magnitude) else Magnitude.of(n)
    if magnitude.sign == 0:
        return f"no {many}"
    return f"{quantity(magnitude)} {noun if magnitude.exact == 1 else many}"


def ratio(value: Magnitude, base: Magnitude) -> str:
    """How many times `base` (positive) `value` is.

    >>> ratio(Magnitude.of(87), Magnitude.of(25)), ratio(Magnitude.of(None, 47.0), Magnitude.of(100))
    ('3.5', '1.0e45')
    """
    if value.sign == 0:
        return "0"
    difference = value.log10 - base.log10
    if difference >= 6:
        return scientific(difference)
    times = 10**difference
    return f"{times:,.0f}" if times >= 10 else f"{times:.1f}" if times >= 0.1 else f"{times:.2g}"


def median(values: Sequence[Magnitude]) -> Magnitude:
    """The median, or the mean of two middle values; the mean of logarithms if only a logarithm is known.

    >>> str(median([Magnitude.of(3), Magnitude.of(10), Magnitude.of(4), Magnitude.of(0)]))
    '3.5'
    >>> str(median([Magnitude.of(None, 40.0), Magnitude.of(None, 42.0)]))
    '1.0e41'
    """
    ordered = sorted(values, key=lambda value: value.key)
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if isinstance(low.exact, int) and isinstance(high.exact, int):
        total = low.exact + high.exact
        return Magnitude.of(total // 2 if total % 2 == 0 or abs(total) > 2**53 else total / 2)
    if low.exact is not None and high.exact is not None:
        return Magnitude.of((low.exact + high.exact) / 2)
    if low.sign == high.sign:
        return Magnitude.of(None, (low.log10 + high.log10) / 2, low.sign)
    larger = max(low, high, key=lambda value: value.log10)
    return Magnitude.of(None, larger.log10 - math.log10(2), larger.sign)


def share(fraction: float) -> str:
    """A fraction as a percentage.

    >>> share(0.26), share(0.0312), share(1.0)
    ('26 %', '3.1 %', '100 %')
    """
    percent = 100 * fraction
    return f"{percent:.0f} %" if percent >= 10 or percent == 0 else f"{percent:.2g} %"


def elapsed(seconds: float) -> str:
    """A measured duration.

    >>> elapsed(0.042), elapsed(7.25), elapsed(75), elapsed(86400)
    ('0.04 s', '7.2 s', '75 s', '24 h')
    """
    if seconds >= 7200:
        return f"{seconds / 3600:.3g} h"
    if seconds >= 600:
        return f"{seconds / 60:.3g} min"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds:.2f} s"


def virtual(nanoseconds: float) -> str:
    """A span of virtual time, to three digits.

    >>> virtual(10_000_000), virtual(1_234_567), virtual(850), virtual(0), virtual(93_500_000_000)
    ('10 ms', '1.23 ms', '850 ns', '0 ns', '93.5 s')
    """
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")):
        if nanoseconds >= size or unit == "ns":
            amount = nanoseconds / size
            return f"{amount:,.0f} {unit}" if amount >= 100 else f"{amount:.3g} {unit}"
    raise AssertionError("every span has nanoseconds")
