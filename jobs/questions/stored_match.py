"""A listed match of a day as the lake holds it: its events with all their attributes, and why it is a match.

Nothing is evaluated. Cost: reading the day's listing, and the events of the days that the query reads for the day.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from cep_core.language.budget import Budget
from cep_core.matching.match_path import Path
from cep_core.matching.result.identity import MATCH_ID
from cep_core.matching.why.nearest import judge_of
from jobs.exits import WrongWorkload
from jobs.lake.dataset import read_table
from jobs.log_files.matches import LogMatches
from jobs.log_files.reasons import why, why_not
from jobs.questions.asked_log import AskedLog
from jobs.questions.lake_days import LakeDays
from jobs.questions.trends import WORK
from jobs.reports.words.quantities import counted, quantity
from jobs.workload.compiled import WorkloadQuery

_COLUMNS = ("first_ts", "last_ts", "confidence", "window_start", "window_end")


@dataclass(frozen=True)
class StoredMatch:
    """A match and the log that it lies in. `rows`: its row of the lake, or one for each window that it lies in."""

    log: AskedLog
    rows: Sequence[Mapping[str, Any]]

    @cached_property
    def matches(self) -> LogMatches:
        return LogMatches(self.log.bound.query, self.log.log)

    @cached_property
    def path(self) -> Path:
        """Its events, in order of time, with their variables. Raises WrongWorkload if the lake no longer has them."""
        try:
            return self.matches.path(self.rows[0])
        except ValueError as gone:
            raise WrongWorkload(f"the lake no longer holds the events of this match: {gone}") from gone

    def heading(self) -> Iterator[str]:
        """Whose it is, when, how long, of how many events; its windows; what RETURN says of it."""
        first, *others = self.rows
        yield f"match {first[MATCH_ID]}: {self.matches.heading(self.path, first)}"
        yield from self.matches.window(first)
        if others:
            yield f"  and in {counted(len(others), 'other window')}"
        yield from self.matches.returned(first)

    def events(self) -> pa.Table:
        """A row for each event and variable: the variable, the type, time, `seq`, and the attributes that any has."""
        own = self.log.events.take(pa.array([place for place, _ in self.path])).drop_columns(["pos"])
        held = [name for name in own.column_names if own[name].null_count < own.num_rows]
        return own.select(held).add_column(0, "variable", pa.array([name for _, name in self.path]))

    def reasons(self) -> Iterator[str]:
        """Each condition with its values; those that fail first, if the present query or events deny the match."""
        judge = judge_of(self.matches.query, self.log.events)
        start = self.rows[0].get("window_start")
        if self.matches.query.confidence is None and not all(
            verdict.holds for verdict in judge.verdicts(self.path, start)
        ):
            seqs = [int(self.log.events["seq"][place].as_py()) for place, _ in self.path]
            yield from why_not(self.matches, judge, seqs, Budget(WORK), self.path)
            return
        yield from why(self.matches, judge, self.path, start)


def stored_match(days: LakeDays, query: WorkloadQuery, day: date, asked: str) -> StoredMatch:
    """The listed match of a day whose `match_id` is, or begins with, `asked`. Raises WrongWorkload for none, or two."""
    log = days.asked(query.bound, query.evaluator, day, day)
    columns = [MATCH_ID, *_COLUMNS, *query.variables, *(item.column for item in query.query.returns)]
    table = read_table(
        days.lake / days.workload.name / query.name, columns, [day], pc.starts_with(ds.field(MATCH_ID), asked)
    )
    rows = [] if table is None else table.to_pylist()
    ids = sorted({row[MATCH_ID] for row in rows})
    if not ids:
        raise WrongWorkload(
            f"the lake lists no match '{asked}' of {query.name} on {day}; the CSV file of the report has its matches, "
            f"or: trendmill sql \"SELECT {MATCH_ID} FROM {days.workload.name}.{query.name} WHERE day = '{day}'\""
        )
    if len(ids) > 1:
        raise WrongWorkload(f"{quantity(len(ids))} matches begin with '{asked}': {', '.join(ids[:3])}, ...")
    return StoredMatch(log, sorted(rows, key=lambda row: row.get("window_start") or 0))
