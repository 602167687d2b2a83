"""Turns the parser's raw tree into the tree of `temporal.formulas`.

In symbols, a temporal operator whose operand is an unbracketed `&`, `|`, `->` or `<->` is refused: readers of different
tools read it differently. In words the precedence of first-order policies holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lark import Token, v_args
from lark.tree import Meta

from cep_core.language.errors import Position
from cep_core.language.propositional.text.words import BINARY_SYMBOLS, CONNECTIVE_SYMBOLS, TRUTHS, UNARY_SYMBOLS
from cep_core.language.temporal.formulas import And, Equiv, Formula, Implies, Not, Or, Predicate, Truth
from cep_core.language.temporal.interval import ANY_TIME
from cep_core.language.temporal.text.interval_rules import IntervalRules
from cep_core.language.temporal.text.words import BINARY, CONNECTIVES, UNARY

_UNARY = {**UNARY, **UNARY_SYMBOLS}
_BINARY = {**BINARY, **BINARY_SYMBOLS}
_CONNECTIVES = {**CONNECTIVES, **CONNECTIVE_SYMBOLS}


@dataclass(frozen=True)
class ReadPart:
    """A formula that was read, where it stands in the text, and whether its operator is a symbol."""

    formula: Formula
    begin: int
    end: int
    in_symbols: bool = False
    bracketed: bool = False

    @property
    def is_connected(self) -> bool:
        """Whether it is a conjunction or the like without brackets."""
        return isinstance(self.formula, And | Or | Implies | Equiv) and not self.bracketed


@v_args(meta=True)
class PropositionBuilder(IntervalRules):
    """Each public method is a rule of the grammar."""

    def start(self, meta: Meta, children: list[ReadPart]) -> Formula:
        return children[0].formula

    def binary(self, meta: Meta, children: list[Any]) -> ReadPart:
        left, word, interval, right = children
        at = self._at(meta)
        part = ReadPart(
            _BINARY[word](interval or ANY_TIME, left.formula, right.formula, at),
            left.begin,
            right.end,
            word in BINARY_SYMBOLS,
        )
        for operand in (left, right):
            self._check(part, operand, at)
        return part

    def unary(self, meta: Meta, children: list[Any]) -> ReadPart:
        word, interval, body = children
        at = self._at(meta)
        formula = _UNARY[word](interval or ANY_TIME, body.formula, at)
        part = ReadPart(formula, meta.start_pos, body.end, word in UNARY_SYMBOLS)
        self._check(part, body, at)
        return part

    def connected(self, meta: Meta, children: list[Any]) -> ReadPart:
        left, word, right = children
        formula = _CONNECTIVES[word](left.formula, right.formula, self._at(meta))
        return ReadPart(formula, left.begin, right.end, word in CONNECTIVE_SYMBOLS)

    def negated(self, meta: Meta, children: list[ReadPart]) -> ReadPart:
        (body,) = children
        return ReadPart(Not(body.formula, self._at(meta)), meta.start_pos, body.end)

    def bracketed(self, meta: Meta, children: list[ReadPart]) -> ReadPart:
        return ReadPart(children[0].formula, meta.start_pos, meta.end_pos, bracketed=True)

    def named(self, meta: Meta, children: list[Token]) -> ReadPart:
        return ReadPart(Predicate(str(children[0]), (), None, self._at(meta)), meta.start_pos, meta.end_pos)

    def truth(self, meta: Meta, children: list[Token]) -> ReadPart:
        return ReadPart(Truth(TRUTHS[children[0]], self._at(meta)), meta.start_pos, meta.end_pos)

    def _check(self, temporal: ReadPart, operand: ReadPart, at: Position) -> None:
        """Refuse an operand that only precedence keeps together, where a symbol is written."""
        if not operand.is_connected or not (temporal.in_symbols or operand.in_symbols):
            return
        before = self._text[temporal.begin : operand.begin]
        inside = self._text[operand.begin : operand.end]
        after = self._text[operand.end : temporal.end]
        hint = " ".join(f"write {before}({inside}){after}, or bracket its parts otherwise".split())
        self._refuse("temporal and Boolean operators are mixed without brackets", at, hint)
