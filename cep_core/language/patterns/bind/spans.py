"""Converts spans of WITHIN and SLIDE to the log's unit."""

from __future__ import annotations

from fractions import Fraction

from cep_core.language.durations import NANOSECONDS
from cep_core.language.patterns.bind.naming import Report
from cep_core.language.patterns.query import Window
from cep_core.language.patterns.syntax import SpanUnit, WrittenSpan

MOST_WINDOWS = 10**7
"""The most windows that may contain one event; each window is a row of the result."""
_OF_SPAN = {
    SpanUnit.MILLISECONDS: "ms",
    SpanUnit.SECONDS: "s",
    SpanUnit.MINUTES: "m",
    SpanUnit.HOURS: "h",
    SpanUnit.DAYS: "d",
}


def window_of(within: WrittenSpan, slide: WrittenSpan | None, unit: str, report: Report) -> Window:
    """The window of a query, in the log's `unit` (ns, us, ms, s, m, h, d or any other word) or in events."""
    in_events = within.unit is SpanUnit.EVENTS
    if slide is not None and (slide.unit is SpanUnit.EVENTS) != in_events:
        report("WITHIN and SLIDE count different things", slide.at, "both in time, or both in EVENTS")
        slide = None
    step = None if slide is None else in_unit(slide, unit, report)
    size = in_unit(within, unit, report)
    if slide is not None and step is not None and size // step > MOST_WINDOWS:
        report(f"each event would be in {size // step:,} windows", slide.at, "a longer SLIDE")
    return Window(size, in_events, step)


def in_unit(span: WrittenSpan, unit: str, report: Report) -> int:
    """The span as a whole number of the log's unit (or of events). Reports a span that is not a whole number of them.

    >>> from cep_core.language.errors import Position
    >>> in_unit(WrittenSpan(1.5, SpanUnit.MINUTES, Position(1, 1)), "s", print)
    90
    """
    factor = Fraction(1)
    if span.unit is not None and span.unit is not SpanUnit.EVENTS:
        if unit not in NANOSECONDS:
            report(f"a span in {span.unit} over a log counted in '{unit}'", span.at, "write a bare number")
            return 1
        factor = Fraction(NANOSECONDS[_OF_SPAN[span.unit]], NANOSECONDS[unit])
    size = Fraction(str(span.number)) * factor
    if size.denominator != 1:
        counted = "events" if span.unit is SpanUnit.EVENTS else f"'{unit}', the log's unit"
        report(f"the span is not a whole number of {counted}", span.at, "")
    if size >= 2**62:
        report("the span does not fit 64 bits", span.at, "")
    return max(int(size), 1)
