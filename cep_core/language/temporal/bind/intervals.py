"""Intervals of a formula as whole numbers of the log's unit, with both ends included.

The parser refuses negative intervals, and empty ones as far as it can without knowing the log's unit; here the rest of
the empty ones is refused. Linear in the formula.
"""

from __future__ import annotations

from dataclasses import replace

from cep_core.language.durations import NANOSECONDS
from cep_core.language.errors import Position
from cep_core.language.temporal.bind.reporting import Report
from cep_core.language.temporal.formulas import Binary, Formula, Unary
from cep_core.language.temporal.interval import ANY_TIME, Interval
from cep_core.language.temporal.walk import with_operands

_GREATEST = 2**62


def with_resolved_intervals(formula: Formula, unit: str, report: Report) -> Formula:
    """The formula with every interval in the log's unit.

    >>> from cep_core.language.temporal.formulas import Once, Truth
    >>> with_resolved_intervals(Once(Interval(0, 2, "", "m", high_open=True), Truth(True)), "s", print).interval.high
    119
    """
    inside = with_operands(formula, lambda part: with_resolved_intervals(part, unit, report))
    if isinstance(inside, Unary | Binary):
        return replace(inside, interval=_resolved(inside.interval, unit, inside.at, report))
    return inside


def _resolved(interval: Interval, unit: str, at: Position, report: Report) -> Interval:
    """The interval in the log's unit; `ANY_TIME` if it was reported."""
    units = {name for name in (interval.low_unit, interval.high_unit) if name and name != unit}
    if units and unit not in NANOSECONDS:
        report(f"an interval in {min(units)} over a log counted in '{unit}'", at, "write bare numbers")
        return ANY_TIME
    try:
        resolved = interval.resolved(unit)
    except ValueError as fault:
        report(f"{fault}, the log's unit", at, "")
        return ANY_TIME
    if resolved.is_empty:
        report("an empty interval: no time difference lies in it", at, "[a,b] includes both of its ends")
    elif max(resolved.low, resolved.high or 0) >= _GREATEST:
        report("the interval does not fit 64 bits", at, "write * for an interval without end")
    else:
        return resolved
    return ANY_TIME
