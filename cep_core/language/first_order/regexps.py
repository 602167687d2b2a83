r"""MonPoly's regular expressions, which are those of OCaml's Str, as Python's.

Special are `. * + ? ^ $ [ ]`, and with a backslash `\(`, `\)`, `\|`, `\b` and `\1` to `\9`. Parentheses, braces and
bars without a backslash stand for themselves, and so does a backslash in brackets. A dot matches a character, not a
byte. `^` and `$` match at the ends of every line. Both libraries try alternatives and repetitions in the same order, so
they find the same place and the same groups.
"""

from __future__ import annotations

import re

REPEATS = "*+?"


def regular_expression(pattern: str) -> re.Pattern[str]:
    r"""The compiled expression. Raises ValueError, with the reason, for a pattern that is none.

    >>> regular_expression(r"\(a\|b\)*(c)").search("xab(c)").groups()
    ('b',)
    """
    reader = _Reader(pattern)
    translated = reader.alternatives()
    if reader.at < len(pattern):
        raise ValueError(r"\) closes no \(")
    try:
        return re.compile(translated, re.MULTILINE)
    except re.error as error:
        raise ValueError(error.msg) from None


class _Reader:
    """Reads a pattern from left to right; each method gives the translation of what it read."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def alternatives(self) -> str:
        branches = [self._branch()]
        while self.pattern.startswith(r"\|", self.at):
            self.at += 2
            branches.append(self._branch())
        return "|".join(branches)

    def _branch(self) -> str:
        parts = []
        while self.at < len(self.pattern) and not self.pattern.startswith((r"\|", r"\)"), self.at):
            part = self._atom()
            while self.at < len(self.pattern) and self.pattern[self.at] in REPEATS:
                part = f"(?:{part}){self.pattern[self.at]}"
                self.at += 1
            parts.append(part)
        return "".join(parts)

    def _atom(self) -> str:
        first = self.pattern[self.at]
        self.at += 1
        if first == "[":
            return self._characters()
        if first == "\\" and self.at < len(self.pattern):
            return self._escape()
        return first if first in ".^$" else re.escape(first)

    def _escape(self) -> str:
        escaped = self.pattern[self.at]
        self.at += 1
        if escaped == "(":
            inside = self.alternatives()
            if not self.pattern.startswith(r"\)", self.at):
                raise ValueError(r"\( is not closed by \)")
            self.at += 2
            return f"({inside})"
        if escaped in "123456789":
            return f"(?:\\{escaped})"
        return r"\b" if escaped == "b" else re.escape(escaped)

    def _characters(self) -> str:
        """A set of characters, behind its bracket; a `]` that comes first belongs to the set."""
        complement = self.pattern.startswith("^", self.at)
        begin = self.at + complement
        end = self.pattern.find("]", begin + 1)
        if end < 0:
            raise ValueError("[ is not closed by ]")
        self.at = end + 1
        characters = self.pattern[begin:end]
        parts, place = [], 0
        while place < len(characters):
            last = place + 2 if characters[place + 1 : place + 2] == "-" and place + 2 < len(characters) else place
            parts.append("-".join(re.escape(characters[at]) for at in sorted({place, last})))
            place = last + 1
        return f"[{'^' if complement else ''}{''.join(parts)}]"
