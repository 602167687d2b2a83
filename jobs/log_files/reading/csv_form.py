"""What a CSV file looks like, by its first lines: what separates its fields, how its text is encoded, and whether its
first line names the columns. Each guess is told; a first line that can only be a row is refused.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jobs.exits import WrongWorkload

SEPARATORS = {",": "','", ";": "';'", "\t": "tabs", "|": "'|'"}
"""What may separate fields without being named, and how a message calls it."""

_LOOKED_AT = 4096
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_VALUE = re.compile(
    r"[+-]?([0-9]{5,}|[0-9]*\.[0-9]+|[0-9]+\.[0-9]*)([eE][+-]?[0-9]+)?|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}.*"
    r"|[0-9]{1,2}:[0-9]{2}.*"
)
"""Long or broken numbers, dates and times of day: values of a row, hardly names of columns."""


@dataclass(frozen=True)
class CsvForm:
    """`header`: how many lines above the rows are one; `names_all`: whether it names every column; `named`: how many it
    names. `notes`: what was taken without being said."""

    separator: str
    encoding: str
    header: int
    names_all: bool
    named: int
    notes: tuple[str, ...] = ()


def csv_form(path: Path, block: bytes, names: Sequence[str], separator: str | None, encoding: str | None) -> CsvForm:
    """The form of a file that begins with this block. `names`, `separator`, `encoding`: what the user says of it.

    Raises WrongWorkload where nobody names the columns and the first line looks like a row.
    """
    notes = []
    taken = encoding or "utf-8"
    if encoding is None and block.startswith(_UTF16):
        taken = "utf-16"
        notes.append("its text is UTF-16, as its first bytes say")
    elif encoding is None and (order := _order_of_utf16(block)):
        taken = order
        notes.append(f"its text is taken for UTF-16 ({order}), as every second byte is zero (--encoding)")
    lines = [line for line in block.decode(taken, "replace").lstrip("\ufeff").splitlines() if line][:2]
    mark = separator or separator_of(lines)
    if separator is None and mark != ",":
        notes.append(f"{SEPARATORS[mark]} taken for what separates its fields (--sep)")
    first = next(csv.reader(lines[:1], delimiter=mark), [])
    if names:
        header = int(bool(first) and set(first) <= set(names))
        names_all = [name.strip() for name in first] == list(names)
        return CsvForm(mark, taken, header, names_all, len(first) if header else 0, tuple(notes))
    advice = f"--names A,B,... names the {len(first)} columns"
    if value := next((field for field in first if _VALUE.fullmatch(field.strip())), None):
        raise WrongWorkload(
            f"the first line of {path} looks like a row, not like names of columns: '{value}'; {advice}"
        )
    if whole := next((field for field in first if _WHOLE.fullmatch(field.strip())), None):
        notes.append(
            f"its first line is taken for names of columns, though it has '{whole}'; {advice}, and it is a row"
        )
    return CsvForm(mark, taken, 1, True, len(first), tuple(notes))


def _order_of_utf16(block: bytes) -> str | None:
    """The encoding of text whose letters are two bytes each, without a mark at its begin; None: no such text."""
    first = block[:_LOOKED_AT]
    for order, place in (("utf-16-le", 1), ("utf-16-be", 0)):
        zeros, letters = first[place::2], first[1 - place :: 2]
        if len(first) > 1 and zeros.count(0) * 2 > len(zeros) and not letters.count(0):
            return order
    return None


def separator_of(lines: Sequence[str]) -> str:
    """What separates the fields of the first lines: what cuts all into the same number of fields, and into most.

    >>> separator_of(["time;x", "3;1,5"]), separator_of(["a\\tb", "1\\t2"]), separator_of(["text", "a, b; c"])
    (';', '\\t', ',')
    """

    def fit(mark: str) -> tuple[bool, int]:
        fields = [len(row) for row in csv.reader(lines, delimiter=mark)]
        return len(set(fields)) == 1 and fields[0] > 1, fields[0] if fields else 0

    return max(SEPARATORS, key=fit)


def separator_named(text: str | None) -> str | None:
    """The separator that a command line names: one character, or `tab`.

    >>> separator_named("tab"), separator_named(";"), separator_named(None)
    ('\\t', ';', None)
    """
    if text in ("tab", "\\t"):
        return "\t"
    if text is not None and (len(text) != 1 or text in '\r\n"'):
        raise WrongWorkload(f"--sep takes one character, or tab, not '{text}'")
    return text


def encoding_named(text: str | None) -> str | None:
    """The encoding that a command line names. Raises WrongWorkload for one that Python does not know."""
    if text is None:
        return None
    try:
        return codecs.lookup(text).name
    except LookupError:
        raise WrongWorkload(f"--encoding: '{text}' is not known; there are latin-1, cp1252, utf-16 and more") from None
