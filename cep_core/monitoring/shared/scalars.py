"""Terms, comparisons and aggregations of single values, by definition, in plain Python. Tests hold the engine to them.

Values are int (64 bits), float and str; a regular expression is the text of its pattern, in the syntax of MonPoly
(OCaml's Str). Numbers are as in the rest of the house: NaN equals NaN and exceeds every number, -0.0 equals 0.0.
Integer division and MOD cut towards zero. An integer that needs more than 64 bits raises OverflowError, integer
division by zero raises ZeroDivisionError; floats follow IEEE 754. Dates are days of UTC; a float is seconds since 1970.
How texts and numbers become each other, and what a regular expression is, are definitions of their own, which the
engine shares: `arrays.conversions`, `language.first_order.regexps`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from cep_core.language.first_order.regexps import regular_expression
from cep_core.language.temporal.terms import Arithmetic, Call, Constant, Minus, Regexp, Term, Variable
from cep_core.monitoring.shared.number_texts import float_in, float_text, whole_in

Value = int | float | str
_ENDS = (-(2**63), 2**63 - 1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def plain(value: Value) -> Value:
    """The one form of equal values: -0.0 becomes 0.0, every NaN the same object, a bool an integer."""
    if isinstance(value, float):
        return math.nan if math.isnan(value) else value + 0.0
    return int(value) if isinstance(value, int) else value


def order_key(value: Value) -> tuple[bool, Value]:
    """Orders the values of one type: numbers by size, NaN last, texts by code point.

    >>> max([1.0, math.nan, math.inf], key=order_key)
    nan
    """
    return (True, 0.0) if value != value else (False, value)


_TESTS: Mapping[str, Callable[[tuple[bool, Value], tuple[bool, Value]], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compares(symbol: str, left: Value, right: Value) -> bool:
    """Whether `left symbol right` holds."""
    if symbol == "SUBSTRING":
        return str(left) in str(right)
    return _TESTS[symbol](order_key(left), order_key(right))


def value_of(term: Term, valuation: Mapping[str, Value]) -> Value:
    """The value of a term. Raises ArithmeticError if it has none.

    >>> value_of(Arithmetic("MOD", Constant(-7), Variable("x")), {"x": 4})
    -3
    """
    match term:
        case Variable():
            return valuation[term.name]
        case Constant():
            return plain(term.value)
        case Regexp():
            return term.pattern
        case Minus():
            return _arithmetic("-", 0, value_of(term.term, valuation))
        case Arithmetic():
            return _arithmetic(term.operator, value_of(term.left, valuation), value_of(term.right, valuation))
        case Call():
            return plain(_FUNCTIONS[term.function](value_of(term.argument, valuation)))


def _arithmetic(symbol: str, left: Value, right: Value) -> Value:
    if isinstance(left, int) and isinstance(right, int):
        return in_range(_of_integers(symbol, left, right))
    return plain(_of_floats(symbol, float(left), float(right)))


def in_range(value: int) -> int:
    """The integer itself, if 64 bits hold it."""
    if not _ENDS[0] <= value <= _ENDS[1]:
        raise OverflowError(f"{value} needs more than 64 bits")
    return value


def _of_integers(symbol: str, left: int, right: int) -> int:
    match symbol:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if symbol == "/" else left - right * quotient


def _of_floats(symbol: str, left: float, right: float) -> float:
    match symbol:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" if right == 0:
            return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left)
        case "/":
            return left / right
    raise ValueError(f"{symbol} is no operation of floats")


def _day(seconds: float) -> datetime:
    """The UTC date; OverflowError if the calendar lacks it."""
    if not math.isfinite(seconds):
        raise OverflowError(f"{seconds} seconds are no date")
    return _EPOCH + timedelta(seconds=math.floor(seconds))


def _integer(number: float) -> int:
    if not math.isfinite(number):
        raise OverflowError(f"{number} is no integer")
    return in_range(math.trunc(number))


_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "i2f": float,
    "f2i": _integer,
    "i2s": str,
    "s2i": lambda text: in_range(whole_in(text)),
    "f2s": float_text,
    "s2f": float_in,
    "r2s": str,
    "s2r": str,
    "YEAR": lambda seconds: _day(seconds).year,
    "MONTH": lambda seconds: _day(seconds).month,
    "DAY_OF_MONTH": lambda seconds: _day(seconds).day,
    "FORMAT_DATE": lambda seconds: _day(seconds).date().isoformat(),
}


def groups_in(text: str, pattern: str) -> tuple[str | None, ...] | None:
    r"""The groups of the pattern where it first occurs in the text, None for a group that takes no part; None: nowhere.

    >>> groups_in("zzab", r"\(z*\)\(x\)?ab"), groups_in("(b", "(a")
    (('zz', None), None)
    """
    place = regular_expression(pattern).search(text)
    return None if place is None else place.groups()


def aggregate(function: str, values: Sequence[Value]) -> Value:
    """CNT, SUM, AVG, MIN, MAX or MED of a group's values, one for each valuation.

    CNT and integer SUM are exact; AVG, MED and float SUM are the exact number, rounded once. MED of an even number of
    values is the middle of the two middle ones. Of no values, all are 0.

    >>> aggregate("MED", [4, 1, 2, 3]), aggregate("SUM", [0.1] * 10), aggregate("MAX", ["a", "b"]), aggregate("AVG", [])
    (2.5, 1.0, 'b', 0)
    """
    match function:
        case "CNT":
            return len(values)
        case "SUM":
            return _sum(values)
        case _ if not values:
            return 0
        case "MIN":
            return min(values, key=order_key)
        case "MAX":
            return max(values, key=order_key)
        case "MED":
            ordered = sorted(values, key=order_key)
            middle = ordered[(len(values) - 1) // 2 : len(values) // 2 + 1]
            return _mean(middle)
        case "AVG":
            return _mean(values)
    raise ValueError(f"no aggregation {function}")


def _sum(values: Sequence[Value]) -> Value:
    return _rounded(values, 1) if any(isinstance(value, float) for value in values) else in_range(sum(map(int, values)))


def _mean(values: Sequence[Value]) -> float:
    return _rounded(values, len(values))


def _rounded(values: Sequence[Value], parts: int) -> float:
    """The exact sum divided by `parts`, rounded once; with infinite values or NaN, their sum."""
    special = [float(value) for value in values if isinstance(value, float) and not math.isfinite(value)]
    if special:
        return float(plain(sum(special)))
    exact = sum((Fraction(value) for value in values), Fraction(0)) / parts
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
