"""The values of a query's days that conditions compare: from `result_days` and, for `max`, from the query's table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from jobs.reports.answers.missing import is_missing
from jobs.reports.kinds.by_kind import presentation_of
from jobs.reports.lake_reader import LakeReader
from jobs.reports.questions import Question
from jobs.reports.words.quantities import Magnitude, median
from jobs.workload.sections.alerting.condition import Summary


@dataclass(frozen=True)
class Measured:
    """A value of a day. `at_least`: it is a lower bound, since only listed matches could be counted."""

    value: Magnitude
    at_least: bool = False


def measured(
    question: Question, measure: str, records: Mapping[date, Mapping[str, Any]], reader: LakeReader
) -> dict[date, Measured]:
    """The value of each day that has a result. `records`: the query's rows of `result_days`, by day."""
    answered = {day: record for day, record in records.items() if not is_missing(record)}
    if measure == "rows":
        return {day: Measured(Magnitude.of(int(record["rows"]))) for day, record in answered.items()}
    if measure == "episodes":
        known = {day: record.get("episodes") for day, record in answered.items()}
        return {day: Measured(Magnitude.of(int(number))) for day, number in known.items() if number is not None}
    headlines = presentation_of(question).headlines(question, answered, reader)
    return {
        day: Measured(headlines.get(day, Magnitude.of(0)), at_least=_is_lower_bound(record) and measure == "total")
        for day, record in answered.items()
    }


def _is_lower_bound(record: Mapping[str, Any]) -> bool:
    return record["matches_total"] is None and record["matches_at_least"] is not None


def summarised(summary: Summary, before: Mapping[date, Measured]) -> Magnitude:
    """The summary of the days before, of which there is at least one, times its factor."""
    values = [each.value for each in before.values()]
    chosen = {
        "median": lambda: median(values),
        "max": lambda: max(values, key=lambda value: value.key),
        "min": lambda: min(values, key=lambda value: value.key),
    }[summary.name]()
    return times(chosen, summary.factor)


def times(value: Magnitude, factor: Fraction) -> Magnitude:
    """A magnitude times a number; exact where the value is.

    >>> str(times(Magnitude.of(25), Fraction(3))), str(times(Magnitude.of(None, 40.0), Fraction(10)))
    ('75', '1.0e41')
    >>> str(times(Magnitude.of(10), Fraction("0.25")))
    '2.5'
    """
    if factor == 1:
        return value
    sign = value.sign * ((factor > 0) - (factor < 0))
    if sign == 0:
        return Magnitude.of(0)
    if value.exact is None:
        return Magnitude.of(None, value.log10 + of_number(abs(factor)).log10, sign)
    return of_number(Fraction(value.exact) * factor)


def of_number(number: Fraction) -> Magnitude:
    """A number as a magnitude; a whole one of any length is exact.

    >>> of_number(Fraction(3, 2)).exact, of_number(Fraction(10) ** 400).log10
    (1.5, 400.0)
    """
    if number.denominator == 1:
        return Magnitude.of(number.numerator)
    return Magnitude.of(float(number))


def compares(left: Measured, comparison: str, right: Magnitude) -> bool | None:
    """Whether a value compares so with another; None: not known, as the value is only a lower bound.

    >>> few = Measured(Magnitude.of(5), at_least=True)
    >>> [compares(few, sign, Magnitude.of(5)) for sign in (">=", ">", "<", "!=")]
    [True, None, False, None]
    """
    a, b = left.value.key, right.key
    holds = {">": a > b, ">=": a >= b, "<": a < b, "<=": a <= b, "=": a == b, "!=": a != b}[comparison]
    if not left.at_least:
        return holds
    decided = {">": a > b, ">=": a >= b, "<": a >= b, "<=": a > b, "=": a > b, "!=": a > b}[comparison]
    return holds if decided else None
