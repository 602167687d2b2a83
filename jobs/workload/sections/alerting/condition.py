"""The condition of an alert, from its text: `contagion.total > 10000`, `knock_on.max > 3 * median(28)`.

A condition compares one value of a query's day with a number, or with a summary of the same value over the days before.
Grammar in `condition.lark`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from cep_core.language.bound_query import AGGREGATION, MATCHING, POLICY
from cep_core.language.grammar import parser_of
from jobs.workload.files.problems import nearest

MEASURES = {
    "total": (MATCHING, POLICY),
    "rows": (AGGREGATION, MATCHING, POLICY),
    "max": (AGGREGATION,),
    "episodes": (POLICY,),
}
"""The values of a query's day, each with the kinds of queries that have it."""

SUMMARIES = ("median", "max", "min")
"""What is made of a value's days before."""

MOST_DAYS = 400
"""The most days that a summary looks back."""

LONGEST = 200
"""Characters of a condition."""

_SPOKEN = {
    "NAME": "a name",
    "DOT": "'.'",
    "COMPARISON": "one of > >= < <= = !=",
    "NUMBER": "a number",
    "STAR": "'*'",
    "LPAR": "'('",
    "RPAR": "')'",
    "$END": "the end",
}


class ConditionError(Exception):
    """A condition that cannot be read: where in its text, what is wrong, and a hint."""

    def __init__(self, start: int, length: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.start, self.length, self.message, self.hint = start, max(length, 1), message, hint


@dataclass(frozen=True)
class Summary:
    """`factor` times the median, the largest or the smallest value of the `days` days before."""

    factor: Fraction
    name: str
    days: int

    def __str__(self) -> str:
        return f"{'' if self.factor == 1 else f'{plain(self.factor)} * '}{self.name}({self.days})"


@dataclass(frozen=True)
class Condition:
    """`query.measure comparison bound`. `at`: where in the text the measure stands."""

    query: str
    measure: str
    comparison: str
    bound: Fraction | Summary
    at: int = 0

    def __str__(self) -> str:
        bound = plain(self.bound) if isinstance(self.bound, Fraction) else str(self.bound)
        return f"{self.query}.{self.measure} {self.comparison} {bound}"


def plain(number: Fraction) -> str:
    """A number as a person writes it.

    >>> plain(Fraction(10000)), plain(Fraction("1.5")), plain(Fraction("1e30"))
    ('10000', '1.5', '1e+30')
    """
    if number.denominator == 1 and abs(number) < 10**15:
        return str(number.numerator)
    return f"{float(number):.15g}" if abs(number) < Fraction(10) ** 300 else f"{number.numerator}"


def parse_condition(text: str, queries: list[str]) -> Condition:
    """The condition that a text says. `queries`: the workload's. Raises ConditionError.

    >>> str(parse_condition("late.total>1_000", ["late"])), str(parse_condition("late.max > 3*median( 28 )", ["late"]))
    ('late.total > 1000', 'late.max > 3 * median(28)')
    """
    if len(text) > LONGEST:
        raise ConditionError(0, 1, f"expected a condition of at most {LONGEST} characters")
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        raise _explained(error, text) from None
    query, measure, comparison, bound = tree.children
    assert isinstance(query, Token)
    assert isinstance(measure, Token)
    assert isinstance(bound, Tree)
    if query not in queries:
        raise _at(query, f"there is no query or policy '{query}'", nearest(query, queries))
    if measure not in MEASURES:
        raise _at(measure, f"a day of a query has no value '{measure}'", nearest(measure, MEASURES))
    return Condition(str(query), str(measure), str(comparison), _bound(bound), measure.start_pos or 0)


@cache
def _grammar() -> Lark:
    path = Path(__file__).with_name("condition.lark")
    return parser_of(path.read_text(encoding="utf-8"), path, start="condition")


def _bound(tree: Tree[Token]) -> Fraction | Summary:
    *numbers, last = tree.children
    if isinstance(last, Token):
        return Fraction(last)
    name, days = last.children
    assert isinstance(name, Token)
    assert isinstance(days, Token)
    if name not in SUMMARIES:
        raise _at(name, f"unknown summary '{name}'", nearest(name, SUMMARIES))
    if not days.isdigit() or not 1 <= int(days) <= MOST_DAYS:
        raise _at(days, f"expected a whole number of days before, from 1 to {MOST_DAYS}, found '{days}'")
    return Summary(Fraction(str(numbers[0])) if numbers else Fraction(1), str(name), int(days))


def _at(token: Token, message: str, hint: str = "") -> ConditionError:
    return ConditionError(token.start_pos or 0, len(token), message, hint)


def _explained(error: UnexpectedInput, text: str) -> ConditionError:
    """The parser's error in the terms of the language."""
    hint = "such as: contagion.total > 10000, or knock_on.max > 3 * median(28)"
    if isinstance(error, UnexpectedCharacters):
        start, message = error.pos_in_stream or 0, f"unexpected character {error.char!r}"
        accepted = set(error.allowed or ())
        if error.char == ",":
            hint = "write a large number as 10000 or 10_000"
    elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
        start, message, accepted = error.token.start_pos or 0, f"unexpected '{error.token}'", set(error.accepts or ())
        hint = "write = for equal" if error.token == "=" else hint
        return ConditionError(start, len(error.token), message + _expected(accepted), hint)
    else:
        start, message = len(text.rstrip()), "the condition ends too early"
        accepted = set(error.accepts or ()) if isinstance(error, UnexpectedToken) else set()
    return ConditionError(start, 1, message + _expected(accepted), hint)


def _expected(accepted: set[str]) -> str:
    words = sorted(_SPOKEN[name] for name in accepted if name in _SPOKEN)
    return f", expected {' or '.join(words)}" if words else ""
