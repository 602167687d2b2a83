"""A matching query's day: matches on a time line, each event where it happened.

If every match is short compared with the time that all span together, each would be one dot. Then all are drawn from
their first events on.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from cep_core.drawing.marks import Marker
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import FAINT, series
from cep_core.language.patterns.query import Query
from jobs.reports.answers.attributes import entity, entity_titles
from jobs.reports.answers.matching import CONFIDENCE, Match, many, variables
from jobs.reports.answers.tallies import Key, Tally, Totals
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.time_axis import label_lengths, label_times
from jobs.reports.words.clock import Clock, spoken
from jobs.reports.words.quantities import counted, quantity
from jobs.reports.words.values import listed, shown

ROWS = 12
SMALL = 1 / 20
"""A share of the drawn time. If every match lasts less, all are drawn from their first events on."""


def timeline_figure(
    query: Query,
    name: str,
    exemplars: Sequence[tuple[Match, int]],
    totals: Totals,
    whose: Tally[Key],
    day: date,
    clock: Clock,
) -> Figure | None:
    """A row for each match, in time order; None without matches.

    `exemplars`: at most `ROWS` matches, each with the number of matches of its key, counted as `whose` says.
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
    lasting = max(match.duration for match in chosen)
    aligned = 0 < lasting < SMALL * (last - first)
    keys = [key for key, _, _ in entity(query)]
    titles = [_title(match, count, many_each=max(counts) > 1, aligned=aligned, clock=clock) for match, count in ordered]
    likely = [CONFIDENCE] if CONFIDENCE in chosen[0].row else []

    def draw(plot: Plot) -> None:
        for place, match in enumerate(chosen):
            origin = match.row["first_ts"] if aligned else first
            ends = [clock.hours(match.row["first_ts"], origin), clock.hours(match.row["last_ts"], origin)]
            plot.line(ends, [place, place], Stroke(FAINT, 4, round_ends=True))
            for variable in names:
                kind = types[variable]
                xs = [clock.hours(event["ts"], origin) for event in match.events[variable]]
                if xs:
                    marker = Marker(looks[kind].marker, looks[kind].colour)
                    plot.points(xs, [place] * len(xs), marker, label=shown(kind, 20))
        plot.rows(titles)
        if aligned:
            label_lengths(plot, clock, lasting)
        else:
            label_times(plot, clock, first, first, last)
        plot.has_key = True

    tall = 1.1 + 0.24 * len(chosen)
    longest = max(chosen, key=lambda match: (match.length, match.duration))
    some = "listed " if totals.truncated else ""
    best = "likeliest" if likely else "longest"
    title = f"The {some}matches that the table shows first"
    notes = ["In brackets: the confidence."] if likely else []
    if len(whose.counts) > 1:
        title = f"The {best} {some}match of each {listed(entity_titles(query))}, for those with the most matches"
        if max(counts) > 1:
            notes.insert(
                0, f"×: how many{whose.of} it has." if whose.listed is not None else "×: how many matches it has."
            )
        without = len(whose.counts) - len(chosen)
        if totals.truncated and whose.listed is None and len(chosen) < ROWS and without:
            notes.append(f"{without} {'has' if without == 1 else 'have'} no listed match.")
    place = "Each row begins at the match's first event" if aligned else "Each event stands where it happened"
    return Figure(
        f"{name}-timeline",
        f"Time line of {counted(len(chosen), f'{some}match', f'{some}matches')} of {spoken(day)}; the longest {some}"
        f"has {counted(longest.length, 'event')} in {clock.length(longest.duration)}.",
        " ".join(
            [
                f"{title}. {place}; colours are event types.",
                *notes,
                f"n = {len(chosen)} {some}of {many(totals)} certain on {spoken(day)}.",
            ]
        ),
        [
            "match",
            *keys,
            "matches" if whose.listed is None else "listed_matches",
            *likely,
            "variable",
            "event_type",
            "time",
            "ts",
            "seq",
        ],
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


def _title(match: Match, count: int, *, many_each: bool, aligned: bool, clock: Clock) -> str:
    """A row's label: the key, its number of matches, the confidence, and the start if the axis does not show it."""
    since = clock.time(match.row["first_ts"])
    title = " ".join(shown(value, 12) for value in match.key) + (f" ×{quantity(count)}" if many_each else "")
    title = f"{title}, {since}" if match.key and aligned else title if match.key else since
    return f"{title} ({match.confidence})" if CONFIDENCE in match.row else title
