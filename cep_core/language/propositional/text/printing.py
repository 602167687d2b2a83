"""A propositional formula as text, in words, that parses to the same formula. Linear in the text."""

from __future__ import annotations

from cep_core.language.temporal.formulas import Formula, Predicate, Truth
from cep_core.language.temporal.text.printing import operator_text


def formula_text(formula: Formula) -> str:
    """The text of a formula as written, or without sugar.

    >>> from cep_core.language.propositional.text.parsing import parse
    >>> formula_text(parse("(a & !b) U[0,1] □ c").formula)
    '(a AND NOT b) UNTIL[0,1] (ALWAYS c)'
    """
    return formula.event_type if isinstance(formula, Predicate) else operator_text(formula, _operand)


def _operand(formula: Formula, *without_brackets: type[Formula]) -> str:
    text = formula_text(formula)
    return text if isinstance(formula, (Predicate, Truth, *without_brackets)) else f"({text})"
