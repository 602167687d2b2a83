"""The fates of rows and their equation, against their definition row by row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.arrays import Ints
from jobs.raw.row_days import FarRows, SeenRows
from jobs.stages.loading.equation import LeftOut, RowsOfFiles, equation
from jobs.stages.loading.row_fates import NO_DAY, GivenEvents, OwnDays, row_fates
from jobs.workload.operating_days import day_number

START = date(2024, 1, 2)
DAYS = [START + timedelta(days=n) for n in range(-1, 3)]
TERMS = ("gave_event", "refused", "other_days", "without_event", "suppressed")
SLACK = 1
TIMED, FAR = 2, FarRows(5, 3, 7)
"""The file whose rows tell their days, and its rows that the run does not see."""


@dataclass(frozen=True)
class Event:
    day: date | None
    ts: int | None
    type: int
    flaw: str | None
    erased: bool = False


@dataclass(frozen=True)
class Row:
    file: int
    own_day: date | None
    rule: str | None
    events: tuple[Event, ...]
    erased: bool = False
    """Whether its text holds what was erased."""

    @property
    def verdict(self) -> tuple[str | None, str | None]:
        """The rule that refuses the row, and why."""
        flaws = sorted(event.flaw for event in self.events if event.flaw)
        if self.rule is not None or not flaws:
            return self.rule, self.rule and "why"
        return "event", flaws[0]

    @property
    def days(self) -> list[date]:
        return sorted({event.day for event in self.events if event.day})

    @property
    def recorded(self) -> date:
        """The first day of its events, or its own if that tells more: near enough days are seen from each other."""
        first = (self.days or [self.own_day or START])[0]
        if self.own_day and abs((first - self.own_day).days) > (0 if self.file == TIMED else SLACK):
            return self.own_day
        return first

    def is_near(self, day: date) -> bool:
        """Whether a run of this one day sees the row."""
        return self.file != TIMED or self.own_day is None or abs((self.own_day - day).days) <= SLACK

    @property
    def first(self) -> tuple[int, int] | None:
        """Time and type of the first event."""
        return min(((event.ts, event.type) for event in self.events if event.ts is not None), default=None)

    def term(self, day: date) -> str:
        """What the row counts as on a day."""
        if not self.is_near(day):
            return "other_days"
        if self.verdict[0]:
            recorded = "suppressed" if self.erased else "refused"
            return recorded if self.recorded == day else "other_days"
        if not self.days:
            return "without_event"
        if any(event.day == day and not event.erased for event in self.events):
            return "gave_event"
        return "suppressed" if day in self.days else "other_days"

    @property
    def misses(self) -> bool:
        return self.first is not None and all(day < START for day in self.days)


days = st.sampled_from([None, *DAYS])
stamps = st.one_of(st.none(), st.integers(-2, 2))
flaws = st.sampled_from([None, None, None, "no kwh", "no at"])
events = st.builds(Event, days, stamps, st.integers(-1, 1), flaws, st.booleans())
events_of_a_row = st.lists(events, max_size=3).map(tuple)


def refused_if_far(row: Row) -> Row:
    """The row, with a flaw of each event on a day from which it is not seen, as `candidate_events` gives it."""
    flawed = (replace(e, flaw=e.flaw or "far") if e.day and not row.is_near(e.day) else e for e in row.events)
    return replace(row, events=tuple(flawed))


rows = st.lists(
    st.builds(Row, st.integers(0, 2), days, st.sampled_from([None, None, "type"]), events_of_a_row, st.booleans()).map(
        refused_if_far
    ),
    max_size=8,
)


def numbers(days: list[date | None]) -> Ints:
    return np.array([NO_DAY if day is None else day_number(day) for day in days], np.int64)


@given(rows, st.randoms(use_true_random=False))
def test_fates_and_equation_are_as_defined(rows: list[Row], random: object) -> None:
    """Random rows of three files with events of any days, flaws and ties, events in any order; rows of one tell their
    days, and the run does not see all of them."""
    pairs = [(place, event) for place, row in enumerate(rows) for event in row.events]
    random.shuffle(pairs)  # type: ignore[attr-defined]
    given_events = GivenEvents(
        np.array([place for place, _ in pairs], np.int64),
        numbers([event.day for _, event in pairs]),
        np.array([event.ts or 0 for _, event in pairs], np.int64),
        np.array([event.ts is not None for _, event in pairs], np.bool_),
        np.array([event.type for _, event in pairs], np.int64),
        pa.array([event.flaw for _, event in pairs], pa.string()),
    )
    rules = pa.array([row.rule for row in rows], pa.string())
    reasons = pa.array([row.rule and "why" for row in rows], pa.string())
    start = day_number(START)
    keeps = np.array([0 if row.file == TIMED else SLACK for row in rows], np.int64)
    own = numbers([row.own_day for row in rows])
    fates = row_fates(rules, reasons, OwnDays(own, keeps), given_events, start)

    assert list(zip(fates.rule.to_pylist(), fates.reason.to_pylist(), strict=True)) == [row.verdict for row in rows]
    assert fates.recorded.tolist() == [day_number(row.recorded) for row in rows]
    assert fates.undated.tolist() == [not row.days and row.own_day is None for row in rows]
    events = [event for _, event in pairs]
    firsts = [None if place < 0 else (events[place].ts, events[place].type) for place in fates.first]
    assert firsts == [row.first for row in rows]

    of_row = np.array([row.file for row in rows], np.int64)
    read = [sum(row.file == file for row in rows) + (FAR.rows if file == TIMED else 0) for file in range(3)]
    files = pa.table({"source": ["a", "a", "b"], "number": [0, 1, 0], "read": read})
    of_files = RowsOfFiles(of_row, np.where(of_row == TIMED, own, NO_DAY), [None, None, SeenRows(SLACK, {}, FAR)])
    of_events = np.array([event.erased for event in events], np.bool_)
    out = LeftOut(of_events, fates.refused & np.array([row.erased for row in rows], np.bool_))
    table = equation(files, of_files, fates, given_events, out, DAYS[1:], START).to_pylist()
    assert [(row["day"], row["source"], row["number"]) for row in table] == [
        (day, *file) for day in DAYS[1:] for file in (("a", 0), ("a", 1), ("b", 0))
    ]
    for place, line in enumerate(table):
        of_file = [row for row in rows if row.file == place % 3]
        far = FAR if place % 3 == TIMED else FarRows()
        terms = [row.term(line["day"]) for row in of_file] + ["other_days"] * far.rows
        assert [line[name] for name in TERMS] == [terms.count(name) for name in TERMS]
        early = [e.ts for row in of_file for e in row.events if e.ts is not None and (e.day is None or e.day < START)]
        missed = FarRows(0, sum(row.misses for row in of_file), max(early, default=None)) + far
        assert (line["missed"], line["missed_ts"]) == (missed.missed, missed.last)
        assert line["read"] == len(of_file) + far.rows
