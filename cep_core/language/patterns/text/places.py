"""Places and numbers in a parsed text, and errors that point at them."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from lark import Token, Transformer
from lark.tree import Meta

from cep_core.language.errors import Position, QueryError


class GrammarRules(Transformer[Token, Any]):
    """The base of grammar rules: they are applied bottom-up and know the text that is parsed."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__()
        self._text = text
        self._path = path

    def _at(self, meta: Meta) -> Position:
        if meta.empty:
            return Position(1, 1)
        if meta.line == meta.end_line:
            return Position(meta.line, meta.column, max(meta.end_column - meta.column, 1))
        line = self._text.splitlines()[meta.line - 1].rstrip()
        return Position(meta.line, meta.column, max(len(line) - meta.column + 1, 1))

    def _token_at(self, token: Token) -> Position:
        return Position(token.line or 1, token.column or 1, len(token))

    def _end(self) -> Position:
        lines = self._text.rstrip().splitlines() or [""]
        return Position(len(lines), len(lines[-1]) + 1)

    def _number(self, token: Token) -> int | float:
        if token.isdigit():
            return self._integer(token)
        value = float(token)
        if math.isinf(value):
            self._refuse("a number too large", self._token_at(token))
        return value

    def _integer(self, token: Token) -> int:
        if not token.isdigit():
            self._refuse("a whole number is needed", self._token_at(token))
        if (value := int(token)) >= 2**63:
            self._refuse("a number beyond 64 bits", self._token_at(token))
        return value

    def _refuse(self, message: str, at: Position, hint: str = "") -> NoReturn:
        raise self._error(message, at, hint)

    def _error(self, message: str, at: Position, hint: str) -> QueryError:
        return QueryError(message, at, text=self._text, path=self._path, hint=hint)
