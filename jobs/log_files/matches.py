"""Listed matches of a log for a person: a heading, a time line, and why it is a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cep_core.events.by_seq import BySeq
from cep_core.language.patterns.query import Query
from cep_core.matching.match_path import Path, path_of
from jobs.log_files.log import Log
from jobs.log_files.text_timeline import Happening, timeline
from jobs.reports.answers.attributes import entity, mentioned
from jobs.reports.words.quantities import Magnitude, counted
from jobs.reports.words.values import keyed, shown

_ATTRIBUTES = 4
"""The most attributes that are shown for an event: the first in the query's conditions."""


class LogMatches:
    """The rows of a matching result, together with the log's events."""

    def __init__(self, query: Query, log: Log) -> None:
        self.query = query
        self.log = log
        self.clock = log.clock
        self._mentioned = {name: names[:_ATTRIBUTES] for name, names in mentioned(query).items()}
        self.by_seq = BySeq(log.events)

    def row_of(self, seq: int) -> int | None:
        """The place of the event among the log's events; None for a `seq` that no event has."""
        return self.by_seq.row(seq)

    def path(self, row: Mapping[str, Any]) -> Path:
        """The events of a match in the order of time, as rows of the log with their variables."""
        return path_of(self.query, self.by_seq, row)

    def lines(self, number: int, row: Mapping[str, Any]) -> Iterator[str]:
        """One match."""
        path = self.path(row)
        yield f"match {number}: {self.heading(path, row)}"
        yield from self.window(row)
        yield from (f"  {line}" for line in timeline(self.happenings(path), self.clock))
        yield from self.returned(row)

    def heading(self, path: Path, row: Mapping[str, Any]) -> str:
        """Whose a match is, when, how long, of how many events, and how likely."""
        return ", ".join([*self._whose(path), self._span(row), counted(len(path), "event"), *self._likely(row)])

    def window(self, row: Mapping[str, Any]) -> Iterator[str]:
        """A line for the window of a query with SLIDE."""
        if "window_start" in row:
            start, end = row["window_start"], row["window_end"]
            positions = f"of positions {start} to {end - 1}"
            yield f"  in the window {positions if self.query.window.events else self.clock.span(start, end)}"

    def returned(self, row: Mapping[str, Any]) -> Iterator[str]:
        """A line for what RETURN says of a match."""
        if self.query.returns:
            yield f"  returns {', '.join(f'{item.column} {shown(row[item.column])}' for item in self.query.returns)}"

    def collapsed(self, number: int, row: Mapping[str, Any]) -> Iterator[str]:
        """A compact row: all matches that end at one event, on one time line of the events of any of them."""
        path = self.path(row)
        count = Magnitude.of(row["match_count"], row["match_count_log10"])
        events = counted(len({place for place, _ in path}), "event")
        many = counted(count, "match", "matches")
        yield f"row {number}: {', '.join([many, *self._whose(path), self._span(row), f'made of {events}'])}"
        yield from (f"  {line}" for line in timeline(self.happenings(path, collapsed=True), self.clock))

    def happenings(self, path: Path, *, collapsed: bool = False) -> list[Happening]:
        """The events of a path. Events of a list are numbered, unless the path is a compact row."""
        lists = {variable.name for variable in self.query.positive if variable.kleene}
        seen: dict[str, int] = {}
        bound: dict[int, list[str]] = {}
        shows: dict[int, list[str]] = {}
        for place, name in path:
            seen[name] = seen.get(name, 0) + 1
            bound.setdefault(place, []).append(f"{name}[{seen[name]}]" if name in lists and not collapsed else name)
            shows.setdefault(place, []).extend(self._mentioned[name])
        return [
            Happening(self.event(place), " or ".join(names), tuple(dict.fromkeys(shows[place])))
            for place, names in bound.items()
        ]

    def event(self, place: int) -> Mapping[str, Any]:
        """An event's columns."""
        event: dict[str, Any] = self.log.events.slice(place, 1).to_pylist()[0]
        return event

    def _whose(self, path: Path) -> list[str]:
        """The keys of a match, if its first event of a variable carries them."""
        firsts: dict[str, int] = {}
        for place, name in path:
            firsts.setdefault(name, place)
        keys = [(key, firsts[name], attribute) for key, name, attribute in entity(self.query) if name in firsts]
        names = tuple(key for key, _, _ in keys)
        return [keyed(names, tuple(self.event(place).get(attribute) for _, place, attribute in keys))] if names else []

    def _span(self, row: Mapping[str, Any]) -> str:
        first, last = row["first_ts"], row["last_ts"]
        return f"{self.clock.between(first, last)}, {self.clock.length(last - first)}"

    def _likely(self, row: Mapping[str, Any]) -> list[str]:
        """The confidence of the match, for a query WITH CONFIDENCE."""
        return [] if self.query.confidence is None else [f"confidence {row['confidence']:.3g}"]
