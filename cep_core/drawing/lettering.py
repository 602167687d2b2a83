"""How much room words take. Measured as DejaVu Sans, which is wider than nearly every font that a reader may have."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

SIZE, SMALL = 9.0, 8.5
"""Sizes of letters in points: of all words, and of the key to the marks."""
LINE = 1.2
"""Height of a line of words, in sizes of its letters."""

_FIRST = 32
_HUNDREDTHS = (
    *(32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34),
    *(84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99),
    *(69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52),
    *(39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84),
)
"""Widths of the ASCII letters from the space on, in hundredths of their size."""


@lru_cache(1 << 14)
def width_of(words: str, size: float = SIZE) -> float:
    """The width of one line, in points.

    >>> width_of("08:00"), width_of("")
    (26.1, 0.0)
    """
    return round(sum(map(_hundredths, words)) * size / 100, 2)


def shortened(words: str, room: float, size: float = SIZE) -> str:
    """A line that is cut, with an ellipsis, so that it fits into `room` points.

    >>> shortened("San Francisco International", 60.0), shortened("JFK", 60.0)
    ('San Franci…', 'JFK')
    """
    if width_of(words, size) <= room:
        return words
    kept = words
    while kept and width_of(f"{kept}…", size) > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def _hundredths(letter: str) -> int:
    place = ord(letter) - _FIRST
    if 0 <= place < len(_HUNDREDTHS):
        return _HUNDREDTHS[place]
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0
    return 100 if letter == "…" or unicodedata.east_asian_width(letter) in "WF" else 66
