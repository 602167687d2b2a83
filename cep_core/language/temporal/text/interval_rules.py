"""Intervals of temporal operators as a grammar's rules build them: bounds, units, open and closed ends."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer_NonRecursive, v_args
from lark.tree import Meta

from cep_core.language.places import Places
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.interval_error import IntervalError, interval_fault

_UNITS = "smhd"
_WITHOUT_END = ("*", "INFINITY", "∞")


class IntervalRules(Places, Transformer_NonRecursive[Token, Any]):
    """The rules that the grammars of policies share.

    `interval_errors` gathers the faults of intervals: they come after those of syntax.
    """

    def __init__(self, text: str, path: str) -> None:
        super().__init__(text, path)
        self.interval_errors: list[IntervalError] = []

    @v_args(meta=True)
    def interval(self, meta: Meta, children: list[Token]) -> Interval:
        opening, first, _, last, closing = children
        low, low_unit = self._bound(first)
        high, high_unit = (None, "") if last in _WITHOUT_END else self._bound(last)
        interval = Interval(low, high, low_unit, high_unit, opening == "(", high is not None and closing == ")")
        if fault := interval_fault(interval):
            self.interval_errors.append(IntervalError(fault, self._at(meta), text=self._text, path=self._path))
        return interval

    def _integer(self, token: Token) -> int:
        value = int(token)
        if not -(2**63) <= value < 2**63:
            self._refuse("a number beyond 64 bits", self._token_at(token))
        return value

    def _bound(self, token: Token) -> tuple[int, str]:
        at = self._token_at(token)
        if "." in token:
            self._refuse("a bound of an interval is a whole number", at)
        if token[-1].isdigit():
            return self._integer(token), ""
        if token[-1] not in _UNITS:
            self._refuse(f"unknown unit '{token[-1]}'", at, "units are s, m, h, d")
        return self._integer(Token(token.type, token[:-1], line=token.line, column=token.column)), token[-1]
