"""From the parser's raw tree to the trees of `tree` and `syntax`: what the grammar cannot say is checked here.

Numbers fit 64 bits, indices and ranges are the ones the language knows, aggregates over all trends and `[x]` stand
where they mean something, each clause occurs once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NoReturn

from lark import Token, Transformer, v_args
from lark.tree import Meta

from cep_core.language.errors import Position, QueryError
from cep_core.language.patterns.query import Skip, Strategy
from cep_core.language.patterns.syntax import (
    AttributeName,
    Item,
    SpanUnit,
    TrendAggregate,
    WrittenQuery,
    WrittenSkip,
    WrittenSpan,
)
from cep_core.language.patterns.tree import (
    Alternative,
    AnyOf,
    Arithmetic,
    Between,
    Comparison,
    Conjunction,
    Expression,
    In,
    IsNull,
    Kleene,
    Like,
    Literal,
    Logical,
    Negation,
    Negative,
    Not,
    Pattern,
    PrefixAggregate,
    Reference,
    Scalar,
    Sequence,
    Span,
    Unit,
    Which,
)
from cep_core.language.patterns.walk import conjuncts, walk

_UNITS = {"m": SpanUnit.MINUTES, "s": SpanUnit.SECONDS, "h": SpanUnit.HOURS, "d": SpanUnit.DAYS, "e": SpanUnit.EVENTS}
_COMPARISONS = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}
_LEGAL_INDICES = "write b[i], b[i-1], b[last] or b[1]"


@dataclass(frozen=True)
class _Equivalence:
    """`[company, P.vehicle]`, on its way to `WrittenQuery.equivalences`."""

    attributes: tuple[AttributeName, ...]
    at: Position


@dataclass(frozen=True)
class _Clause:
    """A clause's name, where it stands, and the fields of `WrittenQuery` that it fills."""

    name: str
    at: Position
    fields: dict[str, Any]


@dataclass(frozen=True)
class _Variable:
    name: str
    brackets: bool
    at: Position


@v_args(meta=True)
class TreeBuilder(Transformer[Token, Any]):
    """Builds bottom-up; each method is a rule of the grammar."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__()
        self._text = text
        self._path = path

    # ------------------------------------------------------------ clauses

    def query(self, meta: Meta, clauses: list[_Clause]) -> WrittenQuery:
        fields: dict[str, Any] = {}
        seen: dict[str, _Clause] = {}
        for clause in clauses:
            if clause.name in seen:
                line = seen[clause.name].at.line
                self._refuse(f"a second {clause.name}", clause.at, f"the first is in line {line}")
            seen[clause.name] = clause
            fields |= clause.fields
        end = self._end()
        for required in ("PATTERN", "WITHIN"):
            if required not in seen:
                self._refuse(f"{required} is missing", end, "PATTERN and WITHIN are required")
        return WrittenQuery(**fields)

    def return_clause(self, meta: Meta, items: list[tuple[Item, ...]]) -> _Clause:
        return _Clause("RETURN", self._at(meta), {"returns": tuple(item for group in items for item in group)})

    def item(self, meta: Meta, children: list[Any]) -> tuple[Item, ...]:
        value, alias = children
        at = self._at(meta)
        if isinstance(value, tuple):
            if alias is not None:
                self._refuse("one name for several attributes", at, "name them one by one")
            return tuple(Item(reference, None, reference.at) for reference in value)
        if not isinstance(value, TrendAggregate):
            self._expression(value)
        return (Item(value, None if alias is None else str(alias), at),)

    def pattern_clause(self, meta: Meta, children: list[Pattern]) -> _Clause:
        return _Clause("PATTERN", self._at(meta), {"pattern": children[0]})

    def pattern_list(self, meta: Meta, elements: list[Pattern]) -> _Clause:
        return _Clause("PATTERN", self._at(meta), {"pattern": Sequence(tuple(elements), self._at(meta))})

    def where_clause(self, meta: Meta, children: list[Any]) -> _Clause:
        fields: dict[str, Any] = {}
        equivalences: list[AttributeName] = []
        conditions: list[Expression] = []
        for child in children:
            if isinstance(child, Token):
                fields["strategy"] = Strategy(child.lower())
                fields["strategy_at"] = self._token_at(child)
            elif child is not None:
                for conjunct in conjuncts(child):
                    if isinstance(conjunct, _Equivalence):
                        equivalences.extend(conjunct.attributes)
                    else:
                        conditions.append(self._expression(conjunct))
        fields |= {"equivalences": tuple(equivalences), "conditions": tuple(conditions)}
        return _Clause("WHERE", self._at(meta), fields)

    def group_clause(self, meta: Meta, attributes: list[AttributeName]) -> _Clause:
        return _Clause("GROUP-BY", self._at(meta), {"group_by": tuple(attributes)})

    def within_clause(self, meta: Meta, children: list[WrittenSpan]) -> _Clause:
        return _Clause("WITHIN", self._at(meta), {"within": children[0]})

    def slide_clause(self, meta: Meta, children: list[WrittenSpan]) -> _Clause:
        return _Clause("SLIDE", self._at(meta), {"slide": children[0]})

    def span(self, meta: Meta, children: list[Token | None]) -> WrittenSpan:
        number, unit = children
        assert number is not None
        known = None
        if unit is not None:
            word = unit.lower()
            known = SpanUnit.MILLISECONDS if word.startswith(("ms", "milli")) else _UNITS[word[0]]
        value = self._number(number)
        if value <= 0:
            self._refuse("a window has a positive size", self._at(meta))
        return WrittenSpan(value, known, self._at(meta))

    def skip_past_last(self, meta: Meta, children: list[Token]) -> _Clause:
        return self._skip(meta, Skip.PAST_LAST)

    def skip_to_next(self, meta: Meta, children: list[Token]) -> _Clause:
        return self._skip(meta, Skip.TO_NEXT)

    def skip_to_first(self, meta: Meta, children: list[Token]) -> _Clause:
        return self._skip(meta, Skip.TO_FIRST, str(children[0]))

    def skip_to_last(self, meta: Meta, children: list[Token]) -> _Clause:
        return self._skip(meta, Skip.TO_LAST, str(children[0]))

    def _skip(self, meta: Meta, kind: Skip, variable: str | None = None) -> _Clause:
        at = self._at(meta)
        return _Clause("AFTER MATCH SKIP", at, {"skip": WrittenSkip(kind, variable, at)})

    # ------------------------------------------------------------ patterns

    def alternative(self, meta: Meta, options: list[Pattern]) -> Pattern:
        return Alternative(tuple(options), self._at(meta))

    def conjunction(self, meta: Meta, sides: list[Pattern]) -> Pattern:
        if len(sides) > 2:
            self._refuse("AND joins two patterns", self._at(meta), "pairs of matches have two sides")
        return Conjunction(sides[0], sides[1], self._at(meta))

    def forbidden(self, meta: Meta, children: list[Any]) -> Pattern:
        return Not(children[1], self._at(meta))

    def grouped(self, meta: Meta, children: list[Pattern]) -> Pattern:
        return children[0]

    def sequence(self, meta: Meta, elements: list[Pattern]) -> Pattern:
        return Sequence(tuple(elements), self._at(meta))

    def any_of(self, meta: Meta, children: list[Any]) -> Pattern:
        at = self._at(meta)
        number, *units = children
        for unit in units:
            if not isinstance(unit, Unit):
                self._refuse("ANY takes plain event types", unit.at, "repeat a type to ask for it twice")
        n = len(units) if number is None else self._integer(number)
        if not 1 <= n <= len(units):
            self._refuse(f"ANY({n}, ...) of {len(units)} units", at, f"ask for 1 to {len(units)} of them")
        return AnyOf(n, tuple(units), at)

    def quantified_group(self, meta: Meta, children: list[Any]) -> Pattern:
        body, *quantifiers = children
        return self._repeated(body, quantifiers, meta)

    def unit(self, meta: Meta, children: list[Any]) -> Pattern:
        event_type = children[0]
        variable = next((child for child in children if isinstance(child, _Variable)), None)
        quantifiers = [child for child in children if isinstance(child, tuple)]
        if variable is not None and variable.brackets and not quantifiers:
            hint = f"write {event_type}+ {variable.name}[]"
            self._refuse(f"{variable.name}[] is a list, but {event_type} has no quantifier", variable.at, hint)
        # the unit itself ends before a trailing quantifier; its place is the type and the variable
        last = variable.at if variable is not None else self._token_at(event_type)
        first = self._token_at(event_type)
        length = last.column + last.length - first.column if first.line == last.line else first.length
        at = Position(first.line, first.column, length)
        body = Unit(str(event_type), "" if variable is None else variable.name, at)
        return self._repeated(body, quantifiers, meta)

    def variable(self, meta: Meta, children: list[Any]) -> _Variable:
        return _Variable(str(children[0]), children[1] is not None, self._at(meta))

    def brackets(self, meta: Meta, children: list[Any]) -> str:
        return "[]"

    def plus(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return (1, None)

    def star(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return (0, None)

    def question(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return (0, 1)

    def exactly(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return self._bounds(meta, self._integer(children[0]), self._integer(children[0]))

    def at_least(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return (self._integer(children[0]), None)

    def from_to(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return self._bounds(meta, self._integer(children[0]), self._integer(children[1]))

    def _bounds(self, meta: Meta, least: int, most: int) -> tuple[int, int | None]:
        if most < max(least, 1):
            self._refuse(
                "a repetition that never happens", self._at(meta), "write {least,most} with most >= least >= 0"
            )
        return (least, most)

    def _repeated(self, body: Pattern, quantifiers: list[tuple[int, int | None]], meta: Meta) -> Pattern:
        for least, most in quantifiers:
            body = Kleene(body, least, most, self._at(meta))
        return body

    # ------------------------------------------------------------ conditions

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
            pairs = tuple(Comparison("=", one, other, at) for one, other in zip(left, right, strict=True))
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

    def constant(self, meta: Meta, children: list[Any]) -> Expression:
        sign, literal = children
        return literal if sign is None else self._signed(literal, self._at(meta))

    def _signed(self, operand: Any, at: Position) -> Expression:
        match operand:
            case Literal(value=bool()):
                return Negative(operand, at)
            case Literal(value=int() | float() as number):
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
        """Which event, and its number, or for the last one the variable whose length is meant."""
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
            case ["NAME", "NAME"] if children[1].lower() == "len":
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
        if name in ("first", "last"):
            self._refuse(f"{function} has no meaning over all trends", self._at(meta), f"write {name}({target}[].x)")
        if (name == "count") != (attribute is None):
            hint = f"COUNT({target})" if name == "count" else f"{function}({target}.x)"
            self._refuse(f"{name} over all trends takes {'a variable' if name == 'count' else 'an attribute'}",
                         self._at(meta), f"write {hint}")  # fmt: skip
        return TrendAggregate(name, str(target), None if attribute is None else str(attribute), self._at(meta))

    def over_prefix(self, meta: Meta, children: list[Any]) -> Expression:
        function, variable, span, attribute = children
        name = str(function).lower()
        if attribute is None and name != "count":
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

    def equivalence(self, meta: Meta, children: list[AttributeName]) -> _Equivalence:
        return _Equivalence(tuple(children), self._at(meta))

    def attribute(self, meta: Meta, children: list[Token | None]) -> AttributeName:
        first, second = children
        variable, name = ("", first) if second is None else (str(first), second)
        return AttributeName(variable, str(name), self._at(meta))

    # ------------------------------------------------------------ places, numbers, refusals

    def _expression(self, expression: Expression) -> Expression:
        """The expression, unless it holds what has no meaning inside one."""
        for part in walk(expression):
            leaf: object = part
            if isinstance(leaf, TrendAggregate):
                target = leaf.target or "b"
                hint = f"inside one match write {leaf.function}({target}[].{leaf.attribute or 'x'})"
                self._refuse("an aggregate over all trends stands alone in RETURN", leaf.at, hint)
            if isinstance(leaf, _Equivalence):
                self._refuse("[...] must be a condition of its own", leaf.at, "join it to the others by AND")
            if isinstance(leaf, tuple):
                self._refuse("a.(x, y) stands in RETURN or on both sides of =", leaf[0].at)
        return expression

    def _at(self, meta: Meta) -> Position:
        if meta.empty:
            return Position(1, 1)
        if meta.line == meta.end_line:
            return Position(meta.line, meta.column, max(meta.end_column - meta.column, 1))
        line = self._text.splitlines()[meta.line - 1].rstrip()
        return Position(meta.line, meta.column, max(len(line) - meta.column + 1, 1))

    def _token_at(self, token: Token) -> Position:
        return Position(token.line or 1, token.column or 1, len(token))

    def _end(self) -> Position:
        lines = self._text.rstrip().splitlines() or [""]
        return Position(len(lines), len(lines[-1]) + 1)

    def _number(self, token: Token) -> int | float:
        if token.isdigit():
            return self._integer(token)
        value = float(token)
        if math.isinf(value):
            self._refuse("a number too large", self._token_at(token))
        return value

    def _integer(self, token: Token) -> int:
        if not token.isdigit():
            self._refuse("a whole number is needed", self._token_at(token))
        if (value := int(token)) >= 2**63:
            self._refuse("a number beyond 64 bits", self._token_at(token))
        return value

    def _refuse(self, message: str, at: Position, hint: str = "") -> NoReturn:
        raise self._error(message, at, hint)

    def _error(self, message: str, at: Position, hint: str) -> QueryError:
        return QueryError(message, at, text=self._text, path=self._path, hint=hint)


def _unquoted(token: Token) -> str:
    quote = token[0]
    return token[1:-1].replace(quote * 2, quote)


def _reach(start: Position, last: Any) -> int:
    """How many characters from `start` to the end of `last`, if on one line."""
    end: Position = last.at if hasattr(last, "at") else start
    return end.column + end.length - start.column if end.line == start.line else start.length
