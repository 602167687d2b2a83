"""A matching query's day: matches on a time line, each event where it happened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from matplotlib.axes import Axes

from cep_core.language.patterns.query import Query
from jobs.reports.attributes import entity
from jobs.reports.figures.figure import Figure
from jobs.reports.figures.time_axis import label_times
from jobs.reports.matching import CONFIDENCE, Match, variables
from jobs.reports.moments import Clock, spoken
from jobs.reports.palette import FAINT, series
from jobs.reports.quantities import counted, quantity
from jobs.reports.values import shown

ROWS = 12


def timeline_figure(
    query: Query, name: str, exemplars: Sequence[tuple[Match, int]], total: str, day: date, clock: Clock
) -> Figure | None:
    """A row for each match, in time order; None without matches.

    `exemplars`: at most `ROWS` matches, each with the number of matches of its key; `total` says how many there are.
    """
    if not exemplars:
        return None
    ordered = sorted(exemplars, key=lambda pair: (pair[0].row["first_ts"], pair[0].row["last_ts"]))
    chosen, counts = [match for match, _ in ordered], [count for _, count in ordered]
    names = variables(query)
    types = {variable.name: variable.event_type for variable in query.variables}
    looks = series(list(query.schema.types))
    first = min(match.row["first_ts"] for match in chosen)
    last = max(match.row["last_ts"] for match in chosen)
    keys = [key for key, _, _ in entity(query)]
    titles = [
        " ".join(shown(value, 12) for value in match.key) + (f" ×{quantity(count)}" if max(counts) > 1 else "")
        if keys
        else clock.time(match.row["first_ts"])
        for match, count in ordered
    ]
    likely = [CONFIDENCE] if CONFIDENCE in chosen[0].row else []
    if likely:
        titles = [f"{title} ({match.confidence})" for title, match in zip(titles, chosen, strict=True)]

    def draw(axes: Axes, narrow: bool) -> None:
        told: set[str] = set()
        for place, match in enumerate(chosen):
            ends = [clock.hours(match.row["first_ts"], first), clock.hours(match.row["last_ts"], first)]
            axes.plot(ends, [place, place], color=FAINT, linewidth=4, solid_capstyle="round", zorder=1)
            for variable in names:
                kind = types[variable]
                xs = [clock.hours(event["ts"], first) for event in match.events[variable]]
                if xs:
                    label = None if kind in told else shown(kind, 20)
                    told.add(kind)
                    axes.plot(
                        xs, [place] * len(xs), looks[kind].marker, color=looks[kind].colour, markersize=5, label=label
                    )
        axes.set_yticks(range(len(chosen)), titles)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        label_times(axes, clock, first, first, last, narrow=narrow)
        axes.figure.legend(loc="outside upper left", ncols=3, columnspacing=1.0)

    tall = 1.1 + 0.24 * len(chosen)
    longest = max(chosen, key=lambda match: (match.length, match.duration))
    by_key = keys and len({match.key for match in chosen}) > 1
    if likely:
        best, ranked = "likeliest", "likeliest matches (confidence in brackets)"
    else:
        best, ranked = "longest", "matches with most events"
    what = f"The {ranked}"
    if by_key:
        what = f"The {best} match of each {' and '.join(keys)} with most matches (× their number"
        what += "; confidence in brackets)" if likely else ")"
    return Figure(
        f"{name}-timeline",
        f"Time line of {counted(len(chosen), 'match', 'matches')} of {spoken(day)}; the longest has "
        f"{counted(longest.length, 'event')} in {clock.length(longest.duration)}.",
        f"{what}: each event where it happened, coloured by its type. n = {len(chosen)} of {total} certain on "
        f"{spoken(day)}.",
        ["match", *keys, "matches", *likely, "variable", "event_type", "time", "ts", "seq"],
        [
            [
                place + 1,
                *match.key,
                counts[place],
                *([match.row[CONFIDENCE]] if likely else []),
                variable,
                types[variable],
                clock.iso(event["ts"]),
                event["ts"],
                event["seq"],
            ]
            for place, match in enumerate(chosen)
            for variable in names
            for event in match.events[variable]
        ],
        draw,
        (tall, tall),
    )
