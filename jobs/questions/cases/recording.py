"""Writes a case from a row of a day's answer: the events on which it rests, and what the query answers to these alone.

A match rests on its own events. A row of an aggregation, or a violation, rests on some events of its window, or of the
policy's reach: those are left out without which the same row comes. The case holds the attributes that the query reads.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.table import order
from cep_core.language.bound_query import AGGREGATION, MATCHING, POLICY
from jobs.exits import RunError, WrongWorkload
from jobs.questions.asked_log import Answer, AskedLog
from jobs.questions.cases.case_file import FOLDER, SUFFIX, CaseFile
from jobs.questions.cases.case_text import case_text, written
from jobs.questions.cases.judging import judge
from jobs.questions.cases.shrinking import shrunk
from jobs.questions.cases.telling import failure_lines
from jobs.questions.cases.written_values import CaseClock
from jobs.questions.lake_days import LakeDays
from jobs.questions.result_columns import ColumnKind, exact, further, kinds_of
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload
from jobs.workload.files.problems import Problems, WorkloadError

LARGEST = 200
"""The most events of a case."""
ALL_ROWS = 5
"""Up to so many rows the case names all that come, and else the one that was recorded."""
_LOOKED_AT = 200
"""Rows of which the one with the fewest events is taken."""
_UNSAID = frozenset({"match_id", "first_ts", "last_ts", "window_end", "offset"})
"""Columns that follow from events, or from which other events are there."""


@dataclass(frozen=True)
class Recorded:
    """A case that was written: its text, its file, and how many events it was made of."""

    text: str
    path: Path
    events: int


def record(days: LakeDays, query: WorkloadQuery, day: date, number: int | None, title: str | None) -> Recorded:
    """Write a case from a row of the day's answer: the one with this number, from 1; None: one with few events.

    Raises WrongWorkload if there is no such row, or if it rests on too many events.
    """
    log = days.asked(query.bound, query.evaluator, day, day)
    answer = log.answer()
    if not answer.rows.num_rows:
        why = log.without_matches()
        raise WrongWorkload(f"{query.name} has no row on {day}; try another day{f'. {why}' if why else ''}")
    if number is not None and number > answer.rows.num_rows:
        raise WrongWorkload(f"--row {number}: {query.name} has {answer.rows.num_rows:,} rows on {day}")
    recording = _Recording(days.workload, query, log, answer, day)
    place = recording.smallest() if number is None else number - 1
    events = recording.events_of(place)
    path = days.workload.folder / FOLDER / f"{query.name}{SUFFIX}"
    return _add(days.workload, query, path, recording.case(place, events, title), events.num_rows)


@dataclass(frozen=True)
class _Recording:
    workload: Workload
    query: WorkloadQuery
    log: AskedLog
    answer: Answer
    day: date

    @cached_property
    def clock(self) -> CaseClock:
        return CaseClock(self.workload.time.unit, self.workload.time.zone, self.day)

    def smallest(self) -> int:
        """The place of a row that rests on few events."""
        many = range(min(self.answer.rows.num_rows, _LOOKED_AT))
        if self.query.bound.kind == POLICY:
            return 0
        return min(many, key=lambda place: len(self._seqs(place)))

    def events_of(self, place: int) -> pa.Table:
        """The events of a row's case, with the `seq` of the lake. Raises WrongWorkload if they are too many."""
        seqs, row = self._seqs(place), self._said(self.answer, place)
        if self.query.bound.kind != MATCHING and self._answers(seqs, row):
            seqs = shrunk(seqs, lambda some: self._answers(some, row))
        if len(seqs) > LARGEST:
            raise WrongWorkload(
                f"this row rests on {len(seqs):,} events, more than {LARGEST} are no case; --row names another row"
            )
        if not self._answers(seqs, row):
            raise WrongWorkload("this row rests on more events than its own; --row names another row")
        return self._chosen(seqs)

    def _seqs(self, place: int) -> list[int]:
        """The `seq` of the events on which a row may rest, ascending in time."""
        if self.query.bound.kind == MATCHING:
            [row] = self.answer.rows.slice(place, 1).to_pylist()
            own = {seq for name in self.query.variables for seq in _listed(row[name])}
            return [seq for seq in self.log.events["seq"].to_pylist() if seq in own]
        near = self._in_window(place) if self.query.bound.kind == AGGREGATION else self._in_reach(place)
        seqs: list[int] = self.log.events["seq"].to_numpy()[near].tolist()
        return seqs

    def _in_window(self, place: int) -> npt.NDArray[np.bool_]:
        """[events] Those of a row's window that the query reads and that may be of its group."""
        [row] = self.answer.rows.slice(place, 1).to_pylist()
        clock = "pos" if self.query.bound.windows_of_events else "ts"
        moments = self.log.events[clock].to_numpy()
        near: npt.NDArray[np.bool_] = (moments >= row["window_start"]) & (moments < row["window_end"])
        for name in self.query.query.group_by:
            column = self.log.events[name]
            near &= np.asarray(pc.fill_null(pc.equal(column, pa.scalar(row[name], column.type)), True))
        types = pa.array(sorted(self.query.evaluator.reads), pa.string())
        return near & np.asarray(pc.is_in(self.log.events["event_type"], types))

    def _in_reach(self, place: int) -> npt.NDArray[np.bool_]:
        """[events] Those from which the verdict follows, and the first one after, which shows that time went on.

        Of every type: an event of any makes a time-point.
        """
        ts, certain = self.log.events["ts"].to_numpy(), int(self.answer.certain[place])
        reach = self.query.evaluator.reach
        last = np.searchsorted(ts, certain, side="right")
        near = np.arange(len(ts)) <= last
        if reach.time is not None and not reach.points and not reach.events:
            near &= ts >= certain - reach.time
        return near

    def _chosen(self, seqs: Sequence[int]) -> pa.Table:
        events = self.log.events
        chosen = events.filter(pc.is_in(events["seq"], pa.array(seqs, pa.int64()))).drop_columns(["pos"])
        return order(chosen)

    def _answers(self, seqs: Sequence[int], row: Mapping[str, Any]) -> bool:
        """Whether these events alone have the row."""
        answer = replace(self.log, events=self._chosen(seqs), days=None).answer()
        return any(self._said(answer, place) == row for place in range(answer.rows.num_rows))

    def _said(self, answer: Answer, place: int) -> dict[str, Any]:
        """The columns of a row by which a case tells it."""
        [row] = answer.rows.slice(place, 1).to_pylist()
        return {name: exact(row, name) for name in further([*row]) if name not in _UNSAID}

    def case(self, place: int, events: pa.Table, title: str | None) -> str:
        """The case's text."""
        numbers = {seq: number for number, seq in enumerate(events["seq"].to_pylist(), 1)}
        answer = replace(self.log, events=events, days=None).answer()
        own = self._written(self._said(self.answer, place), numbers)
        rows = [self._written(self._said(answer, each), numbers) for each in range(min(answer.rows.num_rows, ALL_ROWS))]
        expect: dict[str, Any]
        if self.query.bound.kind != AGGREGATION and answer.rows.num_rows <= ALL_ROWS:
            expect = {"violations" if self.query.bound.kind == POLICY else "rows": rows}
        else:
            expect = {"among": [own]}
            if (total := answer.total()) is not None:
                expect["total"] = total
        same, given = self._given(events)
        begin = self.log.clock.time(int(events["ts"][0].as_py()))
        return case_text(title or f"as on {begin}", self.clock, same, given, expect)

    def _written(self, row: Mapping[str, Any], numbers: Mapping[int, int]) -> dict[str, str | None]:
        kinds = kinds_of(self.query)
        return {
            name: self.clock.written(int(value))
            if kinds[name] is ColumnKind.MOMENT and value is not None
            else written([numbers[seq] for seq in _listed(value)] or None)
            if kinds[name] is ColumnKind.EVENTS
            else written(value)
            for name, value in row.items()
        }

    def _given(self, events: pa.Table) -> tuple[dict[str, str], list[dict[str, str | None]]]:
        """What all events have alike, and the rest of each."""
        reads, types = self.query.evaluator.reads, self.workload.schema.types
        rows = events.to_pylist()
        read = [
            name for name in self.workload.attributes if any(name in reads.get(row["event_type"], ()) for row in rows)
        ]
        values = {name: [row[name] for row in rows if name in types[row["event_type"]]] for name in read}
        same = {
            name: str(written(of[0]))
            for name, of in values.items()
            if len(of) > 1 and of[0] is not None and all(value == of[0] for value in of)
        }
        kind = "event_type" if "type" in self.workload.attributes else "type"
        given = [
            {
                kind: row["event_type"],
                "ts": self.clock.written(row["ts"]),
                **{name: written(row[name]) for name in read if name not in same},
            }
            for row in rows
        ]
        return same, given


def _listed(value: Any) -> list[int]:
    return [] if value is None else list(value) if isinstance(value, list) else [value]


def _add(workload: Workload, query: WorkloadQuery, path: Path, text: str, events: int) -> Recorded:
    """Add a case to its file, if the file with it can be read and the case passes; else nothing is written."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    joined = before if not before or before.endswith("\n") else f"{before}\n"
    path.parent.mkdir(exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_text(joined + text, encoding="utf-8")
        problems = Problems()
        cases = CaseFile(problems, workload, query, f"{FOLDER}/{path.name}").read(fresh)
        if problems.noted:
            raise WorkloadError(workload.name, problems.noted)
        outcome = judge(workload, cases[-1])
        if not outcome.passed:
            raise RunError("\n".join(["the recorded case does not pass:", *failure_lines(outcome)]))
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return Recorded(text, path, events)
