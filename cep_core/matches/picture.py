"""A picture of listed matches in a notebook: a row for each match, each event where it happened.

If every match is short beside the time that all span together, each would be one dot; then all begin at the left.
Cost: that of `events_of` for the matches that are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.drawing.marks import Marker
from cep_core.drawing.moments import labels_of, moment_ticks
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.ticks import round_ticks
from cep_core.drawing.tones import FAINT, series
from cep_core.frames import NamedColumns, arrow_table, read_frame
from cep_core.matches.bound_events import events_of, variables_of

WIDE = 547.0
"""The width of a picture in points: 7.6 inches."""
ROW, AROUND = 17.0, 80.0
"""Heights in points: of a match, and of everything around them."""
SMALL = 1 / 20
"""Of the time that is drawn: if every match is shorter, all begin at the left."""

_IN_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_LENGTHS = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))


@dataclass(frozen=True)
class Picture:
    """A drawing that notebooks show. `svg`: its text; `matches`: how many are drawn."""

    svg: str
    matches: int

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Writes the drawing into a file."""
        Path(path).write_text(self.svg, encoding="utf-8")


def plot(
    matches: object,
    events: object,
    *,
    label: str | None = None,
    most: int = 20,
    variables: Sequence[str] | None = None,
    ts: str | None = None,
    type: str | None = None,
    seq: str | None = None,
) -> Picture:
    """The first `most` matches on a time line: a row for each, a marker for each event, by event type.

    `label`: a column of the events; its value in a match's first event names the row, else the match's time does.
    `matches`, `events` and all else as for `events_of`. Raises ValueError where that does, and without a match.

    >>> import cep_core as cep
    >>> log = pa.table({"event_type": list("ABB"), "ts": range(3), "x": [7, 8, 9]})
    >>> picture = cep.plot(cep.match("PATTERN SEQ(A a, B+ b[]) WITHIN 9", log), log, label="x")
    >>> picture.matches, picture.svg[:4]
    (3, '<svg')
    """
    listed = arrow_table(matches).slice(0, most)
    if not listed.num_rows:
        raise ValueError("there is no match to draw")
    variables = variables_of(matches, listed) if variables is None else variables
    log = read_frame(events, NamedColumns(ts, type, seq), None)
    bound = events_of(listed, log.events, variables=variables)
    if label is not None and label not in bound.column_names:
        raise ValueError(f"no column '{label}' among those of the events")
    rows = [_events(bound, row) for row in range(listed.num_rows)]
    moments = [] if log.stamp is None else _datetimes(bound["ts"], log.stamp)
    stamps = dict(zip(bound["ts"].to_pylist(), moments, strict=True)) if moments else {}
    return Picture(_drawn(rows, label, stamps, log.unit).svg(), listed.num_rows)


def _events(bound: pa.Table, row: int) -> list[dict[str, Any]]:
    """The events of a match in the order of time."""
    chosen = bound.filter(pc.equal(bound["match"], row))
    return sorted(chosen.to_pylist(), key=lambda event: (event["ts"], event["position"]))


def _datetimes(moments: pa.ChunkedArray, stamp: pa.DataType) -> list[datetime]:
    """Numbers as datetimes, to the microsecond."""
    whole = pa.timestamp("us", stamp.tz)
    return list(moments.cast(stamp).cast(whole, safe=False).to_pylist())


def _drawn(rows: Sequence[Sequence[dict[str, Any]]], label: str | None, stamps: dict[int, datetime], unit: str) -> Plot:
    first = min(events[0]["ts"] for events in rows)
    last = max(events[-1]["ts"] for events in rows)
    longest = max(events[-1]["ts"] - events[0]["ts"] for events in rows)
    aligned = 0 < longest < SMALL * (last - first)
    types = list(dict.fromkeys(str(event["event_type"]) for events in rows for event in events))
    looks = series(types)
    figure = Plot(WIDE, AROUND + ROW * len(rows), has_key=True)
    for place, events in enumerate(rows):
        origin = events[0]["ts"] if aligned else first
        ends = [events[0]["ts"] - origin, events[-1]["ts"] - origin]
        figure.line(ends, [place, place], Stroke(FAINT, 4, round_ends=True))
        for name in types:
            xs = [event["ts"] - origin for event in events if str(event["event_type"]) == name]
            if xs:
                figure.points(xs, [place] * len(xs), Marker(looks[name].marker, looks[name].colour), label=name)
    figure.rows([_title(events, label, stamps, with_time=aligned) for events in rows])
    if aligned:
        _label_lengths(figure, longest, unit)
    elif not stamps:
        figure.x.label = f"{unit} since {first:,}"
    else:
        ticks = moment_ticks(stamps[first], stamps[last], 7)
        since = [(tick - stamps[first]).total_seconds() * _IN_SECOND[unit] for tick in ticks]
        figure.x.ticks(since, labels_of(ticks))
    return figure


def _label_lengths(figure: Plot, longest: int, unit: str) -> None:
    """Ticks of an axis of times since a match's first event, in a unit that suits the longest match."""
    sizes = ((name, size * _IN_SECOND[unit]) for name, size in _LENGTHS)
    name, size = next(((name, size) for name, size in sizes if longest >= 2 * size), (unit, 1))
    ticks = round_ticks(0, longest / size, 9)
    figure.x.ticks([tick * size for tick in ticks], [f"{tick:g}" for tick in ticks])
    figure.x.label = f"{name} since the match's first event"


def _title(events: Sequence[dict[str, Any]], label: str | None, stamps: dict[int, datetime], *, with_time: bool) -> str:
    first = events[0]["ts"]
    since = f"{stamps[first]:%Y-%m-%d %H:%M:%S}" if stamps else f"{first:,}"
    if label is None:
        return since
    return f"{events[0][label]}, {since}" if with_time else str(events[0][label])
