"""Turns the parser's raw tree into the trees of `temporal.formulas` and `temporal.terms`.

Iterative, so that no depth of a formula meets Python's limit; `reading` refuses what is deeper than `DEEPEST`.
"""

from __future__ import annotations

from typing import Any

from lark import Token, v_args
from lark.tree import Meta

from cep_core.language.first_order.text.words import QUANTIFIERS
from cep_core.language.temporal.formulas import (
    Aggregation,
    Comparison,
    Formula,
    Let,
    Matches,
    Not,
    Predicate,
    Truth,
)
from cep_core.language.temporal.interval import ANY_TIME
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable
from cep_core.language.temporal.text.interval_rules import IntervalRules
from cep_core.language.temporal.text.words import BINARY, CONNECTIVES, UNARY


@v_args(meta=True)
class FormulaBuilder(IntervalRules):
    """Each public method is a rule of the grammar."""

    # ------------------------------------------------------------ operators

    def binary(self, meta: Meta, children: list[Any]) -> Formula:
        left, word, interval, right = children
        return BINARY[word](interval or ANY_TIME, left, right, self._at(meta))

    def connected(self, meta: Meta, children: list[Any]) -> Formula:
        left, word, right = children
        return CONNECTIVES[word](left, right, self._at(meta))

    def negated(self, meta: Meta, children: list[Formula]) -> Formula:
        return Not(children[0], self._at(meta))

    def quantified(self, meta: Meta, children: list[Any]) -> Formula:
        word, variables, body = children
        return QUANTIFIERS[word](tuple(variable.name for variable in variables), body, self._at(meta))

    def unary(self, meta: Meta, children: list[Any]) -> Formula:
        word, interval, body = children
        return UNARY[word](interval or ANY_TIME, body, self._at(meta))

    def let(self, meta: Meta, children: list[Any]) -> Formula:
        name, parameters, definition, body = children
        names = tuple(parameter.name for parameter in parameters or ())
        return Let(self._name(name), names, definition, body, self._at(meta))

    def aggregation(self, meta: Meta, children: list[Any]) -> Formula:
        result, function, item, body = children
        return Aggregation(self._named(result), str(function), self._named(item), (), body, self._at(meta))

    def grouped_aggregation(self, meta: Meta, children: list[Any]) -> Formula:
        result, function, item, groups, body = children
        at = self._at(meta)
        return Aggregation(self._named(result), str(function), self._named(item), groups, body, at)

    def variables(self, meta: Meta, children: list[Token]) -> tuple[Variable, ...]:
        return tuple(self._named(token) for token in children)

    def none(self, meta: Meta, children: list[Token]) -> tuple[Variable, ...]:
        return ()

    # ------------------------------------------------------------ atoms

    def predicate(self, meta: Meta, children: list[Any]) -> Formula:
        name, *arguments = children
        arguments = [argument for argument in arguments if argument is not None]
        named = [argument for argument in arguments if isinstance(argument, tuple)]
        at = self._at(meta)
        if not named:
            return Predicate(self._name(name), tuple(arguments), None, at)
        if len(named) < len(arguments):
            position = next(argument for argument in arguments if not isinstance(argument, tuple)).at
            self._refuse("an argument without a name among named ones", position, "name all arguments or none")
        for index, (attribute, _) in enumerate(named):
            if attribute in [earlier for earlier, _ in named[:index]]:
                self._refuse(f"a second argument '{attribute}'", self._token_at(attribute))
        return Predicate(self._name(name), tuple(term for _, term in named), tuple(str(a) for a, _ in named), at)

    def named(self, meta: Meta, children: list[Any]) -> tuple[Token, Term]:
        name, term = children
        self._name(name)
        return (name, term)

    def compared(self, meta: Meta, children: list[Any]) -> Formula:
        left, operator, right = children
        return Comparison(operator, left, right, self._at(meta))

    def comparison(self, meta: Meta, children: list[Token]) -> str:
        return str(children[0])

    def matches(self, meta: Meta, children: list[Any]) -> Formula:
        text, regexp, groups = children
        return Matches(text, regexp, groups or (), self._at(meta))

    def groups(self, meta: Meta, children: list[Term]) -> tuple[Term | None, ...]:
        return tuple(None if term == Variable("_") else term for term in children)

    def truth(self, meta: Meta, children: list[Token]) -> Formula:
        return Truth(children[0] == "TRUE", self._at(meta))

    # ------------------------------------------------------------ terms

    def arithmetic(self, meta: Meta, children: list[Any]) -> Term:
        left, operator, right = children
        return Arithmetic(str(operator), left, right, self._at(meta))

    def negative(self, meta: Meta, children: list[Any]) -> Term:
        return Minus(children[1], self._at(meta))

    def number(self, meta: Meta, children: list[Token]) -> Term:
        token = children[0]
        return Constant(self._float(token) if "." in token else self._integer(token), self._at(meta))

    def text(self, meta: Meta, children: list[Token]) -> Term:
        return Constant(_unquoted(children[0]), self._at(meta))

    def regexp(self, meta: Meta, children: list[Token]) -> Term:
        return Regexp(_unquoted(children[0][1:]), self._at(meta))

    def variable(self, meta: Meta, children: list[Token]) -> Term:
        return Variable(self._name(children[0]), self._at(meta))

    def call(self, meta: Meta, children: list[Any]) -> Term:
        function, argument = children
        return Call(str(function), argument, self._at(meta))

    # ------------------------------------------------------------ words

    def _name(self, token: Token) -> str:
        if token[0].isdigit() and not token.replace("_", "").isalnum():
            self._refuse(f"'{token}' is no name", self._token_at(token), "write blanks around operators")
        return str(token)

    def _named(self, token: Token) -> Variable:
        at = self._token_at(token)
        if token == "_":
            self._refuse("a variable without a name", at, "'_' stands only as an argument")
        return Variable(self._name(token), at)


def _unquoted(text: str) -> str:
    return text[1:-1] if text[0] == '"' else text[1:-1].replace("''", "'")
