"""The base of the grammar rules of pattern queries: they are applied bottom-up and know the text that is parsed."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer

from cep_core.language.places import Places


class GrammarRules(Places, Transformer[Token, Any]):
    """Numbers of pattern queries are written without a sign."""

    def _number(self, token: Token) -> int | float:
        return self._integer(token) if token.isdigit() else self._float(token)

    def _integer(self, token: Token) -> int:
        if not token.isdigit():
            self._refuse("a whole number is needed", self._token_at(token))
        if (value := int(token)) >= 2**63:
            self._refuse("a number beyond 64 bits", self._token_at(token))
        return value
