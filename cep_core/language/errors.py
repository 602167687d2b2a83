"""Errors that tell the author of a query what to change: the place, what is wrong, what was expected, and a hint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """A place in a query's text: 1-based line and column, and how many characters it covers."""

    line: int
    column: int
    length: int = 1


WIDEST = 500
"""The number of characters of a message that are shown. A query, and so a message, can be of any length."""
_WIDEST_LINE = 160


def printable(text: str) -> str:
    """A text on one line of a message: control characters, line breaks too, as their escapes.

    >>> print(printable("a\\x1eb\\nc"))
    a\\x1eb\\nc
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def lines_of(text: str) -> list[str]:
    """The lines of a text as the parsers count them: a line feed ends a line, and no other character does."""
    return text.split("\n")


def pointed(line: str, at: Position, hint: str = "") -> tuple[str, str]:
    """A line as a message shows it, with a caret and the hint below. Of a long line, only the part around the place.

    >>> print(*pointed("  WHERE a.x > 3", Position(1, 9, 3), "no such event"), sep="\\n")
        WHERE a.x > 3
              ^^^ no such event
    """
    first = max(at.column - _WIDEST_LINE // 2, 0) if len(line) > _WIDEST_LINE else len(line) - len(line.lstrip())
    shown = "".join(c if c.isprintable() else " " for c in line[first : first + _WIDEST_LINE]).rstrip()
    before = min(max(at.column - 1 - first, 0), len(shown))
    caret = " " * before + "^" * max(min(at.length, len(shown) - before), 1)
    return f"    {shown}", f"    {caret} {hint}".rstrip()


class QueryError(Exception):
    """A query that cannot be run, with the place and the reason.

    >>> text = "PATTERN SEQ(A a\\nWITHIN 5"
    >>> print(QueryError("expected ',' or ')'", Position(2, 1, 6), text=text, path="q.cep", hint="close the SEQ"))
    q.cep:2:1: expected ',' or ')'
        WITHIN 5
        ^^^^^^ close the SEQ
    """

    def __init__(self, message: str, at: Position, *, text: str = "", path: str = "<query>", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.hint = hint
        self.text = text
        self.path = path

    @property
    def line(self) -> int:
        return self.at.line

    @property
    def column(self) -> int:
        return self.at.column

    def __str__(self) -> str:
        message = self.message if len(self.message) <= WIDEST else f"{self.message[:WIDEST]}..."
        head, hint = f"{self.path}:{self.line}:{self.column}: {printable(message)}", printable(self.hint)
        lines = lines_of(self.text)
        if not 0 < self.line <= len(lines) or not lines[self.line - 1].strip():
            return f"{head} ({hint})" if hint else head
        return "\n".join([head, *pointed(lines[self.line - 1], self.at, hint)])


class QueryErrors(QueryError):
    """Several errors of one query, in text order.

    Its place is that of the first error; its text contains all errors.
    """

    def __init__(self, errors: Sequence[QueryError]) -> None:
        self.errors = tuple(sorted(errors, key=lambda error: (error.line, error.column)))
        first = self.errors[0]
        super().__init__(first.message, first.at, text=first.text, path=first.path, hint=first.hint)

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)


class NotSupportedYet(QueryError):
    """A valid query that no engine can evaluate yet.

    The message names the unsupported part; the position points to it.
    """
