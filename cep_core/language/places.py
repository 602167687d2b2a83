"""Places and numbers in a parsed text, and errors that point at them: what the grammar rules of all languages share."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NoReturn

from lark import Token
from lark.tree import Meta

from cep_core.language.errors import Position, QueryError, lines_of


class Places:
    """A mixin for grammar rules: it knows the text that is parsed."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__()
        self._text = text
        self._path = path

    @cached_property
    def _lines(self) -> list[str]:
        return lines_of(self._text)

    def _at(self, meta: Meta) -> Position:
        if meta.empty:
            return Position(1, 1)
        if meta.line == meta.end_line:
            return Position(meta.line, meta.column, max(meta.end_column - meta.column, 1))
        line = self._lines[meta.line - 1].rstrip()
        return Position(meta.line, meta.column, max(len(line) - meta.column + 1, 1))

    def _token_at(self, token: Token) -> Position:
        return Position(token.line or 1, token.column or 1, len(token))

    def _end(self) -> Position:
        lines = lines_of(self._text.rstrip())
        return Position(len(lines), len(lines[-1]) + 1)

    def _float(self, token: Token) -> float:
        value = float(token)
        if math.isinf(value):
            self._refuse("a number too large", self._token_at(token))
        return value

    def _refuse(self, message: str, at: Position, hint: str = "") -> NoReturn:
        raise self._error(message, at, hint)

    def _error(self, message: str, at: Position, hint: str) -> QueryError:
        return QueryError(message, at, text=self._text, path=self._path, hint=hint)
