"""A case as text of a case file: as short as it can be, and read as the same events and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jobs.questions.cases.written_values import CaseClock

Rows = Sequence[Mapping[str, str | None]]
"""Written values by column; None: absent."""


def case_text(
    title: str, clock: CaseClock, same: Mapping[str, str], given: Rows, expect: Mapping[str, Rows | int]
) -> str:
    """A case. `expect`: rows or a number, by what is expected; rows alone need no name."""
    lines = [f"- case: {_quoted(title)}", f"  day: {clock.day}"]
    if same:
        pairs = ", ".join(f"{name}: {_scalar(value)}" for name, value in same.items())
        lines.append(f"  same: {{{pairs}}}")
    lines += _rows("given", given, "  ")
    if [*expect] == ["rows"] and not isinstance(rows := expect["rows"], int):
        return "\n".join([*lines, *_rows("expect", rows, "  ")]) + "\n"
    lines.append("  expect:")
    for name, value in expect.items():
        lines += [f"    {name}: {value}"] if isinstance(value, int) else _rows(name, value, "    ")
    return "\n".join(lines) + "\n"


def _rows(name: str, rows: Rows, indent: str) -> list[str]:
    """Rows as a table, or as mappings where a value has more than one line."""
    if not rows:
        return [f"{indent}{name}: none"]
    if any(text is not None and not text.isprintable() for row in rows for text in row.values()):
        mappings = [
            ", ".join(f"{key}: {'' if text is None else _quoted(text)}" for key, text in row.items()) for row in rows
        ]
        return [f"{indent}{name}:", *(f"{indent}  - {{{mapping}}}" for mapping in mappings)]
    table = [[*rows[0]], *([_cell(text) for text in row.values()] for row in rows)]
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    return [f"{indent}{name}: |", *(f"{indent}  {_line(row, widths)}" for row in table)]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [f"{cell},".ljust(width + 2) for cell, width in zip(cells, widths, strict=True)]
    return ("".join(padded[:-1]) + cells[-1]).rstrip()


def _cell(text: str | None) -> str:
    """A value of a table, in quotes where it would be read otherwise.

    >>> _cell("LGA"), _cell("a, b"), _cell(""), _cell(None)
    ('LGA', '"a, b"', '""', '')
    """
    if text is None:
        return ""
    plain = text and text == text.strip() and not set(text) & set(',"') and not text.startswith("#")
    return text if plain else '"' + text.replace('"', '""') + '"'


def _scalar(text: str) -> str:
    """A value of a mapping: plain if it is a word or a number.

    >>> _scalar("N14228"), _scalar("-2.5"), _scalar("null"), _scalar("a: b")
    ('N14228', '-2.5', '"null"', '"a: b"')
    """
    plain = text.isascii() and text.lstrip("-").replace(".", "").replace("_", "").isalnum() and text.lower() != "null"
    return text if plain else _quoted(text)


def _quoted(text: str) -> str:
    r"""A text in YAML's double quotes.

    >>> print(_quoted('a "b"\n'))
    "a \"b\"\x0a"
    """
    return '"' + "".join(_letter(letter) for letter in text) + '"'


def _letter(letter: str) -> str:
    if letter in '\\"':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 1 << 8 else f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


def written(value: Any) -> str | None:
    """A value of an event or a result as a case has it.

    >>> written(2.50), written(True), written([1, 2]), written(None)
    ('2.5', 'true', '1 2', None)
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(map(str, value))
    return repr(value) if isinstance(value, float) else str(value)
