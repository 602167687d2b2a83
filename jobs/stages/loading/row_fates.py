"""What became of each raw row: the days of its events, or why it was refused and the day that records it.

A row refused by a rule, or one of whose events lacks what its type must have, gives no event on any day. It is recorded
on the day of its first event; without one on its own day, that of its file or of its time, else on the log's first day.
A row whose time tells its day is recorded there, and one whose file does there if its first event is too far away, so
that each run which sees the row's day sees the row. `sql/load/refused_fates.sql`
says the same to Spark. Rows and events are columns here, and a row is named by its place among the rows of all sources.
Cost: a sort of the events by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags, Ints, differ

NO_DAY = np.iinfo(np.int32).min
"""Stands for a day that is absent."""

OF_EVENT = "event"
"""The rule that refuses a row for a flaw of one of its events."""


class GivenEvents(NamedTuple):
    """The events that rows gave, one place in each array for each event."""

    row: Ints
    day: Ints
    """As days since 1970-01-01, or NO_DAY."""
    ts: Ints
    timed: Flags
    """Whether the event has a `ts`."""
    type: Ints
    """Ranks of event types in the order of their names; -1: none."""
    flaw: pa.Array
    """What the event lacks but must have; null: nothing."""


class OwnDays(NamedTuple):
    """The days that rows tell themselves, by their time or their file, one place in each array for each row."""

    day: Ints
    """As days since 1970-01-01, or NO_DAY."""
    keeps: Ints
    """How far from this day the day of an event may record the row."""


@dataclass(frozen=True)
class RowFates:
    """The fates of rows, one place in each array for each row."""

    rule: pa.Array
    """The rule that refused the row; null: none did."""
    reason: pa.Array
    first: Ints
    """The place of the row's first event that has a `ts`; -1: none."""
    recorded: Ints
    """The day that records the row if it is refused, as days since 1970-01-01."""
    undated: Flags
    """Whether neither its events nor its file have a day."""
    last_day: Ints
    """The last day of its events, or NO_DAY."""
    day_rows: Ints
    """With `days`: each pair of a row and a day of its events once, ascending."""
    days: Ints

    @property
    def refused(self) -> Flags:
        return self.rule.is_valid().to_numpy(zero_copy_only=False)


def row_fates(rule: pa.Array, reason: pa.Array, own: OwnDays, events: GivenEvents, start: int) -> RowFates:
    """The fates of rows. `rule`, `reason`: of rows that are refused already; `start`: the log's first day.

    >>> rule = pa.array([None, "shape", None], pa.string())
    >>> flaw = pa.array([None, None, "no ts"])
    >>> columns = np.array([[0, 0, 2], [20, 21, NO_DAY], [7, 8, 0], [1, 1, 0], [0, 0, 0]])
    >>> row, day, ts, timed, type = columns
    >>> events = GivenEvents(row, day, ts, timed > 0, type, flaw)
    >>> fates = row_fates(rule, rule, OwnDays(np.full(3, NO_DAY), np.zeros(3, np.int64)), events, 19)
    >>> fates.rule.to_pylist(), fates.reason.to_pylist(), fates.recorded.tolist(), fates.undated.tolist()
    ([None, 'shape', 'event'], [None, 'shape', 'no ts'], [20, 19, 19], [False, True, True])
    >>> fates.first.tolist(), fates.day_rows.tolist(), fates.days.tolist()
    ([0, -1, -1], [0, 0], [20, 21])
    """
    rows = len(rule)
    flaws = pa.array(_first_flaws(events, rows), pa.string())
    flawed = pc.and_(rule.is_null(), flaws.is_valid())
    day_rows, days = days_of_rows(events.row, events.day)
    first_day, last_day = np.full(rows, NO_DAY), np.full(rows, NO_DAY)
    first_day[day_rows[::-1]] = days[::-1]
    last_day[day_rows] = days
    is_beyond = (own.day != NO_DAY) & (abs(first_day - own.day) > own.keeps)
    dated = np.where((first_day == NO_DAY) | is_beyond, own.day, first_day)
    return RowFates(
        pc.if_else(flawed, OF_EVENT, rule),
        pc.if_else(flawed, flaws, reason),
        _first_events(events, rows),
        np.where(dated == NO_DAY, start, dated),
        dated == NO_DAY,
        last_day,
        day_rows,
        days,
    )


def _first_flaws(events: GivenEvents, rows: int) -> list[str | None]:
    """[rows] The first flaw of each row's events, by its words."""
    first: list[str | None] = [None] * rows
    places = np.flatnonzero(events.flaw.is_valid().to_numpy(zero_copy_only=False))
    for row, flaw in zip(events.row[places].tolist(), events.flaw.take(places).to_pylist(), strict=True):
        before = first[row]
        first[row] = flaw if before is None else min(before, flaw)
    return first


def days_of_rows(row: Ints, day: Ints) -> tuple[Ints, Ints]:
    """Each pair of a row and a day of its events once, ascending. `row`, `day`: of each event."""
    dated = day != NO_DAY
    row, day = row[dated], day[dated]
    order = np.lexsort((day, row))
    row, day = row[order], day[order]
    new = differ(row, day)
    return row[new], day[new]


def _first_events(events: GivenEvents, rows: int) -> Ints:
    """[rows] The place of each row's first event, by `ts`, then by type; -1: no event has a `ts`."""
    first = np.full(rows, -1)
    timed = np.flatnonzero(events.timed)
    order = timed[np.lexsort((events.type[timed], events.ts[timed], events.row[timed]))]
    first[events.row[order[::-1]]] = order[::-1]
    return first
