"""From a table of events to a trace: the points of each sub-log, and where the atoms hold.

Without `-- for each`, every point of the log is a point of the trace, also an empty one. With it, a sub-log has the
events of any type that carry its values; a null is no value, so an event with one is in no sub-log. The points of a
sub-log are those of its events. The condition of an atom is evaluated for the events of its type alone.

Cost: linear. One pass over the events for each event type and each condition; with `-- for each` also a hash of each
value, unless they are integers close to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, differ
from cep_core.candidates.grouping import combined
from cep_core.events.chunks import one_array
from cep_core.events.event_types import EventTypes
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.logs.time_points import OFFSET, points_of
from cep_core.language.patterns.values.expressions import column, holds
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.temporal.bind.sub_logs import split_types
from cep_core.monitoring.propositional.arrays.separating import separated
from cep_core.monitoring.propositional.arrays.trace import Trace


@dataclass(frozen=True)
class SplitTrace:
    """A trace with what its sub-logs are of."""

    trace: Trace
    values: pa.Table
    """A row for each sub-log, a column for each attribute of `-- for each`; no column without one."""
    point: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """[events] The point of each event of the table, if the trace is of one; -1: it is in no sub-log."""
    holding: Mapping[str, Ints] = field(default_factory=dict)
    """By atom's name, the events for which it holds, as rows of the table."""

    def log(self, number: int, events: pa.Table | None) -> PointLog:
        """A sub-log on its own: its points, and for each atom the events for which it holds, without attributes.

        `events`: the table that the trace is of; None if it is of no table, so that its atoms have no events.
        """
        begin, end = self.trace.starts[number : number + 2].tolist()
        if events is None:
            held = {name: np.flatnonzero(column[begin:end]) for name, column in self.trace.atoms.items()}
            return PointLog(self.trace.stamps[begin:end], {name: TypedEvents(of, {}) for name, of in held.items()})
        seq = events["seq"].to_numpy() if "seq" in events.column_names else None
        typed = {}
        for name, (rows, points) in self._by_point.items():
            first, after = np.searchsorted(points, [begin, end]).tolist()
            own = None if seq is None else seq[rows[first:after]]
            typed[name] = TypedEvents(points[first:after] - begin, {}, own)
        return PointLog(self.trace.stamps[begin:end], typed)

    @cached_property
    def _by_point(self) -> dict[str, tuple[Ints, Ints]]:
        """By atom's name, the events for which it holds in order of their points, and these points: made once for all
        sub-logs, without a sort where no point has two of them."""
        ordered = {}
        for name, rows in self.holding.items():
            points = np.flatnonzero(self.trace.atoms[name])
            if len(points) == len(rows):
                row_at = np.zeros(self.trace.points, np.int64)
                row_at[self.point[rows]] = rows
                ordered[name] = row_at[points], points
            else:
                order = np.argsort(self.point[rows], kind="stable")
                ordered[name] = rows[order], self.point[rows[order]]
        return ordered


def trace_of(policy: PropositionalPolicy, events: pa.Table, points: pa.Table | None = None) -> Trace:
    """The trace of `split_trace_of`, alone."""
    return split_trace_of(policy, events, points).trace


def split_trace_of(policy: PropositionalPolicy, events: pa.Table, points: pa.Table | None = None) -> SplitTrace:
    """The trace of a table of events in (ts, seq) order.

    `points`: every point of the log, as `time_points.points_of`; None: the points of the events. Sub-logs do not need
    it. Without a column `offset`, points are by timestamp.
    """
    ts = events["ts"].to_numpy()
    offset = events[OFFSET].to_numpy() if OFFSET in events.column_names else np.zeros(len(ts), np.int64)
    kinds = EventTypes(one_array(events["event_type"]))
    if policy.for_each:
        stamps, starts, point, values = _split(policy, events, kinds, ts, offset)
    else:
        stamps, starts, point = _whole(ts, offset, points)
        values = pa.table({})
    holding = _holding(policy, events, kinds, point)
    atoms = {name: np.zeros(len(stamps), np.bool_) for name in holding}
    for name, rows in holding.items():
        atoms[name][point[rows]] = True
    return SplitTrace(Trace(stamps, atoms, starts), values, point, holding)


def _whole(ts: Ints, offset: Ints, points: pa.Table | None) -> tuple[Ints, Ints, Ints]:
    """Stamps, the borders of the only log, and the point of each event."""
    known = points_of(ts, offset) if points is None else points
    distinct, counts = known["ts"].to_numpy(), known["points"].to_numpy()
    new = np.flatnonzero(np.diff(ts, prepend=ts[:1] - 1))
    first = (np.cumsum(counts) - counts)[np.searchsorted(distinct, ts[new])]
    point = np.repeat(first, np.diff(new, append=len(ts))) + offset
    stamps = np.repeat(distinct, counts)
    return stamps, np.array([0, len(stamps)]), point


def _split(
    policy: PropositionalPolicy, events: pa.Table, kinds: EventTypes, ts: Ints, offset: Ints
) -> tuple[Ints, Ints, Ints, pa.Table]:
    """Stamps and borders of the sub-logs, the point of each event (-1: it is in none), the values of the sub-logs."""
    columns = [_plain(column(events, name)) for name in policy.for_each]
    codes, size = _codes(columns)
    carriers = split_types(policy.for_each, policy.schema)
    if len(carriers) < len(policy.schema.types):
        codes = np.where(kinds.among(carriers), codes, -1)
    if np.all((offset[1:] >= offset[:-1]) | (ts[1:] > ts[:-1])):
        stamps, starts, point, last = separated(codes, size, ts, offset)
    else:  # events of equal times are in order of seq, which need not be that of their points
        order = np.lexsort((offset, ts))
        stamps, starts, of_ordered, last = separated(codes[order], size, ts[order], offset[order])
        point = np.empty_like(of_ordered)
        point[order] = of_ordered
        last = np.where(last < 0, -1, order[last])
    occupied = last >= 0
    some = pa.array(last[occupied])
    values = {name: own.take(some) for name, own in zip(policy.for_each, columns, strict=True)}
    return stamps, np.append(starts[:-1][occupied], len(stamps)), point, pa.table(values)


def _codes(columns: Sequence[pa.Array]) -> tuple[Ints, int]:
    """A number for each row, equal where all values are, -1 for a row with a null; and a bound of the numbers."""
    pairs = [_codes_of(values) for values in columns]
    known = np.logical_and.reduce([codes >= 0 for codes, _ in pairs])
    codes, size = combined([codes for codes, _ in pairs], [size for _, size in pairs])
    return (codes if known.all() else np.where(known, codes, -1)), size


def _codes_of(values: pa.Array) -> tuple[Ints, int]:
    if pa.types.is_integer(values.type) and not values.null_count and len(values):
        numbers = values.to_numpy()
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < 4 * len(numbers):
            return numbers - low, high - low + 1
    encoded = values.dictionary_encode()
    return encoded.indices.fill_null(-1).to_numpy().astype(np.int64), len(encoded.dictionary)


def _holding(policy: PropositionalPolicy, events: pa.Table, kinds: EventTypes, point: Ints) -> dict[str, Ints]:
    """The events for which each atom holds, by its name."""
    all_in = not len(point) or int(point.min()) >= 0
    by_type: dict[str, Ints] = {}
    holding = {}
    for name, atom in policy.atoms.items():
        if atom.event_type not in by_type:
            of_type = np.flatnonzero(kinds.of(atom.event_type))
            by_type[atom.event_type] = of_type if all_in else of_type[point[of_type] >= 0]
        rows = by_type[atom.event_type]
        if atom.condition is not None:
            typed = events.select(list(dict.fromkeys(["ts", *atom.attributes]))).take(pa.array(rows))
            rows = rows[holds(atom.condition, typed)]
        holding[name] = rows
    return holding


def _plain(values: pa.Array) -> pa.Array:
    """A column in which equal values are the same: one zero, one NaN; bools are the integers 0 and 1."""
    if pa.types.is_boolean(values.type):
        return values.cast(pa.int64())
    if not pa.types.is_floating(values.type):
        return values
    return pc.if_else(pc.is_nan(values), pa.scalar(np.nan), pc.add(values, 0.0))


def offsets_in_trace(trace: Trace) -> Ints:
    """[points] The index of each point among those with its stamp in its sub-log.

    >>> offsets_in_trace(Trace(np.array([1, 1, 1, 2]), {}, np.array([0, 2, 4]))).tolist()
    [0, 1, 0, 0]
    """
    begins = differ(trace.stamps)
    starts = trace.starts[:-1]
    begins[starts[starts < trace.points]] = True
    points = np.arange(trace.points)
    return points - np.maximum.accumulate(np.where(begins, points, 0))
