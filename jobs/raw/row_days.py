"""The operating day of a row, as the column says that its source declares as its `time`; and which rows a run reads.

A run reads the rows of its days, those of `slack` days before and after, and those whose day nobody knows. It never
sees another row, whether it was read with others or lies in a row group that was skipped: so what a run gives depends
on its days, and not on how a file was written. A whole number counts the log's time in its unit, a time stamp is a
moment, and a date is the operating day of that name. What lies outside the calendar has no day.

Cost: a few vector operations for each batch of rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags, Ints
from jobs.raw.raw_frame import MOMENT
from jobs.workload.operating_days import OperatingDays, day_number
from jobs.workload.sections.sources import Source


@dataclass(frozen=True)
class FarRows:
    """Rows that a run does not see. `missed`: those before the log's first day, if the column counts the log's time;
    `last`: the last moment of these."""

    rows: int = 0
    missed: int = 0
    last: int | None = None

    def __add__(self, other: FarRows) -> FarRows:
        lasts = [last for last in (self.last, other.last) if last is not None]
        return FarRows(self.rows + other.rows, self.missed + other.missed, max(lasts, default=None))


@dataclass(frozen=True)
class SeenRows:
    """The rows of a file by their days. `near`: those that the run sees; of no day: None. `slack`: the source's."""

    slack: int
    near: Mapping[date | None, int] = field(default_factory=dict)
    far: FarRows = FarRows()

    def __add__(self, other: SeenRows) -> SeenRows:
        near = dict(self.near)
        for day, rows in other.near.items():
            near[day] = near.get(day, 0) + rows
        return SeenRows(self.slack, near, self.far + other.far)

    @property
    def as_json(self) -> dict[str, Any]:
        """The same as JSON has it."""
        near = {"" if day is None else str(day): rows for day, rows in self.near.items()}
        return {"slack": self.slack, "near": near, "far": asdict(self.far)}

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> SeenRows:
        """
        >>> seen = SeenRows(1, {None: 2, date(2024, 1, 1): 3}, FarRows(4, 1, 5))
        >>> SeenRows.of_json(seen.as_json) == seen
        True
        """
        near = {date.fromisoformat(day) if day else None: rows for day, rows in content["near"].items()}
        return cls(content["slack"], near, FarRows(**content["far"]))

    def of(self, day: date) -> int:
        """How many rows a run of this one day sees."""
        return sum(rows for own, rows in self.near.items() if own is None or abs((own - day).days) <= self.slack)


@dataclass(frozen=True)
class RowDays:
    """Tells the days of rows by a column, and which of them a run sees. `kind`: the column's SQL type; `wanted`: days
    since 1970-01-01, ascending; `start`: the log's first day, likewise."""

    column: str
    kind: str
    slack: int
    calendar: OperatingDays
    wanted: tuple[int, ...]
    start: int

    @cached_property
    def _clock(self) -> OperatingDays:
        """Operating days in the unit of the column's moments."""
        return replace(self.calendar, unit="us") if self.kind == "TIMESTAMP" else self.calendar

    def days(self, moments: pa.Array) -> pa.Array:
        """The days of moments (`moments_of`), null where there is none."""
        present = np.asarray(pc.is_valid(moments))
        days, known = self.numbers(np.asarray(pc.fill_null(moments, 0)))
        return pa.array(days.astype(np.int32), mask=~(present & known)).cast(pa.date32())

    def numbers(self, moments: Ints) -> tuple[Ints, Flags]:
        """The days of moments, since 1970-01-01, and whether the calendar has them."""
        if self.kind == "DATE":
            known = (moments >= day_number(date.min)) & (moments <= day_number(date.max))
            return np.where(known, moments, 0), known
        first, last = self._clock.calendar
        known = (moments >= first) & (moments <= last)
        return (np.where(known, moments, 0) - self._clock.offset) // self._clock.length, known

    def sees(self, days: pa.Array) -> pa.Array:
        """Which rows of these days the run sees."""
        return pc.or_(days.is_null(), pc.is_in(days.cast(pa.int32()), pa.array(self.wanted, pa.int32())))

    def counted(self, rows: pa.RecordBatch) -> SeenRows:
        """Rows of a raw frame counted by their days. Read are `_day` and `_moment`."""
        days, moments = rows["_day"], rows[MOMENT]
        seen = np.asarray(self.sees(days))
        near = {row["values"]: row["counts"] for row in pc.value_counts(days.filter(pa.array(seen))).to_pylist()}
        far = ~seen
        return SeenRows(self.slack, near, self._far(days.filter(pa.array(far)), moments.filter(pa.array(far))))

    def _far(self, days: pa.Array, moments: pa.Array) -> FarRows:
        """Rows of these days and moments, all of which are far."""
        if self.kind != "BIGINT":
            return FarRows(len(days))
        missed = pc.less(days.cast(pa.int32()), self.start)
        return FarRows(len(days), pc.sum(missed).as_py() or 0, pc.max(moments.filter(missed)).as_py())

    def sql(self) -> str:
        """The days of the column as an expression of SQL."""
        if self.kind == "DATE":
            return f"`{self.column}`"
        first, last = self._clock.calendar
        return f"IF({self.moment_sql()} BETWEEN {first} AND {last}, {self._clock.sql(self.moment_sql())}, NULL)"

    def moment_sql(self) -> str:
        """The column as whole numbers (`moments_of`), as an expression of SQL."""
        function = {"TIMESTAMP": "unix_micros", "DATE": "unix_date"}.get(self.kind, "")
        return f"{function}(`{self.column}`)"


def moments_of(column: pa.Array) -> pa.Array:
    """A typed column as whole numbers: as they are, microseconds since 1970, or days since then."""
    return (column.cast(pa.int32()) if pa.types.is_date32(column.type) else column).cast(pa.int64())


def row_days(source: Source, loads: Collection[date], calendar: OperatingDays, start: date) -> RowDays | None:
    """How a run of some days looks at a source's rows; None: it declares no time."""
    if not source.time:
        return None
    near = {day + timedelta(days=n) for day in loads for n in range(-source.slack, source.slack + 1)}
    wanted = tuple(sorted(day_number(day) for day in near))
    return RowDays(source.time, source.columns[source.time], source.slack, calendar, wanted, day_number(start))
