"""Hypothesis draws of terms, and of tests of terms, for formulas with given variables.

The first letter of a variable is its type: i and j are integers, s and t texts, f a float; bound ones have a number
behind it. A term has a value for every valuation, unless it computes: then it may overflow or divide by zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import Comparison, Formula, Matches
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable
from cep_core.testing.choice import chosen
from cep_core.testing.signatures import FLOAT, INT, STRING

NAMES: Mapping[AttributeType, Sequence[str]] = {INT: ["i", "j"], STRING: ["s", "t"], FLOAT: ["f"]}
TYPES = {name: kind for kind, names in NAMES.items() for name in names}

_Choice = TypeVar("_Choice")


@dataclass(frozen=True)
class TermDrawing:
    """Draws terms and tests. `computing`: with arithmetic and conversions; `values`: the constants of each type."""

    draw: st.DrawFn
    computing: bool
    values: Mapping[AttributeType, Sequence[int | float | str]]

    def choice(self, choices: Iterable[_Choice]) -> _Choice:
        return chosen(self.draw, choices)

    def equation(self, left: Term, right: Term) -> Comparison:
        return Comparison("=", left, right) if self.draw(st.booleans()) else Comparison("=", right, left)

    def constant(self, kind: AttributeType) -> Constant:
        return Constant(self.choice(self.values[kind]))

    def test(self, kind: AttributeType, names: Sequence[str]) -> Formula:
        first, second = self.term(kind, names), self.term(kind, names)
        texts = ["SUBSTRING", "MATCHES", "MATCHES"] if kind is STRING else []
        operator = self.choice(["=", "<", "<=", ">", ">=", *texts])
        if operator == "MATCHES":
            return Matches(first, Regexp(r"a\(b*\)"), (second if self.draw(st.booleans()) else None,))
        return Comparison(operator, first, second)

    def term(self, kind: AttributeType, names: Sequence[str]) -> Term:
        variables: list[Term] = [Variable(name) for name in names if TYPES[name] is kind]
        constant: Term = self.constant(kind)
        first = self.choice(variables or [constant])
        if not self.computing or self.draw(st.booleans()):
            return self.choice([first, first, constant])
        if kind is STRING:
            return Call("i2s", self.term(INT, names))
        if kind is FLOAT and self.draw(st.booleans()):
            return Call("i2f", self.term(INT, names))
        if self.choice(range(4)) == 3:
            return Minus(first)
        divisor: Term = Constant(self.choice([2, -2]) if kind is INT else 0.0)
        operators = ["/", "MOD", "/"] if kind is INT else ["/"]
        divided = Arithmetic(self.choice(operators), first, divisor)
        return self.choice([divided, Arithmetic(self.choice("+-*"), first, self.choice([*variables, constant]))])
