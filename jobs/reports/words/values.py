"""Values from data as text that cannot disturb the sentence around it.

Templates escape HTML (autoescape). This module handles what escaping does not: control characters, marks that change
the direction of writing, and values as long as a page.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

from jobs.reports.words.quantities import quantity

Cell = str | int | float | None
"""A value in a file of numbers."""

LONGEST = 80
"""Longer texts are cut, with an ellipsis."""

_WHOLE, _LONG = 2**53, 2**63
"""Floats below the first and integers up to the second are written out."""
_ISOLATE, _POP = "\u2068", "\u2069"


def shown(value: object, longest: int = LONGEST) -> str:
    """A value of any column as text for a page, a caption or an axis.

    Whole numbers of 64 bits are written as they stand in the log, without marks at thousands: they may be names of
    things, as a zip code is. Marks are in what was counted (`quantity`), which also writes larger numbers and sizes.
    Format and control characters are written out. Text from right to left is isolated, so it stays in its place.

    >>> shown("JFK"), shown(None), shown(1234), shown(2.50), shown(True), shown([1, 2])
    ('JFK', '–', '1234', '2.5', 'true', '1, 2')
    >>> shown(3_407_946_425), shown(3407946425.0), shown(1e300)
    ('3407946425', '3407946425', '1.0e300')
    >>> shown("a\\u202eb\\nc")
    'a\\\\u202eb\\\\nc'
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)) and abs(value) <= (_WHOLE if isinstance(value, float) else _LONG):
        return str(int(value)) if value == int(value) else quantity(value)
    if isinstance(value, (int, float, Decimal)):
        return quantity(value)
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return shown(", ".join(str(item) for item in value), longest)
    text = str(value)
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    text = "".join(_visible(letter) for letter in text)
    rightward = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)
    return f"{_ISOLATE}{text}{_POP}" if rightward else text


def _visible(letter: str) -> str:
    if unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return letter
    return letter.encode("unicode_escape").decode("ascii")


def keyed(names: tuple[str, ...], values: tuple[object, ...]) -> str:
    """A combination of named values.

    >>> keyed(("origin", "dest"), ("LGA", "ORD"))
    'origin LGA, dest ORD'
    """
    return ", ".join(f"{name} {shown(value)}" for name, value in zip(names, values, strict=True))


def named(names: Sequence[str], values: Sequence[object]) -> str:
    """A combination of named values in a sentence.

    >>> named(["departure airport", "destination airport"], ["LGA", "ATL"])
    'departure airport LGA and destination airport ATL'
    """
    return listed([f"{name} {shown(value)}" for name, value in zip(names, values, strict=True)], len(names))


def capitalised(text: str) -> str:
    """A text with a capital first letter, for the start of a sentence.

    >>> capitalised("aircraft N14228 had the most"), capitalised("LGA")
    ('Aircraft N14228 had the most', 'LGA')
    """
    return text[:1].upper() + text[1:]


def spanned(first: str, last: str) -> str:
    """A range in words, or one value where both ends read alike.

    >>> spanned("37 %", "38 %"), spanned("57 %", "57 %")
    ('37 % to 38 %', '57 %')
    """
    return first if first == last else f"{first} to {last}"


def listed(texts: list[str], at_most: int = 5) -> str:
    """A list in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(list("abcdefg"), 3)
    ('a', 'a, b and c', 'a, b, c and 4 more')
    >>> listed(list("abcd"), 3)  # a name says more than "1 more"
    'a, b, c and d'
    """
    if len(texts) > at_most + 1:
        return f"{', '.join(texts[:at_most])} and {len(texts) - at_most} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""
