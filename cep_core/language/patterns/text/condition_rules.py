"""Rules of the grammar that build conditions: logic, comparison, arithmetic, references, aggregates.

Unknown indices and ranges are refused. So are `[x]` and aggregates over all trends in places where they have no
meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lark import Token, v_args
from lark.tree import Meta

from cep_core.aggregates.registry import NAMED, NOT_OVER_TRENDS, OVER_TRENDS
from cep_core.language.errors import Position
from cep_core.language.hints import did_you_mean
from cep_core.language.patterns.syntax import (
    AttributeName,
    TrendAggregate,
)
from cep_core.language.patterns.text.places import GrammarRules
from cep_core.language.patterns.tree import (
    Arithmetic,
    Between,
    Comparison,
    Expression,
    In,
    IsNull,
    Like,
    Literal,
    Logical,
    Negation,
    Negative,
    PrefixAggregate,
    Reference,
    Scalar,
    Span,
    Which,
)
from cep_core.language.patterns.walk import walk

_COMPARISONS = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}
_LEGAL_INDICES = "write b[i], b[i-1], b[last] or b[1]"


@dataclass(frozen=True)
class Equivalence:
    """`[company, P.vehicle]`, before it becomes a part of `WrittenQuery.equivalences`."""

    attributes: tuple[AttributeName, ...]
    at: Position


@v_args(meta=True)
class ConditionRules(GrammarRules):
    """Each method is a rule of the grammar."""

    def disjunction(self, meta: Meta, children: list[Any]) -> Expression:
        return Logical("or", tuple(children), self._at(meta))

    def conjuncts(self, meta: Meta, children: list[Any]) -> Expression:
        return Logical("and", tuple(children), self._at(meta))

    def negated_condition(self, meta: Meta, children: list[Any]) -> Expression:
        return Negation(children[1], self._at(meta))

    def parenthesised(self, meta: Meta, children: list[Any]) -> Any:
        return children[0]

    def compared(self, meta: Meta, children: list[Any]) -> Expression:
        left, token, right = children
        operator = _COMPARISONS.get(token, str(token))
        at = self._at(meta)
        if isinstance(left, tuple) and isinstance(right, tuple) and operator == "=" and len(left) == len(right):
            pairs = tuple(Comparison("=", of_left, of_right, at) for of_left, of_right in zip(left, right, strict=True))
            return Logical("and", pairs, at) if len(pairs) > 1 else pairs[0]
        return Comparison(operator, left, right, at)

    def in_list(self, meta: Meta, children: list[Any]) -> Expression:
        operand, negated, *values = children
        return self._maybe_not(negated, In(operand, tuple(values), self._at(meta)))

    def between(self, meta: Meta, children: list[Any]) -> Expression:
        operand, negated, low, high = children
        return self._maybe_not(negated, Between(operand, low, high, self._at(meta)))

    def like(self, meta: Meta, children: list[Any]) -> Expression:
        operand, negated, pattern = children
        return self._maybe_not(negated, Like(operand, _unquoted(pattern), self._at(meta)))

    def is_null(self, meta: Meta, children: list[Any]) -> Expression:
        operand, negated, _ = children
        return self._maybe_not(negated, IsNull(operand, None, self._at(meta)))

    def _maybe_not(self, negated: Token | None, expression: Expression) -> Expression:
        return expression if negated is None else Negation(expression, expression.at)

    def sum(self, meta: Meta, children: list[Any]) -> Expression:
        return self._chain(children)

    def product(self, meta: Meta, children: list[Any]) -> Expression:
        return self._chain(children)

    def _chain(self, children: list[Any]) -> Expression:
        result: Expression = children[0]
        for token, right in zip(children[1::2], children[2::2], strict=True):
            at = Position(result.at.line, result.at.column, _reach(result.at, right))
            result = Arithmetic("*" if token == "×" else str(token), result, right, at)
        return result

    def negative(self, meta: Meta, children: list[Any]) -> Expression:
        return self._signed(children[1], self._at(meta))

    def least(self, meta: Meta, children: list[Token]) -> Expression:
        return Literal(-int(children[1]), self._at(meta))

    def constant(self, meta: Meta, children: list[Any]) -> Expression:
        sign, literal = children
        signed: Expression = literal if sign is None else self._signed(literal, self._at(meta))
        if not isinstance(signed, Literal):
            self._refuse("a minus belongs to a number", signed.at)
        return signed

    def _signed(self, operand: Any, at: Position) -> Expression:
        match operand:
            case Literal(value=bool()):
                return Negative(operand, at)
            case Literal(value=int() | float() as number) if number != -(2**63) or isinstance(number, float):
                return Literal(-number, at)
            case _:
                return Negative(operand, at)

    def constant_unsigned(self, meta: Meta, children: list[Token]) -> Expression:
        token = children[0]
        values: dict[str, Scalar] = {"TRUE": True, "FALSE": False, "NULL": None}
        if token.type == "NUMBER":
            value: Scalar = self._number(token)
        else:
            value = values[token.type] if token.type in values else _unquoted(token)
        return Literal(value, self._at(meta))

    # ------------------------------------------------------------ references

    def bare(self, meta: Meta, children: list[Token]) -> Expression:
        return Reference("", str(children[0]), Which.EACH, self._at(meta))

    def attribute_of(self, meta: Meta, children: list[Token]) -> Expression:
        return Reference(str(children[0]), str(children[1]), Which.EACH, self._at(meta))

    def attributes_of(self, meta: Meta, children: list[Token]) -> tuple[Reference, ...]:
        variable, *names = children
        return tuple(Reference(str(variable), str(name), Which.EACH, self._token_at(name)) for name in names)

    def next_of(self, meta: Meta, children: list[Token]) -> Expression:
        return Reference(str(children[0]), str(children[1]), Which.NEXT_NEIGHBOUR, self._at(meta))

    def previous_of(self, meta: Meta, children: list[Token]) -> Expression:
        return Reference(str(children[0]), str(children[1]), Which.PREVIOUS_NEIGHBOUR, self._at(meta))

    def indexed(self, meta: Meta, children: list[Any]) -> Expression:
        variable, (which, index), attribute = children
        if which is Which.LAST and index not in ("", variable):
            self._refuse(f"{variable}[{index}.len] is not the length of {variable}", self._at(meta), _LEGAL_INDICES)
        position = index if isinstance(index, int) else 0
        return Reference(str(variable), str(attribute), which, self._at(meta), position)

    def index(self, meta: Meta, children: list[Token]) -> tuple[Which, int | str]:
        """The event that an index means.

        With its number or, for the last event, the variable whose length is written.
        """
        match [token.type for token in children]:
            case ["NUMBER"]:
                if (number := self._integer(children[0])) < 1:
                    self._refuse("events are counted from 1", self._at(meta), _LEGAL_INDICES)
                return Which.AT, number
            case ["NAME"] if children[0].lower() == "i":
                return Which.EACH, 0
            case ["NAME"] if children[0].lower() in ("n", "last"):
                return Which.LAST, ""
            case ["NAME", "MINUS", "NUMBER"] if children[0].lower() == "i" and children[2] == "1":
                return Which.PREVIOUS, 0
            case ["NAME", "FIELD"] if children[1].lower() == "len":
                return Which.LAST, str(children[0])
        raise self._error("unknown index", self._at(meta), _LEGAL_INDICES)

    def count_trends(self, meta: Meta, children: list[Token]) -> TrendAggregate:
        if children[0].lower() != "count":
            self._refuse(f"{children[0]}(*) has no meaning", self._at(meta), "COUNT(*) counts trends")
        return TrendAggregate("count", None, None, self._at(meta))

    def over_trends(self, meta: Meta, children: list[Token | None]) -> TrendAggregate:
        function, target, attribute = children
        assert function is not None
        name = function.lower()
        aggregate = NAMED[name]
        if not aggregate.over_trends:
            self._refuse(f"{function} has no meaning over all trends", self._at(meta), f"write {name}({target}[].x)")
        if aggregate.of_events != (attribute is None):
            taken, argument = ("a variable", target) if aggregate.of_events else ("an attribute", f"{target}.x")
            written = name.upper() if aggregate.of_events else function
            self._refuse(f"{name} over all trends takes {taken}", self._at(meta), f"write {written}({argument})")
        return TrendAggregate(name, str(target), None if attribute is None else str(attribute), self._at(meta))

    def defined_over_trends(self, meta: Meta, children: list[Token | None]) -> Expression:
        function, target, attribute = children
        assert function is not None
        message, hint = f"'{function}' has no meaning over all trends", ""
        if function.lower() in NOT_OVER_TRENDS:
            reason, hint = NOT_OVER_TRENDS[function.lower()]
            message += f": {reason}"
        elif (near := did_you_mean(function.lower(), OVER_TRENDS)).startswith("did"):
            hint = near
        hint = hint or f"inside one match write {function}({target}[].{attribute or 'x'})"
        raise self._error(message, self._at(meta), hint)

    def defined_over_prefix(self, meta: Meta, children: list[Any]) -> Expression:
        """An aggregate that the language does not have: the caller registers a function for its name."""
        function, variable, span, attribute = children
        if attribute is None:
            self._refuse(f"{function} takes an attribute", self._at(meta), f"write {function}({variable}[].x)")
        chosen = Span.ALL if span is None else span
        return PrefixAggregate(str(function), str(variable), chosen, str(attribute), self._at(meta))

    def over_prefix(self, meta: Meta, children: list[Any]) -> Expression:
        function, variable, span, attribute = children
        name = str(function).lower()
        if attribute is None and not NAMED[name].of_events:
            self._refuse(f"{name} takes an attribute", self._at(meta), f"write {name}({variable}[].x)")
        chosen = Span.ALL if span is None else span
        return PrefixAggregate(
            name, str(variable), chosen, None if attribute is None else str(attribute), self._at(meta)
        )

    def range(self, meta: Meta, children: list[Token | None]) -> Span:
        low, name, minus, number = children
        assert name is not None
        match (low or "1", name.lower(), minus and number):
            case ("1", "i", None):
                return Span.UP_TO
            case ("1", "i", "1"):
                return Span.BEFORE
            case ("1", "n" | "last", None):
                return Span.ALL
        raise self._error("unknown range", self._at(meta), "write b[], b[..i] or b[..i-1]")

    def equivalence(self, meta: Meta, children: list[AttributeName]) -> Equivalence:
        return Equivalence(tuple(children), self._at(meta))

    def attribute(self, meta: Meta, children: list[Token | None]) -> AttributeName:
        first, second = children
        variable, name = ("", first) if second is None else (str(first), second)
        return AttributeName(variable, str(name), self._at(meta))

    def _expression(self, expression: Expression) -> Expression:
        """The expression; refuses parts that have no meaning inside an expression."""
        for part in walk(expression):
            leaf: object = part
            if isinstance(leaf, TrendAggregate):
                target = leaf.target or "b"
                hint = f"inside one match write {leaf.function}({target}[].{leaf.attribute or 'x'})"
                self._refuse("an aggregate over all trends stands alone in RETURN", leaf.at, hint)
            if isinstance(leaf, Equivalence):
                self._refuse("[...] must be a condition of its own", leaf.at, "join it to the others by AND")
            if isinstance(leaf, tuple):
                self._refuse("a.(x, y) stands in RETURN or on both sides of =", leaf[0].at)
        return expression


def _unquoted(token: Token) -> str:
    quote = token[0]
    return token[1:-1].replace(quote * 2, quote)


def _reach(start: Position, last: Any) -> int:
    """The number of characters from `start` to the end of `last`, if both are on one line."""
    end: Position = last.at if hasattr(last, "at") else start
    return end.column + end.length - start.column if end.line == start.line else start.length
