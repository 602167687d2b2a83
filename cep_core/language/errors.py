"""Errors that a person who wrote a query can act on: where, what was found, what was expected, a hint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """A place in a query's text: 1-based line and column, and how many characters it covers."""

    line: int
    column: int
    length: int = 1


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
        head = f"{self.path}:{self.line}:{self.column}: {self.message}"
        lines = self.text.splitlines()
        if not 0 < self.line <= len(lines):
            return f"{head} ({self.hint})" if self.hint else head
        source = lines[self.line - 1]
        stripped = source.lstrip()
        indent = len(source) - len(stripped)
        caret = " " * max(self.column - 1 - indent, 0) + "^" * max(self.at.length, 1)
        return "\n".join([head, f"    {stripped}", f"    {caret} {self.hint}".rstrip()])


class QueryErrors(QueryError):
    """Several errors of one query, in text order; stands at the first and prints them all."""

    def __init__(self, errors: Sequence[QueryError]) -> None:
        self.errors = tuple(sorted(errors, key=lambda error: (error.line, error.column)))
        first = self.errors[0]
        super().__init__(first.message, first.at, text=first.text, path=first.path, hint=first.hint)

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)


class NotSupportedYet(QueryError):
    """A legal query that no engine evaluates so far; the message names what and the position says where."""
