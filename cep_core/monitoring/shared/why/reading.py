"""What the maker of proofs reads of a log: the points in reach of an interval, and the events that an atom may mean.

Cost: the points in reach; a point's events are read once, and of many those with a known value are found by that value.
Where one event will do, only the points that have it are looked at (`points_of`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags, Ints
from cep_core.events.logs.point_log import PointLog
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.terms import Constant, Term, Variable
from cep_core.language.temporal.walk import variables_of
from cep_core.monitoring.shared.scalars import Value, compares, plain, value_of
from cep_core.monitoring.shared.why.proof import AnyOther, Reading, Valuation
from cep_core.monitoring.shared.why.value_index import ValueIndex

Event = Mapping[str, Value | None]
_FIRST, _LAST = -(2**63), 2**63 - 1
MANY = 16
"""Fewer events at a point are looked at one by one."""
_SAME = ((True, True), (False, False))


def known_values(valuation: Valuation, *terms: Term) -> dict[str, Value] | None:
    """The values of the terms' variables; None if one has no single value."""
    values: dict[str, Value] = {}
    for term in terms:
        for name in variables_of(term):
            value = valuation.get(name)
            if value is None or isinstance(value, AnyOther):
                return None
            values[name] = value
    return values


@dataclass
class LogReader:
    """A log, closed by one empty point that no finite interval reaches."""

    log: PointLog
    read: dict[tuple[str, int], list[Event]] = field(default_factory=dict)
    """The events that were read, by type and point."""
    by_value: dict[tuple[str, int, str], dict[Value, list[Event]]] = field(default_factory=dict)
    """The events that were read by the value of an attribute, in their order."""
    index: ValueIndex = field(default_factory=ValueIndex)
    narrow: dict[tuple[int, tuple[tuple[str, Value], ...]], Ints] = field(default_factory=dict)
    """The points at which atoms may hold, ascending, by their identity and the values that were known."""

    def _apart(self, point: int, later: int) -> int | float:
        """The time between two points."""
        if point == later:
            return 0
        if self.log.points in (point, later):
            return math.inf
        return abs(int(self.log.stamps[point]) - int(self.log.stamps[later]))

    def neighbour(self, interval: Interval, point: int, step: int) -> int | None:
        """The next point in a direction; None if there is none or the interval does not reach it."""
        place = point + step
        inside = 0 <= place <= self.log.points and self._is_in(interval, self._apart(point, place))
        return place if inside else None

    def reached(self, interval: Interval, point: int, step: int) -> range:
        """The points that an interval reaches, the nearest first."""
        low, high, count = interval.low, interval.high, self.log.points
        if point == count:
            last = count if low == 0 else count - 1
            return range(last, -1 if step < 0 and high is None else count - 1, -1)
        ts = int(self.log.stamps[point])
        if step < 0:
            first = 0 if high is None else self._place(ts - high, "left")
            return range(min(point, self._place(ts - low, "right") - 1), first - 1, -1)
        last = count if high is None else self._place(ts + high, "right") - 1
        return range(max(point, self._place(ts + low, "left")), last + 1)

    def _place(self, ts: int, side: Literal["left", "right"]) -> int:
        """Where a stamp, which 64 bits may not hold, stands among those of the points."""
        if not _FIRST <= ts <= _LAST:
            return 0 if ts < _FIRST else self.log.points
        return int(np.searchsorted(self.log.stamps, ts, side))

    @staticmethod
    def _is_in(interval: Interval, apart: int | float) -> bool:
        return interval.low <= apart and (interval.high is None or apart <= interval.high)

    def points_of(self, atom: Predicate, valuation: Valuation, ends: tuple[int, int]) -> list[int]:
        """The points from one end to the other with an event that the atom may mean.

        Its constants, and known values, tell which: events with other values count for nothing, as a slice may lack
        them. Cost: for each combination of values one pass over the events of the type, or a look into an index if
        there are many; then that of the points. Atoms stay alive as long as this.
        """
        known = []
        for name, term in zip(atom.names or (), atom.arguments, strict=True):
            values = known_values(valuation, term) if isinstance(term, Variable | Constant) else None
            value = None if values is None else value_of(term, values)
            if isinstance(value, str | float) or (isinstance(value, int) and _FIRST <= value <= _LAST):
                known.append((name, value))
        key = (id(atom), tuple(known))
        if key not in self.narrow:
            self.narrow[key] = self._points_with(atom.event_type, known)
        points = self.narrow[key]
        begin, end = np.searchsorted(points, [ends[0], ends[1] + 1]).tolist()
        between: list[int] = points[begin:end].tolist()
        return between

    def _points_with(self, event_type: str, asked: Sequence[tuple[str, int | float | str]]) -> Ints:
        events = self.log.events.get(event_type)
        if events is None:
            return np.zeros(0, np.int64)
        known = []
        for name, value in asked:
            own = _as_in(events.columns.get(name), value)
            if own is None:
                return np.zeros(0, np.int64)
            known.append((name, own))
        rows: Ints | None = None
        for name, value in known:
            indexed = self.index.rows(event_type, events, name, value)
            rows = indexed if indexed is not None and (rows is None or len(indexed) < len(rows)) else rows
        point = events.point if rows is None else events.point[rows]
        fits = np.ones(len(point), np.bool_)
        for name, value in known:
            column = events.columns.get(name)
            if column is not None:
                fits &= _has_value(column if rows is None else column.take(pa.array(rows)), value)
        return np.unique(point[fits])

    def meant(
        self, atom: Predicate, point: int, valuation: Valuation
    ) -> Iterator[tuple[Event, dict[str, Value] | None]]:
        """The events that an atom may mean, with the values they give to variables that have none, or stand for many.

        None instead of values: a term of the atom cannot be told.
        """
        for event in self._with_known(atom, point, valuation):
            given: dict[str, Value] = {}
            is_sure = True
            for name, term in zip(atom.names or (), atom.arguments, strict=True):
                fits = self._gives(event[name], term, valuation, given)
                if fits is False:
                    break
                is_sure &= fits is True
            else:
                yield event, given if is_sure else None

    def _gives(self, value: Value | None, term: Term, valuation: Valuation, given: dict[str, Value]) -> bool | None:
        """Whether an argument may have the value; None: it cannot be told. Notes the value of a variable."""
        if value is None:
            return False
        known = known_values(valuation, term)
        if known is not None:
            return compares("=", value_of(term, known), value)
        if not isinstance(term, Variable):
            return None
        reading: Reading | None = valuation.get(term.name)
        if isinstance(reading, AnyOther) and value in reading.excluded:
            return False
        return compares("=", given.setdefault(term.name, value), value)

    def _with_known(self, atom: Predicate, point: int, valuation: Valuation) -> Sequence[Event]:
        """The events at a point; of many, those that have one of the known values."""
        events = self._events(atom, point)
        if len(events) < MANY:
            return events
        for name, term in zip(atom.names or (), atom.arguments, strict=True):
            known = known_values(valuation, term) if isinstance(term, Variable | Constant) else None
            value = None if known is None else value_of(term, known)
            if value is not None and value == value:  # NaN is found by no value
                key = (atom.event_type, point, name)
                if key not in self.by_value:
                    self.by_value[key] = _by_value(self._events(atom, point), name)
                fitting = self.by_value[key].get(value, [])
                events = fitting if len(fitting) < len(events) else events
        return events

    def _events(self, atom: Predicate, point: int) -> list[Event]:
        ts = 2**63 - 1 if point == self.log.points else int(self.log.stamps[point])
        if is_built_in(atom):
            return [{"tp": point, "ts": ts}]
        key = (atom.event_type, point)
        if key not in self.read:
            self.read[key] = list(self._rows(atom.event_type, point, ts))
        return self.read[key]

    def _rows(self, event_type: str, point: int, ts: int) -> Iterator[Event]:
        events = self.log.events.get(event_type)
        if events is None:
            return
        begin, end = (int(events.point.searchsorted(place)) for place in (point, point + 1))
        if begin == end:
            return
        columns = {name: column.slice(begin, end - begin).to_pylist() for name, column in events.columns.items()}
        for row in range(end - begin):
            own = {name: None if values[row] is None else plain(values[row]) for name, values in columns.items()}
            seq = None if events.seq is None else int(events.seq[begin + row])
            yield {"ts": ts, "seq": seq, **own}


def _as_in(column: pa.Array | None, value: int | float | str) -> int | float | str | None:
    """A value as a column of numbers would have it, exactly; None: none of its numbers equals it.

    >>> column = pa.array([1.0])
    >>> _as_in(column, 1), _as_in(column, 2**53 + 1), _as_in(column.cast(pa.int64()), 0.5)
    (1.0, None, None)
    """
    if column is None or isinstance(value, str):
        return value
    if pa.types.is_floating(column.type) and isinstance(value, int):
        return float(value) if int(float(value)) == value else None
    if pa.types.is_integer(column.type) and isinstance(value, float):
        return int(value) if value.is_integer() and _FIRST <= value <= _LAST else None
    return value


def _has_value(column: pa.Array, value: int | float | str) -> Flags | bool:
    """Which values of a column equal one; True, for all, if it is of another kind."""
    if pa.types.is_dictionary(column.type):
        code = pc.index(column.dictionary, pa.scalar(value, column.dictionary.type)).as_py()
        column, value = column.indices, code
    elif (pa.types.is_string(column.type), isinstance(value, str)) not in _SAME:
        return True
    if isinstance(value, float) and math.isnan(value):
        return pc.fill_null(pc.is_nan(column), False).to_numpy(zero_copy_only=False)
    return pc.fill_null(pc.equal(column, value), False).to_numpy(zero_copy_only=False)


def _by_value(events: Iterable[Event], name: str) -> dict[Value, list[Event]]:
    """Events by the value of an attribute."""
    index: dict[Value, list[Event]] = {}
    for event in events:
        value = event[name]
        if value is not None:
            index.setdefault(value, []).append(event)
    return index
