"""Sub-logs: the events of any type that carry the same values of some attributes, with their own time-points.

A policy with `-- for each: x` is monitored in each of them apart (`docs/semantics.md` 5). A point of the log is a point
of a sub-log if an event of the sub-log belongs to it. An event whose value is null is in no sub-log. Cost: one sort of
the events by value; then a slice of each column for each sub-log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, distinct
from cep_core.events.chunks import one_array
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.schema import AttributeType, LogSchema

Values = tuple[int | float | str, ...]


def sub_log_types(for_each: Sequence[str], schema: LogSchema) -> dict[str, AttributeType]:
    """The types of the values that make sub-logs, by attribute: a bool is an integer, as in formulas.

    >>> from cep_core.events.schema import Attribute
    >>> opened = {"open": Attribute("open", AttributeType.BOOL)}
    >>> sub_log_types(["open"], LogSchema({"Tick": {}, "Door": opened}))
    {'open': <AttributeType.INT: 'int'>}
    """
    attributes = {name: own for event_type in schema.types for name, own in schema.attributes_of(event_type).items()}
    kinds = {name: attributes[name].type for name in for_each}
    return {name: AttributeType.INT if kind is AttributeType.BOOL else kind for name, kind in kinds.items()}


@dataclass(frozen=True)
class _Sorted:
    """The events of one type in order of (number of their sub-log, point)."""

    number: Ints
    events: TypedEvents

    def of(self, number: int) -> TypedEvents:
        begin, end = np.searchsorted(self.number, [number, number + 1])
        columns = {name: column.slice(begin, end - begin) for name, column in self.events.columns.items()}
        seq = None if self.events.seq is None else self.events.seq[begin:end]
        return TypedEvents(self.events.point[begin:end], columns, seq)


def sub_logs(log: PointLog, attributes: Sequence[str]) -> Iterator[tuple[Values, PointLog]]:
    """Each combination of values with its log, in order of the values.

    Only event types that have all `attributes` as columns are in sub-logs.

    >>> planes = pa.array(["n1", "n2", "n1"])
    >>> log = PointLog(np.array([3, 4, 9]), {"Departure": TypedEvents(np.arange(3), {"plane": planes})})
    >>> [(values, sub_log.stamps.tolist()) for values, sub_log in sub_logs(log, ["plane"])]
    [(('n1',), [3, 9]), (('n2',), [4])]
    """
    carriers = {name: of_type for name, of_type in log.events.items() if set(attributes) <= of_type.columns.keys()}
    if not carriers:
        return
    keys = pa.concat_tables(
        [
            pa.table({str(place): of_type.columns[name] for place, name in enumerate(attributes)})
            for of_type in carriers.values()
        ],
        promote_options="permissive",
    )
    distinct, numbers = _numbered(keys)
    by_type: dict[str, _Sorted] = {}
    begin = 0
    for name, of_type in carriers.items():
        number = numbers[begin : begin + len(of_type.point)]
        begin += len(of_type.point)
        rows = np.lexsort((of_type.point, number))
        rows = rows[number[rows] >= 0]
        taken = pa.array(rows)
        columns = {attribute: column.take(taken) for attribute, column in of_type.columns.items()}
        seq = None if of_type.seq is None else of_type.seq[rows]
        by_type[name] = _Sorted(number[rows], TypedEvents(of_type.point[rows], columns, seq))
    for place, values in enumerate(distinct):
        yield values, _of_events(log, {name: of_type.of(place) for name, of_type in by_type.items()})


def sub_log_of(log: PointLog, attributes: Sequence[str], values: Values) -> PointLog:
    """The sub-log of some values. Raises ValueError if no event has them. Cost: one pass over the events' values.

    >>> planes = pa.array(["n1", "n2", "n1"])
    >>> log = PointLog(np.array([3, 4, 9]), {"Departure": TypedEvents(np.arange(3), {"plane": planes})})
    >>> sub_log_of(log, ["plane"], ("n1",)).stamps.tolist()
    [3, 9]
    """
    carriers = {name: of_type for name, of_type in log.events.items() if set(attributes) <= of_type.columns.keys()}
    events = {name: _with_values(of_type, attributes, values) for name, of_type in carriers.items()}
    if not any(len(of_type.point) for of_type in events.values()):
        named = ", ".join(f"{name} = {value!r}" for name, value in zip(attributes, values, strict=True))
        raise ValueError(f"no event has {named}")
    return _of_events(log, events)


def _with_values(of_type: TypedEvents, attributes: Sequence[str], values: Values) -> TypedEvents:
    """The events that have the values."""
    chosen = np.ones(len(of_type.point), np.bool_)
    for name, value in zip(attributes, values, strict=True):
        column = of_type.columns[name]
        if pa.types.is_string(column.type) != isinstance(value, str):
            return TypedEvents(of_type.point[:0], {key: own[:0] for key, own in of_type.columns.items()})
        chosen &= pc.fill_null(_equal(column, value), False).to_numpy(zero_copy_only=False)
    rows = pa.array(np.flatnonzero(chosen))
    columns = {name: column.take(rows) for name, column in of_type.columns.items()}
    return TypedEvents(of_type.point[chosen], columns, None if of_type.seq is None else of_type.seq[chosen])


def _equal(column: pa.Array, value: int | float | str) -> pa.Array:
    """Where a column has a value; NaN equals itself."""
    return pc.is_nan(column) if value != value else pc.equal(column, value)


def _of_events(log: PointLog, events: Mapping[str, TypedEvents]) -> PointLog:
    """The log of some of the events, with their points."""
    points = distinct(np.concatenate([of_type.point for of_type in events.values()]))
    renumbered = {
        name: TypedEvents(np.searchsorted(points, of_type.point), of_type.columns, of_type.seq)
        for name, of_type in events.items()
    }
    return PointLog(log.stamps[points], renumbered)


def _numbered(keys: pa.Table) -> tuple[list[Values], Ints]:
    """The distinct rows without null, ascending; for each row its place among them, -1 for a row with a null."""
    whole = np.ones(keys.num_rows, np.bool_)
    for column in keys.columns:
        whole &= pc.is_valid(column).to_numpy()
    known = keys.filter(pa.array(whole))
    codes = np.zeros(known.num_rows, np.int64)
    for column in known.columns:
        ranks = one_array(pc.rank(column, tiebreaker="dense")).to_numpy().astype(np.int64)
        codes = np.unique(codes * (len(ranks) + 1) + ranks, return_inverse=True)[1]
    _, first, places = np.unique(codes, return_index=True, return_inverse=True)
    distinct = list(zip(*known.take(pa.array(first)).to_pydict().values(), strict=True))
    numbers = np.full(keys.num_rows, -1, np.int64)
    numbers[whole] = places
    return distinct, numbers
