"""Conversions of numbers, texts and dates, with MonPoly's formats. One Python step for each distinct value.

- Texts of numbers: `monitoring.shared.number_texts`.
- f2i truncates toward zero.
- Dates are days of the proleptic Gregorian calendar in UTC, of seconds since 1970; FORMAT_DATE writes 2024-02-29.
  MonPoly takes every moment after 2100-01-01 for that day; here it has its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.monitoring.first_order.arrays.arithmetic import truncated
from cep_core.monitoring.first_order.arrays.relation import Column
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.shared.number_texts import float_in, float_text, whole_in

LARGEST = (1 << 63) - 1


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
