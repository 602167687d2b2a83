"""Resolves names in expressions to variables and attributes, and checks types (`docs/language.md` 1, Types).

An attribute's type comes from the log's schema; `ts` and `seq` can be used like attributes. NULL fits every type. A
mistake is reported with its place. The type of a wrong part is unknown (None), so that each mistake is reported once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from cep_core.aggregates.registry import NAMED
from cep_core.events.schema import AttributeType, LogSchema
from cep_core.language.errors import Position
from cep_core.language.hints import did_you_mean
from cep_core.language.patterns.bind.naming import RIGHT, Report
from cep_core.language.patterns.query import Variable
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
    Which,
)
from cep_core.language.patterns.user_aggregates import UserAggregates
from cep_core.language.patterns.walk import operands, rewrite, walk

NUMBERS = (AttributeType.INT, AttributeType.FLOAT)
_OF_LISTS = {Which.PREVIOUS: "b[i-1]", Which.LAST: "b[last]", Which.AT: "b[k]"}


@dataclass(frozen=True)
class NameScope:
    """The variables of a pattern, and the schema of the log."""

    variables: Mapping[str, Variable]
    schema: LogSchema
    report: Report
    aggregates: UserAggregates = field(default_factory=dict)

    def readings(self, expression: Expression) -> tuple[Expression, ...]:
        """The expression with its names resolved: one reading, or one for each side of AND that has all its variables.

        Empty if a name is unknown; the name is then reported.
        """
        written = {part.variable for part in walk(expression) if isinstance(part, Reference | PrefixAggregate)}
        written |= {name for part in walk(expression) if (name := _asked_absent(part)) is not None}
        right = {name: name + RIGHT for name in written if name + RIGHT in self.variables}
        left = {name for name in written if name in self.variables}
        sides: list[Mapping[str, str]] = [{name: right[name] for name in right if name not in left}]
        if right and set(right) == left:
            sides = [{}, right]
        resolved = [rewrite(expression, partial(self._resolve, side)) for side in sides]
        return tuple(reading for reading in resolved if all(self._exists(part) for part in walk(reading)))

    def variable(self, name: str, at: Position) -> Variable | None:
        """The variable with this name, or the only variable of this event type."""
        if name in self.variables:
            return self.variables[name]
        typed = [variable for variable in self.variables.values() if variable.event_type == name]
        if len(typed) == 1:
            return typed[0]
        if typed:
            names = ", ".join(f"'{variable.name}'" for variable in typed)
            self.report(f"'{name}' has several variables", at, f"name one of {names}")
        else:
            self.report(f"unknown variable '{name}'", at, did_you_mean(name, self.variables))
        return None

    def attribute(self, variable: Variable, name: str, at: Position) -> AttributeType | None:
        """The type of an attribute of a variable's events. Reports an unknown attribute of a known event type."""
        kind = self.attribute_type(variable, name)
        if kind is None and self.schema.has_type(variable.event_type):
            names = [*self.schema.attributes_of(variable.event_type), "ts", "seq"]
            self.report(f"unknown attribute '{name}' of {variable.event_type}", at, did_you_mean(name, names))
        return kind

    def attribute_type(self, variable: Variable, name: str) -> AttributeType | None:
        """The type of an attribute of a variable's events; None if they have no such attribute."""
        attribute = self.schema.attributes_of(variable.event_type).get(name)
        if attribute is not None:
            return attribute.type
        return AttributeType.INT if name in ("ts", "seq") else None

    def _resolve(self, names: Mapping[str, str], part: Expression) -> Expression:
        tested = _asked_absent(part)
        if tested is not None and names.get(tested, tested) in self.variables:
            # `v IS NULL` tests whether v is unbound; the parser cannot tell a variable from an attribute
            return IsNull(None, names.get(tested, tested), part.at)
        if isinstance(part, PrefixAggregate) or (isinstance(part, Reference) and part.variable):
            name = names.get(part.variable, part.variable)
            if name not in self.variables:
                typed = [variable for variable in self.variables.values() if variable.event_type == name]
                name = typed[0].name if len(typed) == 1 else name
            if isinstance(part, PrefixAggregate):
                return replace(part, variable=name, defined=self.aggregates.get(part.function))
            return replace(part, variable=name)
        if isinstance(part, Reference) and len(self.variables) == 1:
            (only,) = self.variables.values()
            # `v IS NULL` of a pattern's only variable means the variable, unless it has an attribute with this name
            named = part.attribute == only.name and self.attribute_type(only, part.attribute) is None
            return part if named else replace(part, variable=only.name)
        return part

    def _exists(self, part: Expression) -> bool:
        """Whether a resolved reference names something that exists; if not, the reason is reported."""
        if not isinstance(part, Reference | PrefixAggregate):
            return True
        if not part.variable:
            self._report_bare(part)
            return False
        if isinstance(part, PrefixAggregate) and part.defined is None and part.function not in NAMED:
            self._report_aggregate(part)
            return False
        variable = self.variable(part.variable, part.at)
        if variable is None:
            return False
        if part.attribute is not None and self.attribute(variable, part.attribute, _attribute_at(part)) is None:
            return False
        if variable.kleene:
            return True
        if isinstance(part, PrefixAggregate) or part.which in _OF_LISTS:
            noun = "an aggregate" if isinstance(part, PrefixAggregate) else _OF_LISTS[part.which]
            hint = f"'{variable.name}' is a single event: write {variable.name}.{part.attribute or 'x'}"
            self.report(f"{noun} needs a variable under a quantifier", part.at, hint)
            return False
        return True

    def _report_aggregate(self, part: PrefixAggregate) -> None:
        names = (*NAMED, *self.aggregates)
        near = did_you_mean(part.function, names)
        hint = near if near.startswith("did") else "cep.match takes aggregates of your own; a workload has none"
        self.report(f"unknown aggregate '{part.function}'", part.at, hint)

    def _report_bare(self, part: Reference | PrefixAggregate) -> None:
        name = str(part.attribute)
        holders = [v.name for v in self.variables.values() if self.attribute_type(v, name) is not None]
        if name in self.variables:
            hint = f"write {name}.x for an attribute of it"
        elif holders:
            hint = "write " + " or ".join(f"{holder}.{name}" for holder in holders[:3])
        else:
            hint = f"text is quoted: '{name}'"
        self.report(f"'{name}' of which variable?", part.at, hint)

    # ------------------------------------------------------------ types

    def type_of(self, expression: Expression) -> AttributeType | None:
        """The type of a resolved expression; None for NULL or if a part is wrong, which is then reported."""
        match expression:
            case Literal():
                return literal_type(expression)
            case Reference():
                return self.attribute_type(self.variables[expression.variable], expression.attribute)
            case PrefixAggregate():
                return self._aggregate_type(expression)
            case Negative():
                return self._number(expression.operand) or AttributeType.INT
            case Arithmetic():
                left, right = self._number(expression.left), self._number(expression.right)
                are_whole = (left, right) == (AttributeType.INT, AttributeType.INT)
                return AttributeType.INT if are_whole and expression.operator != "/" else AttributeType.FLOAT
            case Comparison():
                self._comparable(expression.left, expression.right, expression.at, expression.operator)
            case Between():
                self._comparable(expression.operand, expression.low, expression.at, ">=")
                self._comparable(expression.operand, expression.high, expression.at, "<=")
            case In():
                for value in expression.values:
                    self._comparable(expression.operand, value, value.at, "=")
            case Like():
                if (kind := self.type_of(expression.operand)) not in (None, AttributeType.STRING):
                    self.report(f"LIKE takes text, not {kind}", expression.operand.at, "")
            case Logical() | Negation():
                for operand in operands(expression):
                    self.condition(operand)
            case IsNull():
                if expression.operand is not None:
                    self.type_of(expression.operand)
        return AttributeType.BOOL

    def condition(self, expression: Expression) -> None:
        """Report an expression that is not a condition."""
        kind = self.type_of(expression)
        if kind not in (None, AttributeType.BOOL):
            self.report(f"a condition is needed, not {_article(kind)}", expression.at, "compare it with something")

    def _number(self, expression: Expression) -> AttributeType | None:
        kind = self.type_of(expression)
        if kind is not None and kind not in NUMBERS:
            self.report(f"arithmetic takes numbers, not {_article(kind)}", expression.at, "")
            return None
        return kind

    def _comparable(self, left: Expression, right: Expression, at: Position, operator: str) -> None:
        left_kind, right_kind = self.type_of(left), self.type_of(right)
        if left_kind is None or right_kind is None:
            return
        if common_type(left_kind, right_kind) is None:
            self.report(f"{_article(left_kind)} cannot be compared with {_article(right_kind)}", at, "")
        elif left_kind is AttributeType.BOOL and operator not in ("=", "!="):
            self.report(f"truth values have no order for '{operator}'", at, "write = or !=")

    def _aggregate_type(self, expression: PrefixAggregate) -> AttributeType | None:
        if expression.defined is not None:
            return AttributeType(expression.defined.returns)
        aggregate = NAMED[expression.function]
        if expression.attribute is None:
            return aggregate.type_in_match(None)
        kind = self.attribute_type(self.variables[expression.variable], expression.attribute)
        if kind is not None and kind not in aggregate.takes.types:
            described = f"'{expression.attribute}' is {kind}" if kind in NUMBERS else f"not {_article(kind)}"
            self.report(f"{aggregate.name} takes {aggregate.takes.noun}, {described}", expression.at, aggregate.hint)
            return None
        return aggregate.type_in_match(kind)


def literal_type(literal: Literal) -> AttributeType | None:
    """The type of a constant; None for NULL."""
    match literal.value:
        case bool():
            return AttributeType.BOOL
        case int():
            return AttributeType.INT
        case float():
            return AttributeType.FLOAT
        case str():
            return AttributeType.STRING
    return None


def common_type(first: AttributeType, second: AttributeType) -> AttributeType | None:
    """The type in which two values are compared; None if they cannot be compared.

    >>> common_type(AttributeType.INT, AttributeType.FLOAT)
    <AttributeType.FLOAT: 'float'>
    """
    if first is second:
        return first
    return AttributeType.FLOAT if first in NUMBERS and second in NUMBERS else None


def _attribute_at(part: Reference | PrefixAggregate) -> Position:
    """The place of the attribute's name, which is the end of the reference."""
    name = part.attribute or ""
    if isinstance(part, PrefixAggregate) or part.at.length < len(name):
        return part.at
    return Position(part.at.line, part.at.column + part.at.length - len(name), len(name))


def _asked_absent(part: Expression) -> str | None:
    """The bare name in `name IS NULL`."""
    if isinstance(part, IsNull) and isinstance(part.operand, Reference) and not part.operand.variable:
        return part.operand.attribute
    return None


def _article(kind: AttributeType | None) -> str:
    words = {"int": "a number", "float": "a number", "string": "text", "bool": "a truth value"}
    return words[kind.value] if kind is not None else "NULL"
