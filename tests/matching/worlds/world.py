"""A matching query and a log, the query as text, and what the definition says of both."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa

from cep_core.language.patterns.tree import Not, Pattern, Unit
from cep_core.matching.match_path import Path
from cep_core.matching.reference import Rest, Step, any_matches, readings, run_matches
from tests.matching.worlds.parts import grouped, repeated, units_of, written


@dataclass(frozen=True)
class Event:
    event_type: str
    ts: int
    seq: int
    x: int | None
    k: int | None
    y: float | None = None


Holds = Callable[["World", Path], bool]
Unsettled = Callable[["World", Path, frozenset[str]], bool]
"""Whether more events, of these variables, could change what a condition says of a path."""
Allows = Callable[["World", Path, int], bool]
"""Whether a negated event beside a match passes a test."""


def settled(world: World, path: Path, coming: frozenset[str]) -> bool:
    """For conditions that a path settles: what they say of it stays."""
    return False


@dataclass(frozen=True)
class Condition:
    text: str
    holds: Holds
    unsettled: Unsettled = settled


@dataclass(frozen=True)
class Tested:
    """A condition on a negated variable."""

    variable: str
    text: str
    allows: Allows


@dataclass
class World:
    """A query and a log. Events are in (ts, seq) order; a path's events are places in it."""

    pattern: Pattern
    events: list[Event]
    strategy: str = "skip_till_any_match"
    conditions: list[Condition] = field(default_factory=list)
    keyed: bool = False
    size: int = 4
    in_events: bool = False
    slide: int | None = None
    ordered: bool = False
    tests: list[Tested] = field(default_factory=list)

    @property
    def units(self) -> list[Unit]:
        return units_of(self.pattern)

    @property
    def text(self) -> str:
        said = [condition.text for condition in self.conditions] + [test.text for test in self.tests]
        said = said + (["[k]"] if self.keyed else []) or ["1 = 1"]
        window = f"WITHIN {self.size}{' EVENTS' if self.in_events else ''}"
        window += "" if self.slide is None else f" SLIDE {self.slide}{' EVENTS' if self.in_events else ''}"
        return f"PATTERN {written(self.pattern)} WHERE {self.strategy} {{ {' AND '.join(said)} }} {window}"

    @property
    def table(self) -> pa.Table:
        types = {name: pa.int64() for name in ("ts", "seq", "x", "k")} | {"event_type": pa.string(), "y": pa.float64()}
        columns = {name: [getattr(event, name) for event in self.events] for name in types}
        return pa.table({name: pa.array(values, types[name]) for name, values in columns.items()})

    @property
    def lists(self) -> set[str]:
        return repeated(self.pattern)

    @property
    def reading(self) -> Pattern:
        """The pattern with the units of each ANY grouped by likeness: same type, and exchangeable in the conditions.

        Those on negated variables count, too: they compare with one of the units, and not with the other.
        """
        return grouped(self.pattern, {said.text for said in (*self.conditions, *self.tests)})

    def later(self, earlier_event: int, later_event: int) -> bool:
        return (
            earlier_event < later_event if self.ordered else self.events[earlier_event].ts < self.events[later_event].ts
        )

    def fits_in(self, path: Path, event: int, window_start: int | None) -> bool:
        """Whether the event stays in the window of the path."""
        if window_start is not None:
            clock = event if self.in_events else self.events[event].ts
            return window_start <= clock < window_start + self.size
        if self.in_events:
            return not path or event - path[0][0] < self.size
        return not path or self.events[event].ts - self.events[path[0][0]].ts <= self.size

    def extends(self, path: Path, event: int, step: Step, window_start: int | None) -> bool:
        """Type, time and window."""
        assert step.unit is not None
        if self.events[event].event_type != step.unit.event_type or not self.fits_in(path, event, window_start):
            return False
        return not path or self.later(path[-1][0], event) or (step.loose and path[-1][0] < event)

    def accepts(self, path: Path, coming: frozenset[str] = frozenset()) -> bool:
        """The conditions, equivalence included, so far as they are settled while variables may still come."""
        keys = {self.events[event].k for event, _ in path}
        return (not self.keyed or (len(keys) == 1 and None not in keys)) and all(
            condition.unsettled(self, path, coming) or condition.holds(self, path) for condition in self.conditions
        )

    def matches(self) -> list[tuple[int | None, Path]]:
        """Every (window start, path), in the order of results."""
        windows: list[int | None] = [None]
        if self.slide is not None:
            windows = [k * self.slide for k in range(-self.size - 1, 20)]
        matches = [(window, path) for window in windows for path in self._in_window(window)]
        return sorted(matches, key=self._place)

    def _in_window(self, window: int | None) -> set[Path]:
        def structure(path: Path, event: int, step: Step) -> bool:
            return self.extends(path, event, step, window)

        if self.strategy == "skip_till_any_match":
            paths = any_matches(self.reading, len(self.events), structure)
            return {path for path in paths if self.accepts(path) and self.stands(path, window)}
        return {path for path in self.runs(window) if self.stands(path, window)}

    def runs(self, window: int | None) -> dict[Path, bool]:
        """The match of each start event, NOT aside, and whether it could take more."""

        def structure(path: Path, event: int, step: Step) -> bool:
            return self.extends(path, event, step, window)

        def settles(path: Path, rest: Rest) -> bool:
            coming = {unit.variable for part in rest for unit in units_of(part)}
            return self.accepts(path, frozenset(coming))

        def breaks(path: Path, event: int) -> bool:
            if self.strategy == "partition_contiguity":
                return self.events[event].k == self.events[path[0][0]].k
            return self.strategy == "strict_contiguity"

        return run_matches(self.reading, len(self.events), structure, breaks, settles)

    def stands(self, path: Path, window: int | None) -> bool:
        """Whether some reading of the match passes no negated element that happens there."""
        ts, first, last = [event.ts for event in self.events], path[0][0], path[-1][0]
        everywhere = range(len(ts))
        if window is not None:
            inside = {e for e in everywhere if window <= (e if self.in_events else ts[e]) < window + self.size}
            leading = trailing = inside
        elif self.in_events:
            leading = {e for e in everywhere if e > last - self.size}
            trailing = {e for e in everywhere if e < first + self.size}
        else:
            leading = {e for e in everywhere if ts[e] >= ts[last] - self.size}
            trailing = {e for e in everywhere if ts[e] <= ts[first] + self.size}
        zones = [{e for e in leading if self.later(e, first)}]
        zones += [
            self.strictly_between(earlier, following) for (earlier, _), (following, _) in itertools.pairwise(path)
        ]
        zones += [{e for e in trailing if self.later(last, e)}]
        return self.passes(self.pattern, path, zones, path)

    def passes(self, pattern: Pattern, path: Path, zones: list[set[int]], match: Path) -> bool:
        return any(
            not any(
                self.happens(part, zone, match) for passed, zone in zip(reading, zones, strict=True) for part in passed
            )
            for reading in readings(pattern, path)
        )

    def strictly_between(self, earlier_event: int, later_event: int) -> set[int]:
        return {e for e in range(len(self.events)) if self.later(earlier_event, e) and self.later(e, later_event)}

    def happens(self, negated: Not, zone: set[int], match: Path) -> bool:
        """Whether the body of a negation has a match in the zone."""
        kinds = {unit.variable: unit.event_type for unit in units_of(negated.body)}

        def fits(path: Path, event: int, step: Step) -> bool:
            assert step.unit is not None
            variable = step.unit.variable
            candidate = self.events[event]
            keyed = not self.keyed or candidate.k == self.events[match[0][0]].k
            tested = all(test.allows(self, (*match, *path), event) for test in self.tests if test.variable == variable)
            later = not path or self.later(path[-1][0], event)
            return event in zone and candidate.event_type == kinds[variable] and keyed and tested and later

        for path in any_matches(negated.body, len(self.events), fits):
            gaps = [
                self.strictly_between(earlier, following) for (earlier, _), (following, _) in itertools.pairwise(path)
            ]
            if self.passes(negated.body, path, [set(), *gaps, set()], (*match, *path)):
                return True
        return False

    def _place(self, match: tuple[int | None, Path]) -> tuple[object, ...]:
        window, path = match
        order = {name: number for number, name in enumerate(dict.fromkeys(unit.variable for unit in self.units))}
        last = self.events[path[-1][0]]
        return last.ts, last.seq, window or 0, [(self.events[e].seq, order[v]) for e, v in path]

    def row(self, window: int | None, path: Path) -> tuple[object, ...]:
        """A match as a row of the result."""
        ends = [self.events[path[0][0]].ts, self.events[path[-1][0]].ts]
        ends += [] if window is None else [window, window + self.size]
        columns: list[object] = []
        for unit in dict.fromkeys(self.units):
            seqs = [self.events[event].seq for event, variable in path if variable == unit.variable]
            columns.append((tuple(seqs) if unit.variable in self.lists else seqs[0]) if seqs else None)
        return (*ends, *columns)

    def certain(self, window: int | None, path: Path) -> int:
        """When a match is certain."""
        if window is not None and self.in_events:
            return self.events[path[-1][0]].ts
        ends_negated = all(reading[-1] for reading in readings(self.pattern, path))
        open_end = self.strategy != "skip_till_any_match" and self.runs(window)[path]
        if not ends_negated and not open_end:
            return self.events[path[-1][0]].ts
        return self.events[path[0][0]].ts + self.size if window is None else window + self.size - 1
