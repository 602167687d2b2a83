"""Finds the occurrences of negated elements between the events of one match.

An occurrence lies between two neighbouring events of the match, or between an event and the edge of the window
(docs/semantics.md 3). This is plain Python that follows the definition, one match at a time. Explanations use it, and
tests compare the engine with it. Cost: exponential in the size of the element at worst, so a search stops after
`TRIES` events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from cep_core.language.patterns.explain.condition_section import as_written
from cep_core.language.patterns.query import Adjacency, EdgePredicate, Query
from cep_core.language.patterns.tree import Expression, Not, Pattern, Unit
from cep_core.language.patterns.values.expressions import column, holds
from cep_core.language.patterns.walk import parts_of, variables_of
from cep_core.matching.match_path import Path
from cep_core.matching.reference import Rest, continuations
from cep_core.matching.why.instances import Bound, instances, neighbours
from cep_core.matching.why.readings import distinct_readings

TRIES = 100_000


@dataclass(frozen=True)
class Absence:
    """A negated element, its place between two events of a match, and its occurrence there, if any."""

    body: Not
    after: int | None
    """The row of the event before the gap; None: the gap starts with the window."""
    before: int | None
    """The row of the event after the gap; None: the gap ends with the window."""
    zone: tuple[int, int]
    """The element is searched in the rows begin:end."""
    happens: tuple[int, ...]
    """The rows of one occurrence; empty if there is none."""


class Absences:
    """The negated elements of a query over a log. `events` are in (ts, seq) order and have a column `pos`."""

    def __init__(self, query: Query, events: pa.Table) -> None:
        self._query = query
        self._events = events
        self._ts = events["ts"].to_numpy()
        self._pos = events["pos"].to_numpy()
        self._ordered = query.schema.ties.value == "ordered"
        self._fits = {v.name: self._fitting(v.name, v.event_type) for v in query.variables if v.negated}
        self._tries = 0

    def of(self, path: Path, window_start: int | None) -> tuple[Absence, ...]:
        """The absences of the match, in the reading with the fewest occurrences."""
        if not self._fits:
            return ()
        self._tries = 0
        zones = self._zones(path, window_start)
        ends = [None, *(row for row, _ in path), None]
        candidates = [
            tuple(
                Absence(part, after, before, zone, self._occurrence(part, zone, path))
                for passed, zone, (after, before) in zip(reading, zones, pairwise(ends), strict=True)
                for part in passed
            )
            for reading in distinct_readings(self._query.pattern, path)
        ]
        return min(candidates, key=lambda absences: sum(bool(absence.happens) for absence in absences), default=())

    def _fitting(self, variable: str, event_type: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """The events that have the variable's type and pass its conditions on single events."""
        fits = column(self._events, "event_type").to_numpy(zero_copy_only=False) == event_type
        for predicate in self._query.vertex_predicates:
            if predicate.variable == variable:
                fits &= holds(predicate.expression, self._events)
        return fits

    def _zones(self, path: Path, window_start: int | None) -> list[tuple[int, int]]:
        first, last, size = path[0][0], path[-1][0], self._query.window.size
        clock = self._pos if self._query.window.events else self._ts
        if window_start is not None:
            low = int(np.searchsorted(clock, window_start))
            high = int(np.searchsorted(clock, window_start + size))
        else:
            width = size - 1 if self._query.window.events else size
            low = int(np.searchsorted(clock, clock[last] - width))
            high = int(np.searchsorted(clock, clock[first] + width, side="right"))
        gaps = [(self._later(row), self._as_early(next_row)) for (row, _), (next_row, _) in pairwise(path)]
        return [(low, self._as_early(first)), *gaps, (self._later(last), high)]

    def _later(self, row: int) -> int:
        """The first row that is strictly later."""
        return row + 1 if self._ordered else int(np.searchsorted(self._ts, self._ts[row], side="right"))

    def _as_early(self, row: int) -> int:
        """One past the last row that is strictly earlier."""
        return row if self._ordered else int(np.searchsorted(self._ts, self._ts[row]))

    def _occurrence(self, part: Not, zone: tuple[int, int], match: Path) -> tuple[int, ...]:
        """The rows of one occurrence of the element in a zone; `match`: the match and any enclosing occurrence."""
        for path in self._paths((part.body,), (), zone):
            gaps = [(self._later(row), self._as_early(next_row)) for (row, _), (next_row, _) in pairwise(path)]
            nowhere = (0, 0)
            excused = all(
                any(
                    self._occurrence(inner, gap, (*match, *path))
                    for elements, gap in zip(reading, [nowhere, *gaps, nowhere], strict=True)
                    for inner in elements
                )
                for reading in distinct_readings(part.body, path)
            )
            if not excused and self._agrees(part, path, match):
                return tuple(row for row, _ in path)
        return ()

    def _paths(self, rest: Rest, path: Path, zone: tuple[int, int]) -> Iterator[Path]:
        """All readings of events of the zone as the element, shorter closures first."""
        for unit, after, _, _ in continuations(rest):
            if unit is None:
                if path:
                    yield path
                continue
            begin = max(zone[0], self._later(path[-1][0])) if path else zone[0]
            for row in begin + np.flatnonzero(self._fits[unit.variable][begin : zone[1]]):
                self._tries += 1
                if self._tries > TRIES:
                    return
                yield from self._paths(after, (*path, (int(row), unit.variable)), zone)

    def _agrees(self, part: Not, path: Path, match: Path) -> bool:
        """Whether the occurrence and the match pass every equivalence and condition that mentions the element."""
        own = {unit.variable for unit in _own_units(part.body)}
        bound = bound_by((*match, *path))
        lists = frozenset(v.name for v in self._query.variables if v.kleene)
        for key in self._query.key_classes:
            values = [
                column(self._events.slice(row, 1), attribute)[0].as_py()
                for variable, attribute in key.members
                for row in bound.get(variable, ())
            ]
            if any(variable in own for variable, _ in key.members) and (None in values or len(set(values)) > 1):
                return False
        for expression, predicate in conditions(self._query):
            names = set(variables_of(expression))
            if not names & own:
                continue
            if predicate is not None and names <= own and predicate.adjacency is Adjacency.NEIGHBOUR:
                pairs = [
                    (row, next_row)
                    for (row, variable), (next_row, next_variable) in pairwise(path)
                    if (variable, next_variable) == (predicate.source, predicate.target)
                ]
                good = all(neighbours(predicate, self._events, *pair).holds for pair in pairs)
            else:
                good = all(instance.holds for instance in instances(expression, self._events, bound, lists))
            if not good:
                return False
        return True


def bound_by(path: Path) -> Bound:
    """The rows of each variable."""
    rows: dict[str, list[int]] = {}
    for row, variable in path:
        rows.setdefault(variable, []).append(row)
    return rows


def conditions(query: Query) -> Iterator[tuple[Expression, EdgePredicate | None]]:
    """Conditions on more than one event, as written in the query; with the edge predicate if the condition is one."""
    for edge in query.edge_predicates:
        yield as_written(edge), edge
    for predicate in query.match_predicates:
        yield predicate.expression, None


def _own_units(pattern: Pattern) -> Iterator[Unit]:
    """The units of a negated element, without the units of negated elements nested in it."""
    if isinstance(pattern, Unit):
        yield pattern
    for part in parts_of(pattern):
        if not isinstance(part, Not):
            yield from _own_units(part)
