"""Operators and intervals as text that parses to the same formula, in both policy languages.

Operands are bracketed where they bind no stronger than their operator, so that a reader need not know the precedence;
chains of AND and of OR stay without brackets. Time linear in the text; the depth of the formula is recursion's.
"""

from __future__ import annotations

from typing import Protocol

from cep_core.language.temporal.formulas import (
    And,
    Binary,
    Equiv,
    Exists,
    Forall,
    Formula,
    Implies,
    Not,
    Or,
    Release,
    Since,
    Trigger,
    Truth,
    Unary,
    Until,
)
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.text.words import BINARY, CONNECTIVES, UNARY
from cep_core.language.temporal.text.written import WrittenPolicy
from cep_core.language.temporal.walk import walk

_WORDS = {kind: word for words in (UNARY, BINARY, CONNECTIVES) for word, kind in reversed(list(words.items()))}


class OperandText(Protocol):
    """The text of an operand: in brackets, unless it is an atom or one of the given nodes."""

    def __call__(self, formula: Formula, *without_brackets: type[Formula]) -> str: ...


def operator_text(formula: Formula, operand: OperandText) -> str:
    """The text of TRUE, FALSE, a Boolean or a temporal operator, with the language's own text of its operands."""
    match formula:
        case Truth():
            return "TRUE" if formula.value else "FALSE"
        case Not():
            return f"NOT {operand(formula.body, Not)}"
        case And() | Or():
            # to the left: a AND b AND c is (a AND b) AND c
            kind = type(formula)
            return f"{operand(formula.left, kind, Not)} {_WORDS[kind]} {operand(formula.right, Not)}"
        case Implies() | Equiv():
            return f"{operand(formula.left, Not)} {_WORDS[type(formula)]} {operand(formula.right, Not)}"
        case Since() | Until() | Trigger() | Release():
            word = f"{_WORDS[type(formula)]}{interval_text(formula.interval)}"
            return f"{operand(formula.left, Not)} {word} {operand(formula.right, Not)}"
        case _:
            assert isinstance(formula, Unary), f"{type(formula).__name__} is no operator of both languages"
            word = f"{_WORDS[type(formula)]}{interval_text(formula.interval)}"
            return f"{word} {operand(formula.body, Not, *UNARY.values(), Exists, Forall)}"


def intervals_without_unit(policy: WrittenPolicy) -> tuple[str, ...]:
    """The intervals of a policy with a bound that counts the log's unit, as written. 0 is the same in every unit.

    >>> from cep_core.language.propositional.text.parsing import parse
    >>> intervals_without_unit(parse("p IMPLIES (ONCE[0,60] q AND EVENTUALLY[0,3h] r AND ONCE[5,*] q)"))
    ('[0,60]', '[5,*)')
    """
    intervals = (part.interval for part in walk(policy.formula) if isinstance(part, Unary | Binary))
    bare = (each for each in intervals if (each.low and not each.low_unit) or (each.high and not each.high_unit))
    return tuple(dict.fromkeys(map(interval_text, bare)))


def interval_text(interval: Interval) -> str:
    """An interval as written; nothing for all time differences.

    >>> interval_text(Interval(1, 30, high_unit="m", high_open=True)), interval_text(ANY_TIME)
    ('[1,30m)', '')
    """
    if interval == ANY_TIME:
        return ""
    low = f"{'(' if interval.low_open else '['}{interval.low}{interval.low_unit}"
    if interval.high is None:
        return f"{low},*)"
    return f"{low},{interval.high}{interval.high_unit}{')' if interval.high_open else ']'}"
