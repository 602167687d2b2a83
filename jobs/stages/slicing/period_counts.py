"""Statistics of a log's events, counted piece by piece in this process: the rows that `sql/statistics` gives.

Events of a day have one `run_id`, that of its load. A value is counted as the slicer sees it: 0.0 and -0.0 are one.
Pieces may come in any order and be cut anywhere. A place is a type of a day in a period; it has a number. What is kept
is one row for each value that events carry in a place; all rates, distinct values and heavy values follow from it.
Cost: an encoding of each piece, and a counting of each attribute. Memory: up to AT_ONCE different (place, value) of all
attributes together. Where there are more, counts go to files by a hash of the value and are added up file by file
(`spilled_sums.py`), so heavy and distinct values are exact however many values there are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags, Ints
from cep_core.events.chunks import one_array
from jobs.stages.slicing.spilled_sums import side_by_side, with_texts

Places = Mapping[str, Sequence[str]]
"""Event type -> its slicing attributes, sorted."""

OF_TYPE = ["day", "run_id", "event_type"]
OF_PERIOD = [*OF_TYPE, "period_start"]

CLOSE = 4
"""Integers lie close to each other if their range has at most so many numbers for each."""
COUNTERS_FOR_EACH = 16
"""The most counters for each value of a piece: beyond, values are sorted."""


class PeriodCounts:
    """Counts of events by type, period of `width` (periods begin at `offset` and its multiples) and value."""

    def __init__(self, places: Places, offset: int, width: int) -> None:
        self._places, self._offset, self._width = places, offset, width
        self._attributes = sorted({name for attributes in places.values() for name in attributes})
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._events: Counter[int] = Counter()
        self._values = side_by_side({name: ["place", "value"] for name in self._attributes})

    def add(self, events: pa.Table) -> None:
        """Count a piece: day, run_id, event_type, ts and the slicing attributes."""
        ts = events["ts"].to_numpy()
        starts = pa.array(ts - np.mod(ts - self._offset, self._width))
        numbers, places = numbered(events.select(OF_TYPE).append_column("period_start", starts))
        rows = zip(*(places[name].to_pylist() for name in OF_PERIOD), strict=True)
        of_piece = np.array([self._numbers.setdefault(row, len(self._numbers)) for row in rows], np.int64)
        for number, count in zip(of_piece.tolist(), np.bincount(numbers, minlength=len(of_piece)), strict=True):
            self._events[number] += int(count)
        for name in self._attributes:
            types = [kind for kind, of_type in self._places.items() if name in of_type]
            wanted = np.asarray(pc.is_in(places["event_type"], pa.array(types, pa.string())))
            self._values[name].add_counts(_counted(numbers, of_piece, wanted, _normalised(events[name])))

    def tables(self, slices: int) -> tuple[pa.Table, pa.Table]:
        """Events and distinct values of each type and period; and the values that more events of a type carry on a day
        than an even slice would hold. Both come of one pass over the counts of values."""
        kinds: dict[tuple[Any, ...], int] = {}
        kind_of = np.array([kinds.setdefault(place[:-1], len(kinds)) for place in self._numbers], np.int64)
        totals = np.zeros(len(kinds), np.int64)
        np.add.at(totals, kind_of, [self._events[number] for number in self._numbers.values()])
        distinct = {name: np.zeros(len(self._numbers), np.int64) for name in self._values}
        heavy: list[dict[str, Any]] = []
        for name, sums in self._values.items():
            for part in sums.tables():
                place = part["place"].to_numpy()
                distinct[name] += np.bincount(place, minlength=len(self._numbers))
                counts = part.set_column(part.column_names.index("place"), "kind", pa.array(kind_of[place]))
                for kind, value, events in _heavy(counts, totals, slices):
                    row = dict(zip(OF_TYPE, list(kinds)[kind], strict=True), attribute=name, value=value)
                    heavy.append({**row, "frequency": events, "threshold": totals[kind] / slices, "error_bound": 0})
        return self._stream_statistics(distinct), pa.Table.from_pylist(heavy, HEAVY)

    def _stream_statistics(self, distinct: Mapping[str, Ints]) -> pa.Table:
        """`distinct`: by attribute, how many different values each place has."""
        rows = []
        for place, number in self._numbers.items():
            row, events = dict(zip(OF_PERIOD, place, strict=True)), self._events[number]
            counts = {name: int(distinct[name][number]) for name in self._places.get(row["event_type"], ())}
            distinct_values = json.dumps(counts, separators=(",", ":"))
            rows.append({**row, "events": events, "rate": events / self._width, "distinct_values": distinct_values})
        return pa.Table.from_pylist(rows, STATISTICS)


STATISTICS = pa.schema(
    [
        ("day", pa.date32()),
        ("run_id", pa.string()),
        ("event_type", pa.string()),
        ("period_start", pa.int64()),
        ("events", pa.int64()),
        ("rate", pa.float64()),
        ("distinct_values", pa.string()),
    ]
)
"""The columns of `stream_statistics`."""

HEAVY = pa.schema(
    [
        ("day", pa.date32()),
        ("run_id", pa.string()),
        ("event_type", pa.string()),
        ("attribute", pa.string()),
        ("value", pa.string()),
        ("frequency", pa.int64()),
        ("threshold", pa.float64()),
        ("error_bound", pa.int64()),
    ]
)
"""The columns of `heavy_hitters`."""


def numbered(rows: pa.Table) -> tuple[Ints, pa.Table]:
    """[rows] a number for each row's combination of values, and the combinations by number.

    >>> numbers, combinations = numbered(pa.table({"kind": ["A", "B", "A"], "hour": [0, 0, 0]}))
    >>> numbers.tolist(), combinations.to_pylist()
    ([0, 1, 0], [{'kind': 'A', 'hour': 0}, {'kind': 'B', 'hour': 0}])
    """
    numbers = np.zeros(rows.num_rows, np.int64)
    for column in rows.columns:
        codes, values = _encoded(column)
        if len(values) == 1:
            continue
        combined = pa.array(numbers * len(values) + codes).dictionary_encode()
        numbers = combined.indices.to_numpy().astype(np.int64)
    first = np.empty(numbers.max(initial=-1) + 1, np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return numbers, with_texts(rows.take(pa.array(first)))


def _encoded(column: pa.ChunkedArray) -> tuple[Ints, pa.Array]:
    """Values as places in an array of different values, at least one; null is place 0. Integers that are close to each
    other are their own places."""
    array = one_array(column)
    if pa.types.is_int64(array.type) and len(array) and not array.null_count:
        numbers = array.to_numpy()
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < CLOSE * len(numbers):
            return numbers - low, pa.array(np.arange(low, high + 1))
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    codes = pc.fill_null(encoded.indices, 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, encoded.dictionary if len(encoded.dictionary) else pa.nulls(1, encoded.dictionary.type)


def _counted(numbers: Ints, places: Ints, wanted: Flags, column: pa.ChunkedArray) -> pa.Table:
    """Events by place and value. `numbers`: of the event's place in the piece; `places` and `wanted`: by this number,
    the number of the place, and whether its events' values count."""
    rows = np.flatnonzero(wanted[numbers] & np.asarray(column.is_valid()))
    codes, values = _encoded(column if len(rows) == len(column) else column.take(pa.array(rows)))
    combined = numbers[rows] * len(values) + codes
    if len(places) * len(values) <= COUNTERS_FOR_EACH * len(rows):
        counts = np.bincount(combined)
        combined = np.flatnonzero(counts)
        counts = counts[combined]
    else:
        ascending = np.sort(combined)
        first = np.flatnonzero(np.diff(ascending, prepend=-1))
        combined, counts = ascending[first], np.diff(first, append=len(ascending))
    number, code = np.divmod(combined, len(values))
    return pa.table({"place": places[number], "value": values.take(pa.array(code)), "events": counts.astype(np.int64)})


def as_text(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values as `heavy_hitters` shows them. Spark and Arrow write floats in different words, so all are Arrow's.

    >>> as_text(pa.chunked_array([[1.0, -0.0, 1e7]])).to_pylist()
    ['1', '0', '10000000']
    """
    return pc.cast(_normalised(values), pa.string())


def _heavy(counts: pa.Table, totals: Ints, slices: int) -> Iterator[tuple[int, str, int]]:
    """(kind, value as text, events) of the heavy values. `totals`: the events of each kind."""
    rows = counts.group_by(["kind", "value"]).aggregate([("events", "sum")])
    kinds, events = rows["kind"].to_numpy(), rows["events_sum"].to_numpy()
    heavy = np.flatnonzero(events * slices > totals[kinds])
    texts = as_text(rows["value"].take(pa.array(heavy))).to_pylist()
    return zip(kinds[heavy].tolist(), texts, events[heavy].tolist(), strict=True)


def _normalised(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values with 0.0 for -0.0."""
    return pc.add(values, 0.0) if pa.types.is_floating(values.type) else values
