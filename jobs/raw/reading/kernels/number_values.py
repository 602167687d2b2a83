"""Texts become integers, floats and truth values, or are found to be none: one pass over the bytes of a column.

- An integer: digits with or without a sign, within 64 bits.
- A float: decimal digits with or without a sign, point and exponent, rounded to the nearest double. No NaN, no
  infinity, no number beyond the largest double, no hexadecimal.
- A truth value: true, t, yes, y, 1, false, f, no, n, 0, in any case.

Blanks and tabs around a value do not count. A decimal of at most 2^53 with at most 22 places is one multiplication or
division of exact doubles, so it is rounded once (Clinger 1990); all others are left to Arrow's parser.
Cost: 5 to 20 nanoseconds a value.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Floats, Ints
from cep_core.inner_kernels import inner
from jobs.raw.reading.kernels.row_places import Bytes, Places

ABSENT, PRESENT, WRONG, LEFT = range(4)
"""What became of a text: it is absent, it is a value, it is none, or Arrow's parser must read it."""

_POWERS = np.array([10.0**k for k in range(23)])
_MOST = np.uint64(np.iinfo(np.int64).max)
_TRUE = 1
_WORDS = np.frombuffer(b"truetyesy1falsefnon0", np.uint8)
_WORD_STARTS = (0, 4, 5, 8, 9, 10, 15, 16, 18, 19, 20)


@inner(nogil=True)
def bare(text: Bytes, start: int, stop: int) -> tuple[int, int]:
    """The value's bytes without the blanks and tabs around it."""
    while start < stop and (text[start] == 32 or text[start] == 9):
        start += 1
    while start < stop and (text[stop - 1] == 32 or text[stop - 1] == 9):
        stop -= 1
    return start, stop


@inner(nogil=True)
def _sign(text: Bytes, i: int, stop: int) -> tuple[bool, int]:
    """Whether a minus stands at place `i`, and the place after a sign if there is one."""
    if i < stop and (text[i] == 45 or text[i] == 43):
        return text[i] == 45, i + 1
    return False, i


@njit(cache=True, nogil=True)
def read_integers(text: Bytes, starts: Places, stops: Places, values: Ints, states: Bytes) -> None:
    """Writes `values` and `states` [rows]."""
    for row in range(len(starts)):
        values[row] = 0
        states[row] = ABSENT
        if starts[row] < 0:
            continue
        states[row] = WRONG
        i, stop = bare(text, starts[row], stops[row])
        is_negative, i = _sign(text, i, stop)
        if i == stop:
            continue
        most = _MOST + np.uint64(1 if is_negative else 0)
        number = np.uint64(0)
        while i < stop:
            digit = np.uint64(text[i]) - np.uint64(48)
            if digit > np.uint64(9) or number > (most - digit) // np.uint64(10):
                break
            number = number * np.uint64(10) + digit
            i += 1
        if i == stop:
            states[row] = PRESENT
            values[row] = np.int64(np.uint64(0) - number) if is_negative else np.int64(number)


@inner(nogil=True)
def _read_float(text: Bytes, i: int, stop: int) -> tuple[int, float]:
    is_negative, i = _sign(text, i, stop)
    number, digits, places, seen_point = np.uint64(0), 0, 0, False
    is_exact = True
    while i < stop:
        byte = text[i]
        if 48 <= byte <= 57:
            digits += 1
            if number < np.uint64(900_719_925_474_099):
                number = number * np.uint64(10) + np.uint64(byte - 48)
            else:
                is_exact = False
            if seen_point:
                places += 1
        elif byte == 46 and not seen_point:
            seen_point = True
        else:
            break
        i += 1
    if digits == 0:
        return WRONG, 0.0
    exponent = 0
    if i < stop and (text[i] == 101 or text[i] == 69):
        is_small, i = _sign(text, i + 1, stop)
        if i == stop:
            return WRONG, 0.0
        while i < stop and 48 <= text[i] <= 57:
            exponent = exponent * 10 + text[i] - 48 if exponent < 100_000 else exponent
            i += 1
        if is_small:
            exponent = -exponent
    if i < stop:
        return WRONG, 0.0
    exponent -= places
    if not is_exact or exponent < -22 or exponent > 22:
        return LEFT, 0.0
    value = np.float64(np.int64(number))
    value = value / _POWERS[-exponent] if exponent < 0 else value * _POWERS[exponent]
    return PRESENT, -value if is_negative else value


@njit(cache=True, nogil=True)
def read_floats(text: Bytes, starts: Places, stops: Places, values: Floats, states: Bytes) -> None:
    """Writes `values` and `states` [rows]; LEFT: the text is a decimal number that Arrow must round."""
    for row in range(len(starts)):
        values[row] = 0.0
        states[row] = ABSENT
        if starts[row] >= 0:
            start, stop = bare(text, starts[row], stops[row])
            states[row], values[row] = _read_float(text, start, stop)


@njit(cache=True, nogil=True)
def read_truths(text: Bytes, starts: Places, stops: Places, values: Bytes, states: Bytes) -> None:
    """Writes `values` (1: true) and `states` [rows]."""
    for row in range(len(starts)):
        values[row] = 0
        states[row] = ABSENT
        if starts[row] < 0:
            continue
        states[row] = WRONG
        start, stop = bare(text, starts[row], stops[row])
        for word in range(10):
            first = _WORD_STARTS[word]
            length = _WORD_STARTS[word + 1] - first
            if stop - start == length:
                i = 0
                while i < length and (text[start + i] | (32 if text[start + i] >= 64 else 0)) == _WORDS[first + i]:
                    i += 1
                if i == length:
                    states[row] = PRESENT
                    values[row] = _TRUE if word < 5 else 0
