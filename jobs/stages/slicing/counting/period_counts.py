"""Statistics of a log's events, counted piece by piece in this process: the rows that `sql/statistics` gives.

Events of a day have one `run_id`, that of its load. A value is counted as the slicer sees it: 0.0 and -0.0 are one.
Pieces may come in any order and be cut anywhere. A place is a type of a day in a period; it has a number. What is kept
is how often each value occurs in each place; all rates, distinct values and heavy values follow from it.

Cost: a numbering of each piece's places, and a counting of each attribute (`place_values.py`). Memory: of whole numbers
that lie close to each other, tables of at most 256 MB (`cep_core.numbers.close_numbers`); of others up to AT_ONCE
different (place, value) of all attributes together. Where there are more, counts go to files by a hash of the value and
are added up file by file (`spilled_sums.py`), so heavy and distinct values are exact however many values there are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.numbers.close_numbers import Room
from jobs.stages.slicing.counting.place_values import PlaceValues, RowPlaces, as_text
from jobs.stages.slicing.counting.row_numbers import numbered
from jobs.stages.slicing.counting.spilled_sums import side_by_side

Places = Mapping[str, Sequence[str]]
"""Event type -> its slicing attributes, sorted."""

OF_TYPE = ["day", "run_id", "event_type"]


class PeriodCounts:
    """Counts of events by type, period of `width` (periods begin at `offset` and its multiples) and value."""

    def __init__(self, places: Places, offset: int, width: int) -> None:
        self._places, self._offset, self._width = places, offset, width
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._kinds: dict[tuple[Any, ...], int] = {}
        self._events: Counter[int] = Counter()
        sums = side_by_side({name: ["place", "value"] for own in places.values() for name in own})
        room = Room()
        self._values = {name: PlaceValues(own, room) for name, own in sorted(sums.items())}

    def add(self, events: pa.Table) -> None:
        """Count a piece: day, run_id, event_type, ts and the slicing attributes."""
        periods = pa.array((events["ts"].to_numpy() - self._offset) // self._width)
        numbers, places = numbered(events.select(OF_TYPE).append_column("period", periods))
        of_piece = np.array([self._number(place) for place in zip(*places.to_pydict().values(), strict=True)], np.int64)
        for number, count in zip(of_piece.tolist(), np.bincount(numbers, minlength=len(of_piece)), strict=True):
            self._events[number] += int(count)
        rows = RowPlaces(numbers, of_piece)
        for name, values in self._values.items():
            values.add(rows, self._kind_of(name), events[name])

    def tables(self, slices: int) -> tuple[pa.Table, pa.Table]:
        """Events and distinct values of each type and period; and the values that more events of a type carry on a day
        than an even slice would hold. Both come of one pass over the counts of values."""
        totals = np.zeros(len(self._kinds), np.int64)
        for place, number in self._numbers.items():
            totals[self._kinds[place[:-1]]] += self._events[number]
        distinct = {name: np.zeros(len(self._numbers), np.int64) for name in self._values}
        heavy: list[dict[str, Any]] = []
        kinds = list(self._kinds)
        for name, values in self._values.items():
            for different, counts in values.parts(self._kind_of(name)):
                distinct[name] += different
                for kind, value, events in _heavy(counts, totals, slices):
                    row = dict(zip(OF_TYPE, kinds[kind], strict=True), attribute=name, value=value)
                    heavy.append({**row, "frequency": events, "threshold": totals[kind] / slices, "error_bound": 0})
        return self._stream_statistics(distinct), pa.Table.from_pylist(heavy, HEAVY)

    def _number(self, place: tuple[Any, ...]) -> int:
        """The number of a place: day, run_id, event_type and number of the period."""
        self._kinds.setdefault(place[:-1], len(self._kinds))
        return self._numbers.setdefault(place, len(self._numbers))

    def _kind_of(self, attribute: str) -> Ints:
        """By place, the number of its type of a day; -1 if it is not sliced by this attribute."""
        of_type = [
            number if attribute in self._places.get(kind[-1], ()) else -1 for kind, number in self._kinds.items()
        ]
        return np.array([of_type[self._kinds[place[:-1]]] for place in self._numbers], np.int64)

    def _stream_statistics(self, distinct: Mapping[str, Ints]) -> pa.Table:
        """`distinct`: by attribute, how many different values each place has."""
        rows = []
        for place, number in self._numbers.items():
            row, events = dict(zip(OF_TYPE, place[:-1], strict=True)), self._events[number]
            row["period_start"] = self._offset + place[-1] * self._width
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


def _heavy(counts: pa.Table, totals: Ints, slices: int) -> Iterator[tuple[int, str, int]]:
    """(kind, value as text, events) of the heavy values. `totals`: the events of each kind."""
    kinds, events = counts["kind"].to_numpy(), counts["events"].to_numpy()
    heavy = np.flatnonzero(events * slices > totals[kinds])
    texts = as_text(counts["value"].take(pa.array(heavy))).to_pylist()
    return zip(kinds[heavy].tolist(), texts, events[heavy].tolist(), strict=True)
