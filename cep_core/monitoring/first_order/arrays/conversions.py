"""Conversions of numbers, texts and dates, with MonPoly's formats. One Python step for each distinct value.

- f2s writes 12 significant digits and always a point or an exponent: -42. 0.5 9.87654321e+30
- s2i and s2f read what OCaml reads (a sign, 0x 0o 0b, underscores, exponents); a text that is no number is 0, as in
  MonPoly. A text with a blank is no number.
- f2i truncates toward zero.
- Dates are days of the proleptic Gregorian calendar in UTC, of seconds since 1970; FORMAT_DATE writes 2024-02-29.
  MonPoly takes every moment after 2100-01-01 for that day; here it has its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.monitoring.first_order.arrays.arithmetic import truncated
from cep_core.monitoring.first_order.arrays.relation import Column
from cep_core.monitoring.first_order.arrays.texts import Texts

LARGEST = (1 << 63) - 1
_WHOLE = re.compile(r"[+-]?(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*)", re.ASCII)
_DECIMAL = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.ASCII | re.IGNORECASE
)
_HEXADECIMAL = re.compile(r"[+-]?0[xX][0-9a-fA-F.]+([pP][+-]?[0-9]+)?", re.ASCII)


def converted(function: str, column: Column, texts: Texts) -> tuple[Column, Flags]:
    """A function of `Call` on a column, and the rows whose result does not exist."""
    sure = np.zeros(len(column), np.bool_)
    match function:
        case "i2f":
            return column.astype(np.float64), sure
        case "f2i":
            return truncated(column)
        case "i2s":
            return _texts_of(column, str, texts), sure
        case "f2s":
            return _texts_of(np.add(column, 0.0), float_text, texts), sure
        case "s2i":
            return _whole_numbers(column, texts)
        case "s2f":
            distinct, places = np.unique(column, return_inverse=True)
            floats = np.array([float_in(texts.text(code)) for code in distinct.tolist()], np.float64)
            return floats[places], sure
        case "r2s" | "s2r":
            return column, sure
        case _:
            return _of_date(function, column, texts)


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


def _texts_of(column: Column, text: Callable[..., str], texts: Texts) -> Ints:
    distinct, places = np.unique(column, return_inverse=True)
    return texts.codes(text(value) for value in distinct.tolist())[places]


def _whole_numbers(codes: Column, texts: Texts) -> tuple[Ints, Flags]:
    distinct, places = np.unique(codes, return_inverse=True)
    numbers = [whole_in(texts.text(code)) for code in distinct.tolist()]
    lost = np.array([not -LARGEST - 1 <= number <= LARGEST for number in numbers], np.bool_)
    fitting = np.array([0 if out else number for number, out in zip(numbers, lost, strict=True)], np.int64)
    return fitting[places], lost[places]


def _of_date(function: str, seconds: Column, texts: Texts) -> tuple[Ints, Flags]:
    whole, lost = truncated(np.floor(seconds))
    days = whole.view("datetime64[s]").astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    years = days.astype("datetime64[Y]")
    year = years.astype(np.int64) + 1970
    month = (months - years.astype("datetime64[M]")).astype(np.int64) + 1
    day = (days - months.astype("datetime64[D]")).astype(np.int64) + 1
    match function:
        case "YEAR":
            return year, lost
        case "MONTH":
            return month, lost
        case "DAY_OF_MONTH":
            return day, lost
    _, firsts, places = np.unique(days, return_index=True, return_inverse=True)
    written = texts.codes(f"{year[row]:04d}-{month[row]:02d}-{day[row]:02d}" for row in firsts.tolist())
    return written[places], lost
