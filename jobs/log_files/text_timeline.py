"""A match as a time line of text: one line for each event; later events stand further to the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.log_files.times.log_clock import LogClock
from jobs.reports.words.values import shown

TRACK = 30
"""The width of a time line in characters, from a match's first moment to its last."""
AT_MOST = 12
"""The most events of one match that are shown; of longer matches, both ends are shown."""


@dataclass(frozen=True)
class Happening:
    """An event of a match: its columns, its variable (`b[2]`), and the attributes to show."""

    event: Mapping[str, Any]
    bound_to: str
    attributes: Sequence[str]

    @property
    def ts(self) -> int:
        return int(self.event["ts"])

    @property
    def text(self) -> str:
        values = [f"{name} {shown(self.event[name])}" for name in self.attributes if self.event.get(name) is not None]
        return ", ".join(values)


def timeline(happenings: Sequence[Happening], clock: LogClock) -> list[str]:
    """Lines of equal shape: time, place between the first event and the last, variable, row, type, attributes.

    >>> events = [{"ts": 3, "seq": 1, "event_type": "A"}, {"ts": 9, "seq": 4, "event_type": "B", "x": 2.5}]
    >>> for line in timeline([Happening(events[0], "a", []), Happening(events[1], "b", ["x"])], LogClock(None)):
    ...     print(line)
    3  |*                             |  a  row 1  A
    9  |                             *|  b  row 4  B  x 2.5
    """
    first, last = happenings[0].ts, happenings[-1].ts
    whole = list(happenings)
    left_out = len(whole) - AT_MOST
    if left_out > 1:
        half = AT_MOST // 2
        whole = [*whole[:half], *whole[-half:]]
    times = _column([clock.short(happening.ts) for happening in whole])
    bound = _column([happening.bound_to for happening in whole])
    rows = _column([f"row {happening.event['seq']}" for happening in whole])
    types = _column([shown(happening.event["event_type"]) for happening in whole])
    lines = [
        f"{time}  |{_track(happening.ts, first, last)}|  {name}  {row}  {kind}  {happening.text}".rstrip()
        for time, name, row, kind, happening in zip(times, bound, rows, types, whole, strict=True)
    ]
    if left_out > 1:
        lines.insert(AT_MOST // 2, f"{'':{len(times[0])}}   {f'... {left_out:,} more events ...':^{TRACK}}".rstrip())
    return lines


def _track(moment: int, first: int, last: int) -> str:
    place = 0 if last == first else (moment - first) * (TRACK - 1) // (last - first)
    return f"{'*':>{place + 1}}".ljust(TRACK)


def _column(texts: Sequence[str]) -> list[str]:
    width = max(map(len, texts))
    return [text.ljust(width) for text in texts]
