"""A formula as text that parses to the same formula. Time linear in the text; the depth of the formula is recursion's.

Operands are bracketed where they bind no stronger than their operator, so that a reader need not know MonPoly's
precedence; chains of AND and of OR stay without brackets.
"""

from __future__ import annotations

import re

from cep_core.language.first_order.text.words import QUANTIFIERS
from cep_core.language.temporal.formulas import (
    Aggregation,
    Comparison,
    Exists,
    Forall,
    Formula,
    Let,
    Matches,
    Not,
    Predicate,
    Truth,
)
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable
from cep_core.language.temporal.text.printing import operator_text

_QUANTIFIERS = {kind: word for word, kind in QUANTIFIERS.items()}
_ATOMS = (Predicate, Comparison, Matches, Truth)
_PRODUCTS = ("*", "/", "MOD")
_DOUBLE_QUOTED = re.compile(r'([^"\\]|\\(.|\n))*')


def formula_text(formula: Formula) -> str:
    """The text of a formula as written, or after rewriting.

    >>> from cep_core.language.temporal.formulas import And, Eventually, Or, Since
    >>> from cep_core.language.temporal.interval import ANY_TIME, Interval
    >>> p, q = Predicate("P", (Variable("x"),)), Predicate("Q")
    >>> formula_text(Or(And(p, Not(q)), Since(Interval(0, 5, high_unit="m"), q, Eventually(ANY_TIME, p))))
    '(P(x) AND NOT Q()) OR (Q() SINCE[0,5m] (EVENTUALLY P(x)))'
    """
    match formula:
        case Predicate():
            return f"{formula.event_type}({', '.join(_arguments(formula))})"
        case Comparison():
            return f"{term_text(formula.left)} {formula.operator} {term_text(formula.right)}"
        case Matches():
            groups = ", ".join("_" if group is None else term_text(group) for group in formula.groups)
            text = f"{term_text(formula.text)} MATCHES {term_text(formula.regexp)}"
            return f"{text} ({groups})" if groups else text
        case Exists() | Forall():
            names = ", ".join(formula.variables)
            return f"{_QUANTIFIERS[type(formula)]} {names}. {_operand(formula.body, Not, Exists, Forall)}"
        case Aggregation():
            groups = "".join(f"{'; ' if i == 0 else ', '}{group.name}" for i, group in enumerate(formula.groups))
            head = f"{formula.result.name} <- {formula.function} {formula.item.name}{groups}"
            return (
                f"{head} {_operand(formula.body)}"
                if isinstance(formula.body, Predicate)
                else f"{head} ({formula_text(formula.body)})"
            )
        case Let():
            parameters = ", ".join(formula.parameters)
            definition = _operand(formula.definition, Not)
            return f"LET {formula.name}({parameters}) = {definition} IN {formula_text(formula.body)}"
        case _:
            return operator_text(formula, _operand)


def _operand(formula: Formula, *without_brackets: type[Formula]) -> str:
    text = formula_text(formula)
    return text if isinstance(formula, (*_ATOMS, *without_brackets)) else f"({text})"


def _arguments(formula: Predicate) -> list[str]:
    texts = [term_text(argument) for argument in formula.arguments]
    if formula.names is None:
        return texts
    return [f"{name}={text}" for name, text in zip(formula.names, texts, strict=True)]


def term_text(term: Term) -> str:
    """The text of a term.

    >>> one = Constant(1)
    >>> print(term_text(Arithmetic("*", Arithmetic("+", Variable("x"), one), Minus(one))))
    (x + 1) * -(1)
    """
    match term:
        case Variable():
            return term.name
        case Constant():
            return _quoted(term.value) if isinstance(term.value, str) else _number(term.value)
        case Regexp():
            return f"r{_quoted(term.pattern)}"
        case Minus():
            text = term_text(term.term)
            return f"-{text}" if isinstance(term.term, Variable | Call) and not text[0].isdigit() else f"-({text})"
        case Call():
            return f"{term.function}({term_text(term.argument)})"
        case Arithmetic():
            return _arithmetic(term)


def _arithmetic(term: Arithmetic) -> str:
    left, right = term_text(term.left), term_text(term.right)
    is_product = term.operator in _PRODUCTS
    if isinstance(term.left, Arithmetic) and is_product and term.left.operator not in _PRODUCTS:
        left = f"({left})"
    if isinstance(term.right, Arithmetic) and (is_product or term.right.operator not in _PRODUCTS):
        right = f"({right})"
    return f"{left} {term.operator} {right}"


def _number(value: float) -> str:
    text = repr(value)
    if isinstance(value, int) or "." in text or "e" not in text:
        return text
    return text.replace("e", ".0e")


def _quoted(text: str) -> str:
    if _DOUBLE_QUOTED.fullmatch(text):
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"
