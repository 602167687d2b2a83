"""The parts of a day under shedding: how late events were, what was missed, and what was dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from cep_core.drawing.marks import Across, Boxes, Marker, Words
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.shedding.shedders.events import EVENTS_BY_TYPE
from cep_core.shedding.shedders.nothing import UNSHED
from jobs.reports.comparisons.shedding_answer import described_load
from jobs.reports.comparisons.shedding_comparison import DayPart, SheddingComparison
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.palette import BOUND, strategy_look
from jobs.reports.figures.drawing.time_axis import label_times
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import counted, quantity, virtual
from jobs.reports.words.values import shown


def latency_figure(compared: SheddingComparison, day: date, clock: Clock) -> Figure | None:
    """The latest event of each part of the day, with the bound drawn in; None without events."""
    by_strategy = {name: parts for name, parts in compared.parts.items() if any(part.events for part in parts)}
    if not by_strategy:
        return None
    bound, each = compared.bound_ns, _each(by_strategy, clock)
    # a logarithmic axis has no place for events that cost nothing
    least = min(
        (part.latency_max for parts in by_strategy.values() for part in parts if part.latency_max > 0), default=1
    )

    def draw(plot: Plot) -> None:
        _lines(plot, by_strategy, clock, lambda part: max(part.latency_max, least) if part.events else float("nan"))
        plot.add(Across(bound, Stroke(BOUND, 1.2, (4, 2))))
        plot.add(Words(plot.x.first or 0.0, bound, f"bound {virtual(bound)}", BOUND, side="above", moved=(3, -1)))
        plot.y.logarithmic = True
        plot.y.words = virtual
        plot.y.label = "latency of the latest event"

    worst = {name: max(part.latency_max for part in parts) for name, parts in by_strategy.items()}
    events = sum(part.events for part in next(iter(by_strategy.values())))
    broken = [f"{shown(name)} {virtual(value)}" for name, value in worst.items() if value > bound]
    finding = f"Above it at some time: {'; '.join(broken)}." if broken else "No strategy is ever above it."
    return Figure(
        "shedding-latency",
        f"Line chart of the latest event in each {each} of {spoken(day)} at {described_load(compared)}, against the "
        f"bound of {virtual(bound)}. {finding}",
        f"Latency of the latest event in each {each} of the day, in virtual time on a logarithmic axis, at "
        f"{described_load(compared)}; the dashed line is the bound of {virtual(bound)}. "
        f"n = {counted(int(events), 'event')} of one run a strategy (the first seed); the file has the mean as well. "
        f"{finding}",
        ["strategy", "from", "to", "events", "latency_mean_ns", "latency_max_ns", "late_events", "bound_ns"],
        [
            [
                name,
                clock.iso(part.begin),
                clock.iso(part.end),
                part.events,
                part.latency_mean,
                part.latency_max,
                part.late_events,
                bound,
            ]
            for name, parts in by_strategy.items()
            for part in parts
        ],
        draw,
        (3.3, 3.6),
    )


def missed_figure(compared: SheddingComparison, day: date, clock: Clock) -> Figure | None:
    """The matches missed in each part of the day; None if nothing was missed."""
    by_strategy = {name: parts for name, parts in compared.parts.items() if name != UNSHED.name}
    totals = {name: sum(part.missed for part in parts) for name, parts in by_strategy.items()}
    if not any(totals.values()):
        return None

    def draw(plot: Plot) -> None:
        _lines(plot, by_strategy, clock, lambda part: part.missed)
        plot.y.limits(0, None)
        plot.y.label = f"{_weighted(compared)}matches missed"

    each = _each(by_strategy, clock)
    peaks = {name: max(parts, key=lambda part: part.missed) for name, parts in by_strategy.items() if totals[name]}
    most = "; ".join(f"{shown(name)} most from {clock.time(part.begin)}" for name, part in peaks.items())
    return Figure(
        "shedding-missed",
        f"Line chart of matches missed in each {each} of {spoken(day)} at {described_load(compared)}. {most}.",
        f"{f'{_weighted(compared)}matches'.capitalize()} missed, by the {each} of the day in which they would have "
        f"ended, "
        f"at {described_load(compared)}. n = one run a strategy (the first seed). In all: "
        + "; ".join(f"{shown(name)} {quantity(total)}" for name, total in totals.items())
        + ".",
        ["strategy", "from", "to", "missed"],
        _rows(by_strategy, clock, lambda part: part.missed),
        draw,
        (2.9, 3.2),
    )


def dropped_figure(compared: SheddingComparison, day: date, clock: Clock) -> Figure | None:
    """One row for each strategy, with a stronger colour for more drops; None if nothing was dropped."""
    by_strategy = {name: parts for name, parts in compared.parts.items() if any(part.dropped for part in parts)}
    if not by_strategy:
        return None
    first = next(iter(by_strategy.values()))
    start, end = first[0].begin, first[-1].end
    peaks = {name: max(part.dropped for part in parts) for name, parts in by_strategy.items()}

    def draw(plot: Plot) -> None:
        for row, (name, parts) in enumerate(by_strategy.items()):
            shed = [part for part in parts if part.dropped]
            hours = [(clock.hours(part.begin, start), clock.hours(part.end, start)) for part in shed]
            cells = [(left, left + (right - left) * 0.94, row - 0.4, row + 0.4) for left, right in hours]
            depths = [0.12 + 0.88 * part.dropped / peaks[name] for part in shed]
            plot.add(Boxes(cells, strategy_look(name).colour, depths))
        plot.rows([shown(name, 24) for name in by_strategy])
        label_times(plot, clock, start, start, end)

    each = _each(by_strategy, clock)
    totals = [
        f"{shown(name)} {quantity(sum(part.dropped for part in parts))}"
        + (" events left out of partial matches" if name == EVENTS_BY_TYPE.name else "")
        + f" (at most {quantity(peaks[name])} in one {each})"
        for name, parts in by_strategy.items()
    ]
    when = [
        f"{shown(name)} from {clock.time(max(parts, key=lambda part: part.dropped).begin)}"
        for name, parts in by_strategy.items()
    ]
    tall = 0.9 + 0.32 * len(by_strategy)
    return Figure(
        "shedding-dropped",
        f"Heat strip of what each strategy dropped over {spoken(day)} at {described_load(compared)}. Most: "
        f"{'; '.join(when)}.",
        f"Partial matches dropped in each {each} of the day at {described_load(compared)}; a stronger colour is more, "
        f"each row on its own scale. n = one run a strategy (the first seed). In all: {'; '.join(totals)}.",
        ["strategy", "from", "to", "dropped"],
        _rows(by_strategy, clock, lambda part: part.dropped),
        draw,
        (tall, tall),
    )


def _weighted(compared: SheddingComparison) -> str:
    return "weighted " if len(set(compared.weights.values()) | {1.0}) > 1 else ""


def _each(by_strategy: Mapping[str, Sequence[DayPart]], clock: Clock) -> str:
    """The name of a part of the day: an hour, or its length."""
    part = next(iter(by_strategy.values()))[0]
    length = clock.length(part.end - part.begin)
    return "hour" if length == "1 hour" else f"{length.removesuffix('s')}s"


def _rows(
    by_strategy: Mapping[str, Sequence[DayPart]], clock: Clock, measure: Callable[[DayPart], float]
) -> list[list[str | int | float | None]]:
    return [
        [name, clock.iso(part.begin), clock.iso(part.end), measure(part)]
        for name, parts in by_strategy.items()
        for part in parts
    ]


def _lines(
    plot: Plot, by_strategy: Mapping[str, Sequence[DayPart]], clock: Clock, measure: Callable[[DayPart], float]
) -> None:
    """One line for each strategy, with each point in the middle of its part."""
    first = next(iter(by_strategy.values()))
    start, end = first[0].begin, first[-1].end
    for name, parts in by_strategy.items():
        look = strategy_look(name)
        xs = [clock.hours(part.begin + part.end, 2 * start) / 2 for part in parts]
        ys = [measure(part) for part in parts]
        marker = Marker(look.marker, look.colour, 5)
        plot.line(xs, ys, Stroke(look.colour, 1.2), marker=marker, label=shown(name, 24))
    label_times(plot, clock, start, start, end)
    plot.has_key = True
