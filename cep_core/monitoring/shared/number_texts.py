"""Numbers in texts, with MonPoly's formats.

- A float is written with 12 significant digits and always a point or an exponent: -42. 0.5 9.87654321e+30
- Numbers are read as OCaml reads them (a sign, 0x 0o 0b, underscores, exponents); a text that is no number is 0, as in
  MonPoly. A text with a blank is no number.
"""

from __future__ import annotations

import re

_WHOLE = re.compile(r"[+-]?(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*)", re.ASCII)
_DECIMAL = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.ASCII | re.IGNORECASE
)
_HEXADECIMAL = re.compile(r"[+-]?0[xX][0-9a-fA-F.]+([pP][+-]?[0-9]+)?", re.ASCII)


def float_text(value: float) -> str:
    """
    >>> float_text(-42.0), float_text(0.5), float_text(9.87654321e30), float_text(float("-inf"))
    ('-42.', '0.5', '9.87654321e+30', '-inf')
    """
    written = f"{value:.12g}"
    return f"{written}." if written.lstrip("-").isdigit() else written


def whole_in(text: str) -> int:
    """
    >>> whole_in("-0x1F"), whole_in("1_000"), whole_in("0.5"), whole_in(" 1")
    (-31, 1000, 0, 0)
    """
    if not _WHOLE.fullmatch(text):
        return 0
    digits = text.replace("_", "").lower()
    base = {"x": 16, "o": 8, "b": 2}.get(digits.lstrip("+-")[1:2], 10)
    try:
        return int(digits, base)
    except ValueError:  # a prefix without digits
        return 0


def float_in(text: str) -> float:
    """
    >>> float_in("+1.1"), float_in("1e3"), float_in("0x1p-2"), float_in("none"), float_in(" 1")
    (1.1, 1000.0, 0.25, 0.0, 0.0)
    """
    plain = text.replace("_", "")
    if _DECIMAL.fullmatch(plain):
        return float(plain)
    try:
        return float.fromhex(plain) if _HEXADECIMAL.fullmatch(plain) else 0.0
    except (ValueError, OverflowError):
        return 0.0
