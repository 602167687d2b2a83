"""Prints trees as text. Parsing the printed text gives the same tree again."""

from __future__ import annotations

from cep_core.aggregates.registry import over_trends
from cep_core.language.patterns.query import Skip
from cep_core.language.patterns.syntax import AttributeName, Item, TrendAggregate, WrittenQuery, WrittenSpan
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
    WholeSum,
)

_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN, _ATOM = range(8)
"""How tightly an expression binds."""

_SPANS = {Span.ALL: "", Span.BEFORE: "..i-1", Span.UP_TO: "..i"}


def print_query(query: WrittenQuery) -> str:
    """The text of a query, one line for each clause.

    >>> from cep_core.language.patterns.text.parsing import parse
    >>> print(print_query(parse("within 5min pattern seq(A a; ~B, C+ c[]) where [x] ^ c[i].v ≥ c[i-1].v")))
    PATTERN SEQ(A a, NOT B, C+ c[])
    WHERE [x] AND c.v >= c[i-1].v
    WITHIN 5 minutes
    """
    lines = []
    if query.returns:
        lines.append("RETURN " + ", ".join(_item(item) for item in query.returns))
    lines.append("PATTERN " + print_pattern(query.pattern))
    if query.strategy or query.equivalences or query.conditions:
        lines.append("WHERE " + _where(query))
    if query.group_by:
        lines.append("GROUP-BY " + ", ".join(_attribute(name) for name in query.group_by))
    within = f"WITHIN {_span(query.within)}"
    lines.append(within if query.slide is None else f"{within} SLIDE {_span(query.slide)}")
    if query.skip is not None:
        words = query.skip.kind.value.upper()
        named = query.skip.kind in (Skip.TO_FIRST, Skip.TO_LAST)
        lines.append(f"AFTER MATCH SKIP {words}" + (f" {query.skip.variable}" if named else ""))
    if query.confidence is not None:
        lines.append(f"WITH CONFIDENCE {query.confidence.operator} {query.confidence.threshold!r}")
    return "\n".join(lines)


def _where(query: WrittenQuery) -> str:
    conditions = [_at_least(condition, _NOT) for condition in query.conditions]
    if query.equivalences:
        conditions.insert(0, "[" + ", ".join(_attribute(name) for name in query.equivalences) + "]")
    text = " AND ".join(conditions)
    if query.strategy is None:
        return text
    return f"{query.strategy.value} {{ {text} }}" if text else query.strategy.value


def _item(item: Item) -> str:
    value = item.value
    text = _over_trends(value) if isinstance(value, TrendAggregate) else _at_least(value, _COMPARISON)
    return text if item.alias is None else f"{text} AS {item.alias}"


def _over_trends(aggregate: TrendAggregate) -> str:
    return over_trends(aggregate.function, aggregate.target).label(aggregate.target or "", aggregate.attribute)


def _attribute(name: AttributeName) -> str:
    return f"{name.variable}.{name.attribute}" if name.variable else name.attribute


def spans_without_unit(query: WrittenQuery) -> tuple[str, ...]:
    """The spans of a query that count the log's unit, as written.

    >>> from cep_core.language.patterns.text.parsing import parse
    >>> spans_without_unit(parse("PATTERN A WITHIN 60 SLIDE 5 s"))
    ('WITHIN 60',)
    """
    spans = (("WITHIN", query.within), ("SLIDE", query.slide))
    return tuple(f"{word} {_span(span)}" for word, span in spans if span is not None and span.unit is None)


def _span(span: WrittenSpan) -> str:
    return f"{span.number!r}" if span.unit is None else f"{span.number!r} {span.unit.value}"


# ---------------------------------------------------------------- patterns


def print_pattern(pattern: Pattern) -> str:
    """The text of a pattern."""
    match pattern:
        case Unit():
            return f"{pattern.event_type} {pattern.variable}" if pattern.variable else pattern.event_type
        case Sequence():
            return "SEQ(" + ", ".join(print_pattern(element) for element in pattern.elements) + ")"
        case Kleene():
            return _repeated(pattern)
        case Alternative():
            return " OR ".join(_side(option) for option in pattern.options)
        case Conjunction():
            return f"{_side(pattern.left)} AND {_side(pattern.right)}"
        case AnyOf():
            n = "" if pattern.n == len(pattern.units) else f"{pattern.n}, "
            return f"ANY({n}" + ", ".join(print_pattern(unit) for unit in pattern.units) + ")"
        case Not():
            return "NOT " + _side(pattern.body)


def _side(pattern: Pattern) -> str:
    """A pattern as an operand of OR, AND or NOT: in parentheses unless it binds tighter than all of them."""
    text = print_pattern(pattern)
    return f"({text})" if isinstance(pattern, Alternative | Conjunction) else text


def _repeated(pattern: Kleene) -> str:
    quantifier = _quantifier(pattern.least, pattern.most)
    body = pattern.body
    if isinstance(body, Unit):
        return body.event_type + quantifier + (f" {body.variable}[]" if body.variable else "")
    return f"({print_pattern(body)}){quantifier}"


def _quantifier(least: int, most: int | None) -> str:
    short = {(1, None): "+", (0, None): "*", (0, 1): "?"}
    if (least, most) in short:
        return short[least, most]
    if least == most:
        return f"{{{least}}}"
    return f"{{{least},{'' if most is None else most}}}"


# ---------------------------------------------------------------- expressions


def print_expression(expression: Expression) -> str:
    """The text of an expression."""
    return _print(expression)[0]


def _at_least(expression: Expression, level: int) -> str:
    """The text, in parentheses if it binds less tightly than `level`."""
    text, binding = _print(expression)
    return text if binding >= level else f"({text})"


def _print(expression: Expression) -> tuple[str, int]:
    """The text and how tightly it binds."""
    match expression:
        case Literal():
            return _literal(expression.value), _ATOM
        case Reference():
            return _reference(expression), _ATOM
        case PrefixAggregate():
            attribute = "" if expression.attribute is None else f".{expression.attribute}"
            return f"{expression.function}({expression.variable}[{_SPANS[expression.span]}]{attribute})", _ATOM
        case Arithmetic():
            level = _SUM if expression.operator in "+-" else _PRODUCT
            left, right = _at_least(expression.left, level), _at_least(expression.right, level + 1)
            return f"{left} {expression.operator} {right}", level
        case Negative():
            return f"-{_at_least(expression.operand, _ATOM)}", _SIGN
        case WholeSum():
            return _whole_sum(expression), _SUM
        case Comparison():
            left, right = _at_least(expression.left, _SUM), _at_least(expression.right, _SUM)
            return f"{left} {expression.operator} {right}", _COMPARISON
        case Logical():
            level = _OR if expression.operator == "or" else _AND
            joint = f" {expression.operator.upper()} "
            return joint.join(_at_least(operand, level + 1) for operand in expression.operands), level
        case Negation():
            return f"NOT {_at_least(expression.operand, _NOT)}", _NOT
        case In():
            values = ", ".join(_literal(value.value) for value in expression.values)
            return f"{_at_least(expression.operand, _SUM)} IN ({values})", _COMPARISON
        case Between():
            operand, low, high = (
                _at_least(part, _SUM) for part in (expression.operand, expression.low, expression.high)
            )
            return f"{operand} BETWEEN {low} AND {high}", _COMPARISON
        case Like():
            return f"{_at_least(expression.operand, _SUM)} LIKE {_literal(expression.pattern)}", _COMPARISON
        case IsNull():
            subject = expression.variable if expression.operand is None else _at_least(expression.operand, _SUM)
            return f"{subject} IS NULL", _COMPARISON


def _whole_sum(expression: WholeSum) -> str:
    """Added terms first."""
    terms = sorted(expression.terms, key=lambda term: term[1])
    added = [(str(expression.limit), False)] if expression.limit or not terms or terms[0][1] else []
    printed = [*added, *((_at_least(term, _PRODUCT), minus) for term, minus in terms)]
    return printed[0][0] + "".join(f" {'-' if minus else '+'} {text}" for text, minus in printed[1:])


def _literal(value: Scalar) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case _:
            return repr(value)


def _reference(reference: Reference) -> str:
    variable, attribute = reference.variable, reference.attribute
    match reference.which:
        case Which.EACH:
            return f"{variable}.{attribute}" if variable else attribute
        case Which.PREVIOUS:
            return f"{variable}[i-1].{attribute}"
        case Which.LAST:
            return f"{variable}[last].{attribute}"
        case Which.AT:
            return f"{variable}[{reference.index}].{attribute}"
        case Which.NEXT_NEIGHBOUR:
            return f"NEXT({variable}).{attribute}"
        case Which.PREVIOUS_NEIGHBOUR:
            return f"PREV({variable}).{attribute}"
