"""Times of a written form, such as `%y%m%d %H%M%S`: read from texts of columns, and said to Spark.

A form is made of the directives of `strptime` below. A text is taken apart by one regular expression, put together as
ISO 8601 and read by Arrow, which knows how long months are. Nothing is guessed: a text of another form is an error.
Cost: one pass of a regular expression.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from jobs.exits import WrongWorkload

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DIRECTIVES = {
    "Y": (r"[1-9][0-9]{3}", "yyyy", 4),
    "y": (r"[0-9]{2}", "yy", 2),
    "m": (r"[0-9]{2}", "MM", 2),
    "b": ("|".join(_MONTHS), "MMM", 3),
    "d": (r"[0-9]{2}", "dd", 2),
    "H": (r"[0-9]{2}", "HH", 2),
    "I": (r"[0-9]{2}", "hh", 2),
    "p": (r"[APap][Mm]", "a", 2),
    "M": (r"[0-9]{2}", "mm", 2),
    "S": (r"[0-9]{2}", "ss", 2),
    "f": (r"[0-9]{1,9}", "SSSSSSSSS", 0),
    "z": (r"Z|[+-][0-9]{2}:?[0-9]{2}", "XX", 0),
}
"""For each directive what it stands for in a text, Spark's letters, and its width (0: no fixed one)."""
_SHORT = {"m": "M", "d": "d", "H": "H", "I": "h"}
"""Directives that may have one digit where no digits are beside them, with Spark's letter for one digit or two."""


@dataclass(frozen=True)
class TimeForm:
    """A form of times. Raises WrongWorkload for a directive that is not known, or stands twice.

    >>> TimeForm("%y%m%d %H%M%S").read(pa.chunked_array([["081109 203615"]]), "t").to_pylist()[0].isoformat()
    '2008-11-09T20:36:15'
    """

    text: str

    def __post_init__(self) -> None:
        if problem := self._problem():
            known = " ".join(f"%{directive}" for directive in _DIRECTIVES)
            raise WrongWorkload(f"--ts-format '{self.text}': {problem}; there are {known} and %%")

    @property
    def has_date(self) -> bool:
        """Whether it says the day; else times are those of a day, since midnight."""
        return "d" in self._directives

    @property
    def is_fine(self) -> bool:
        """Whether it has parts of a second."""
        return "f" in self._directives

    @property
    def width(self) -> int | None:
        """How many characters such a text has; None: not always the same number."""
        widths = [_DIRECTIVES[directive][2] for directive in self._directives]
        return None if 0 in widths else sum(widths) + sum(len(text) for text in self._between)

    def read(self, texts: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
        """The time-stamps (timestamp[us], timestamp[ns] if some have parts of a microsecond). A null stays one.

        `name`: how a message calls the column. Raises WrongWorkload, which shows a text of another form.
        """
        pieces = pc.extract_regex(texts, self._regex)
        odd = texts.filter(pc.and_(pc.is_valid(texts), pc.is_null(pieces)))
        if len(odd):
            raise self._unfit(name, str(odd[0].as_py()))
        parts = {directive: pc.struct_field(pieces, directive) for directive in dict.fromkeys(self._directives)}
        iso = _iso(parts)
        zone = "UTC" if "z" in parts else None
        for unit in ("us", "ns"):
            try:
                return iso.cast(pa.timestamp(unit, zone))
            except pa.ArrowInvalid:
                continue
        raise self._unfit(name, _first_unreadable(texts, iso, zone))

    @property
    def of_spark(self) -> str:
        """The pattern for Spark's `try_to_timestamp`, whose S stands for as many digits or fewer.

        >>> TimeForm("%d/%b/%Y:%H:%M:%S").of_spark, TimeForm("%Y-%m-%dT%H:%M:%S,%f").of_spark
        ('d/MMM/yyyy:H:mm:ss', "yyyy-M-d'T'H:mm:ss,SSSSSSSSS")
        """
        letters = []
        for place, between in enumerate(self._between):
            letters.append(re.sub(r"([A-Za-z\[\]{}#]+)", r"'\1'", between.replace("'", "''")))
            if place < len(self._directives):
                directive = self._directives[place]
                letters.append(_SHORT[directive] if self._may_be_short(place) else _DIRECTIVES[directive][1])
        return "".join(letters)

    @property
    def _split(self) -> list[str]:
        """Texts and directives in turns, a text first and last."""
        return [piece.replace("%%", "%") for piece in re.split(r"%([^%])", self.text)]

    @property
    def _directives(self) -> list[str]:
        return self._split[1::2]

    @property
    def _between(self) -> list[str]:
        return self._split[::2]

    @property
    def _regex(self) -> str:
        pieces = [re.escape(self._between[0])]
        for place, (directive, between) in enumerate(zip(self._directives, self._between[1:], strict=True)):
            digits = "[0-9]{1,2}" if self._may_be_short(place) else _DIRECTIVES[directive][0]
            pieces.append(f"(?P<{directive}>{digits}){re.escape(between)}")
        return f"^{''.join(pieces)}$"

    def _may_be_short(self, place: int) -> bool:
        """Whether one digit is enough, as in 12/31/2013 5:00 PM: other characters stand on both sides."""
        beside = self._between[place] or place == 0, self._between[place + 1] or place + 1 == len(self._directives)
        return self._directives[place] in _SHORT and all(beside)

    def _problem(self) -> str | None:
        if not self._directives:
            return "it has no directive"
        for directive in self._directives:
            if directive in ("a", "A"):
                return f"%{directive}, a weekday, is not read: remove it from the file"
            if directive not in _DIRECTIVES:
                return f"%{directive} is not known"
            if self._directives.count(directive) > 1:
                return f"%{directive} stands twice"
        day = {"d", "m" if "m" in self._directives else "b", "Y" if "Y" in self._directives else "y"}
        if day & set(self._directives) and not day <= set(self._directives):
            missing = (
                ""
                if {"Y", "y"} & set(self._directives)
                else "; if the file has no year, write one in front of it there"
            )
            return f"a date needs a year, a month and a day{missing}"
        if not {"d", "H", "I"} & set(self._directives):
            return "it says neither a date nor an hour"
        return "%I needs %p" if "I" in self._directives and "p" not in self._directives else None

    def _unfit(self, name: str, text: str) -> WrongWorkload:
        return WrongWorkload(f"'{name}' holds '{text}', which is no time of the form {self.text} (--ts-format)")


def _iso(parts: dict[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    """Texts of ISO 8601 from pieces of texts by directive."""
    date = "1970-01-01"
    if "d" in parts:
        date = pc.binary_join_element_wise(_year(parts), _month(parts), pc.utf8_lpad(parts["d"], 2, "0"), "-")
    clock = pc.binary_join_element_wise(_hour(parts), parts.get("M", "00"), parts.get("S", "00"), ":")
    whole = pc.binary_join_element_wise(date, clock, "T")
    if "f" in parts:
        whole = pc.binary_join_element_wise(whole, parts["f"], ".")
    return pc.binary_join_element_wise(whole, parts["z"], "") if "z" in parts else whole


def _year(parts: dict[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    """Years of two digits are 1969 to 2068, as everywhere."""
    if "Y" in parts:
        return parts["Y"]
    century = pc.if_else(pc.less(parts["y"].cast(pa.int64()), 69), "20", "19")
    return pc.binary_join_element_wise(century, parts["y"], "")


def _month(parts: dict[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    if "m" in parts:
        return pc.utf8_lpad(parts["m"], 2, "0")
    place = pc.add(pc.index_in(parts["b"], pa.array(_MONTHS)), 1)
    return pc.utf8_lpad(place.cast(pa.string()), 2, "0")


def _hour(parts: dict[str, pa.ChunkedArray]) -> pa.ChunkedArray | str:
    """Hours of 24. Of 12: 12 AM is midnight; an hour above 12 becomes 99, which is no time."""
    if "I" not in parts:
        return pc.utf8_lpad(parts["H"], 2, "0") if "H" in parts else "00"
    hour = parts["I"].cast(pa.int64())
    late = pc.if_else(pc.equal(pc.utf8_upper(parts["p"]), "PM"), 12, 0)
    of_day = pc.add(pc.if_else(pc.equal(hour, 12), 0, hour), late)
    known = pc.and_(pc.greater_equal(hour, 1), pc.less_equal(hour, 12))
    return pc.utf8_lpad(pc.if_else(known, of_day, 99).cast(pa.string()), 2, "0")


def _first_unreadable(texts: pa.ChunkedArray, iso: pa.ChunkedArray, zone: str | None) -> str:
    """A text whose numbers are no date, such as 30 February, found by halving."""
    low, high = 0, len(iso)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            iso.slice(low, middle - low).cast(pa.timestamp("ns", zone))
            low = middle
        except pa.ArrowInvalid:
            high = middle
    return str(texts[low].as_py())
