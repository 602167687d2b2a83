"""The causes of a day's first violations as time lines: events, and where an event was sought in vain."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from cep_core.drawing.marks import Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.ticks import round_ticks
from cep_core.drawing.tones import INK, series
from jobs.reports.answers.causes import Cause, ExplainedViolation, attributes
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import quantity
from jobs.reports.words.values import Cell, shown

_LENGTHS = (("days", 48.0), ("hours", 2.0), ("minutes", 2 / 60), ("seconds", 0.0))
_HEADER = (
    "violation",
    "violation_ts",
    "cause",
    "claim",
    "first_time",
    "last_time",
    "first_ts",
    "last_ts",
    "points",
    "seq",
    "attributes",
)
_HOURS = {"days": 24.0, "hours": 1.0, "minutes": 1 / 60, "seconds": 1 / 3600}


def cause_lines_figure(
    name: str,
    violations: Sequence[ExplainedViolation],
    kinds: Sequence[str],
    total: int,
    day: date,
    clock: Clock,
    *,
    of_episodes: bool = False,
) -> Figure | None:
    """A row for each violation, all drawn from its moment. `kinds`: the log's event types, whose looks are the same
    in every figure of the workload; `total`: the day's violations, or its episodes, where `violations` are the first
    ones of the longest. None if no violation has a proof.
    """
    chosen = [violation for violation in violations if violation.causes]
    if not chosen:
        return None
    named = [*kinds, *dict.fromkeys(c.kind for v in chosen for c in v.causes if c.kind not in kinds)]
    looks = series(named)
    ends = [clock.hours(at, v.ts) for v in chosen for cause in v.causes for at in (cause.first, cause.last)]
    low, high = min(0.0, *ends), max(0.0, *ends)

    def draw(plot: Plot) -> None:
        for place, violation in enumerate(chosen):
            plot.points([0], [place], Marker("|", INK, 13))
            for cause in violation.causes:
                look = looks[cause.kind]
                xs = [clock.hours(cause.first, violation.ts), clock.hours(cause.last, violation.ts)]
                words = shown(cause.kind, 20)
                if cause.event is None:
                    plot.line(xs, [place + 0.22] * 2, Stroke(look.colour, 2, (1, 1.65)), label=f"no {words}")
                else:
                    plot.points(xs[:1], [place], Marker(look.marker, look.colour, 7), label=words)
        plot.rows(_titles(chosen, clock, plot.narrow))
        _label_lengths(plot, low, high)
        plot.has_key = True

    events = sum(cause.event is not None for violation in chosen for cause in violation.causes)
    tall = 1.15 + 0.3 * len(chosen)
    reason = "Why the longest episodes began." if of_episodes else "Why the first violations are violations."
    many = f"{quantity(total)} episodes" if of_episodes else f"{quantity(total)} violations certain"
    return Figure(
        f"{name}-causes",
        f"Time lines of the causes of {len(chosen)} violations of {spoken(day)}: {events} events, and what was sought "
        "in vain.",
        f"{reason} Each row is one, from its moment (the stroke at 0): marks are the "
        "events of its proof, dotted lines show from where to where an event was sought and not found; colours are "
        f"event types. n = {len(chosen)} of {many} on {spoken(day)}.",
        _HEADER,
        [_row(place + 1, v, cause, clock) for place, v in enumerate(chosen) for cause in v.causes],
        draw,
        (tall, tall + 0.35),
    )


def _label_lengths(plot: Plot, low: float, high: float) -> None:
    """Label an x axis of hours from the violation, in a unit that suits what is drawn."""
    unit = next(unit for unit, least in _LENGTHS if high - low >= least)
    margin = max(high - low, 1 / 3600) * 0.03
    plot.x.limits(low - margin, high + margin)
    size = _HOURS[unit]
    ticks = round_ticks((low - margin) / size, (high + margin) / size, 5 if plot.narrow else 9, integer=True)
    plot.x.ticks([tick * size for tick in ticks], map(quantity, ticks))
    plot.x.label = f"{unit} after the violation" if low == 0 else f"{unit} before (−) and after the violation"


def _row(number: int, violation: ExplainedViolation, cause: Cause, clock: Clock) -> list[Cell]:
    return [
        number,
        violation.ts,
        "event" if cause.event else "absence",
        cause.claim,
        clock.iso(cause.first),
        clock.iso(cause.last),
        cause.first,
        cause.last,
        cause.points,
        cause.event["seq"] if cause.event else None,
        attributes(cause.event) if cause.event else "",
    ]


def _titles(violations: Sequence[ExplainedViolation], clock: Clock, narrow: bool) -> list[str]:
    """Labels of rows. On a phone without the moment, unless labels would be equal: then one value and the time."""
    titles = [_title(violation, clock, narrow) for violation in violations]
    if not narrow or len(set(titles)) == len(titles):
        return titles
    times = [f"{clock.at(violation.ts):%H:%M}" for violation in violations]
    firsts = [next((shown(value, 8) for value in v.heading_values), "") for v in violations]
    return [f"{first} {at}".strip() for first, at in zip(firsts, times, strict=True)]


def _title(violation: ExplainedViolation, clock: Clock, narrow: bool) -> str:
    """A row's label: the first values and, where there is room, the moment."""
    values = [shown(value, 10) for value in violation.heading_values]
    kept = " ".join(values[: 2 if narrow else 4])
    when = clock.time(violation.ts)
    return f"{kept}, {when}" if kept and not narrow else kept or when
