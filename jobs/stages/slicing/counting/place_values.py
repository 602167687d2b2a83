"""How often each value of an attribute occurs in each place: a type of a day in a period.

Whole numbers that lie close to each other are counted in a table of counters (`cep_core.numbers.close_numbers`). All
other values are counted as rows of counts (`spilled_sums.py`), and so are numbers once they need too large a table.
Cost: a few nanoseconds an event in a table; else an encoding of each piece and a counting of its places and values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, differ, lent
from cep_core.events.chunks import one_array
from cep_core.numbers.close_numbers import CloseNumbers, Room
from jobs.stages.slicing.counting import row_numbers
from jobs.stages.slicing.counting.row_numbers import encoded
from jobs.stages.slicing.counting.spilled_sums import Sums

NONE = pa.table({name: pa.array([], pa.int64()) for name in ("kind", "value", "events")})
"""Counts of no numbers."""


@dataclass(frozen=True)
class RowPlaces:
    """The places of a piece's events. `numbers`: of the event's place in the piece; `places`: by this number, that of
    the place among all."""

    numbers: Ints
    places: Ints

    @cached_property
    def of_rows(self) -> Ints:
        """The place of each event."""
        return self.places[self.numbers]


class PlaceValues:
    """Counts of one attribute's values; nulls are not counted, and 0.0 and -0.0 are one value. `sums`: of the columns
    `place` and `value`."""

    def __init__(self, sums: Sums, room: Room) -> None:
        self._sums = sums
        self._close: CloseNumbers | None = CloseNumbers(room)

    def add(self, rows: RowPlaces, kind_of: Ints, column: pa.ChunkedArray) -> None:
        """Count a piece. `kind_of`: by place, its kind, or -1 if values of its events do not count."""
        values = _normalised(one_array(column))
        wanted = kind_of[rows.places] >= 0
        if not wanted.all() or values.null_count:
            chosen = np.flatnonzero(wanted[rows.numbers] & np.asarray(values.is_valid()))
            rows, values = RowPlaces(rows.numbers[chosen], rows.places), values.take(pa.array(chosen))
        if self._close is not None:
            if pa.types.is_int64(values.type) and self._close.add(lent(values), rows.of_rows, kind_of):
                return
            self._move(kind_of)
        self._sums.add_counts(_counted(rows, values))

    def parts(self, kind_of: Ints) -> Iterator[tuple[Ints, pa.Table]]:
        """([places] different values of each place, counts by `kind` and `value` as `events`), of all values or, one
        after the other, of some of them."""
        if self._close is not None:
            different = np.zeros(len(kind_of), np.int64)
            known = self._close.different()[: len(kind_of)]
            different[: len(known)] = known
            yield different, pa.concat_tables([NONE, *starmap(_of_kind, self._close.of_kinds(kind_of))])
            return
        for part in self._sums.tables():
            place = part["place"].to_numpy()
            counts = part.set_column(part.column_names.index("place"), "kind", pa.array(kind_of[place]))
            summed = counts.group_by(["kind", "value"]).aggregate([("events", "sum")])
            yield np.bincount(place, minlength=len(kind_of)), summed.rename_columns(["kind", "value", "events"])

    def _move(self, kind_of: Ints) -> None:
        """Count on in rows of counts what was counted in a table."""
        assert self._close is not None
        for place, numbers, events in self._close.moved(kind_of):
            places = np.full(len(numbers), place)
            self._sums.add_counts(pa.table({"place": places, "value": numbers, "events": events}))
        self._close = None


def _of_kind(kind: int, values: Ints, events: Ints) -> pa.Table:
    return pa.table([np.full(len(values), kind), values, events], NONE.schema)


def _counted(rows: RowPlaces, column: pa.Array) -> pa.Table:
    """Events by place and value."""
    codes, values = encoded(column)
    combined = rows.numbers * len(values) + codes
    if len(rows.places) * len(values) <= row_numbers.COUNTERS_FOR_EACH * len(rows.numbers):
        counts = np.bincount(combined)
        combined = np.flatnonzero(counts)
        counts = counts[combined]
    else:
        ascending = np.sort(combined)
        first = np.flatnonzero(differ(ascending))
        combined, counts = ascending[first], np.diff(first, append=len(ascending))
    number = combined // len(values)
    taken = values.take(pa.array(combined - number * len(values)))
    return pa.table({"place": rows.places[number], "value": taken, "events": counts.astype(np.int64)})


def as_text(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values as `heavy_hitters` shows them. Spark and Arrow write floats in different words, so all are Arrow's.

    >>> as_text(pa.chunked_array([[1.0, -0.0, 1e7]])).to_pylist()
    ['1', '0', '10000000']
    """
    return pc.cast(_normalised(values), pa.string())


def _normalised(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Values with 0.0 for -0.0."""
    return pc.add(values, 0.0) if pa.types.is_floating(values.type) else values
