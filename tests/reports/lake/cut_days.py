"""Random days of a log, evaluated with any `max_matches`, as the tables that a report reads, held in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from hypothesis import strategies as st

from cep_core.compile import compile_query
from cep_core.language.evaluator import CERTAIN, TOTALS, Ownership
from jobs.reports.day_report import DayReport, report_day
from jobs.reports.lake_reader import LakeReader
from jobs.reports.questions import Question
from jobs.workload.declaration import Workload
from tests.reports.lake.small_days import DAY
from tests.reports.lake.small_schemas import EVENTS, RESULT_DAYS

BEFORE = DAY - timedelta(days=1)
QUESTIONS = {
    "keyed": """-- Matches of each line, all of them?
PATTERN SEQ(Depart a, Depart b, Arrive c) WHERE skip_till_any_match { [line] } WITHIN 6 hours
""",
    "two_keys": """-- Where a last event knows one of two keys?
PATTERN SEQ(Depart a, Depart b, Arrive c) WHERE skip_till_any_match { a.line = b.line AND b.station = c.station }
WITHIN 6 hours
""",
    "keyless": """-- Matches of nobody?
PATTERN SEQ(Depart a, Depart+ b[], Arrive c) WHERE skip_till_any_match { b[i].delay_min > b[i-1].delay_min }
WITHIN 4 hours
""",
    "postponed": """-- Matches that only a listing can count?
PATTERN SEQ(Depart a, Depart+ b[], Arrive c) WHERE skip_till_any_match { [line] AND sum(b[].delay_min) > 3 }
WITHIN 4 hours
""",
    "maybe": """-- Matches of which some lack an event?
PATTERN SEQ(Depart a, Depart? b, Arrive c) WHERE skip_till_any_match { [line] } WITHIN 6 hours
""",
    "next": """-- One match for each start?
PATTERN SEQ(Depart a, Arrive b) WHERE skip_till_next_match { [line] } WITHIN 12 hours
""",
    "sliding": """-- Matches of each window?
PATTERN SEQ(Depart a, Arrive b) WHERE skip_till_any_match { [station] } WITHIN 6 hours SLIDE 3 hours
""",
    "both": """-- Pairs?
PATTERN Depart a AND Arrive b WHERE [line] WITHIN 3 hours
""",
    "waiting": """-- Departures that nothing followed?
PATTERN SEQ(Depart a, Depart b, NOT Arrive c) WHERE skip_till_any_match { [line] } WITHIN 5 hours
""",
}


@st.composite
def logs(draw: st.DrawFn, workload: Workload) -> pa.Table:
    """Events of two days, few hours apart, of few lines and stations."""
    start = workload.operating_days.interval(BEFORE)[0]
    drawn = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["Depart", "Arrive"]),
                st.integers(20, 47),
                st.sampled_from("xyz"),
                st.sampled_from("pq"),
                st.integers(0, 4),
            ),
            min_size=4,
            max_size=16,
        )
    )
    rows = [
        {
            "event_type": kind,
            "ts": start + 3600 * hour,
            "seq": number,
            "line": line,
            "station": station,
            "delay_min": delay,
            "day": workload.operating_days.day_of(start + 3600 * hour),
            "run_id": "run",
        }
        for number, (kind, hour, line, station, delay) in enumerate(sorted(drawn, key=lambda row: row[1]))
    ]
    return pa.Table.from_pylist(rows, EVENTS)


@dataclass
class Tables(LakeReader):
    """Tables in memory in place of those of a lake."""

    held: dict[str, pa.Table] = field(default_factory=dict)

    def read(
        self,
        name: str,
        first: date | None = None,
        last: date | None = None,
        columns: Any = None,
        where: pc.Expression | None = None,
    ) -> pa.Table | None:
        if name not in self.held:
            return None
        table = self.held[name]
        condition = pc.scalar(True) if where is None else where
        if first is not None:
            condition &= ds.field("day") >= pa.scalar(first, pa.date32())
        if last is not None:
            condition &= ds.field("day") <= pa.scalar(last, pa.date32())
        return ds.dataset(table).to_table(columns, condition)

    def pieces(
        self,
        name: str,
        first: date | None = None,
        last: date | None = None,
        columns: Any = None,
        where: pc.Expression | None = None,
    ) -> Iterator[pa.Table]:
        """Two rows at a time."""
        rows = self.read(name, first, last, columns, where)
        for begin in range(0, 0 if rows is None else rows.num_rows, 2):
            assert rows is not None
            yield rows.slice(begin, 2)


def evaluated(workload: Workload, questions: list[Question], events: pa.Table, most: int | None) -> Tables:
    """What the stage `evaluate` leaves of two days, each with at most so many matches of a query listed."""
    tables = {"events": events}
    records: list[dict[str, Any]] = []
    for question in questions:
        listed, compact = [], []
        for day in (BEFORE, DAY):
            rows, totals = _of_day(workload, question, events, day, most)
            known = totals.get("matches_total") or totals["matches_at_least"]
            cut = int(known) > rows.num_rows
            listed.append(rows)
            if cut:
                compact.append(_of_day(workload, question, events, day, None, collapsed=True)[0])
            records.append(
                {
                    "day": day,
                    "run_id": "run",
                    "query": question.name,
                    "definition": "d",
                    "inputs": json.dumps({}),
                    "rows": rows.num_rows,
                    "matches_total": totals.get("matches_total"),
                    "matches_at_least": totals.get("matches_at_least"),
                    "truncated": cut,
                    "complete": True,
                }
            )
        tables[question.name] = pa.concat_tables(listed)
        if compact:
            tables[f"{question.name}_compact"] = pa.concat_tables(compact)
    tables["result_days"] = pa.Table.from_pylist(records, RESULT_DAYS)
    return Tables(Path(), held=tables)


def _of_day(
    workload: Workload, question: Question, events: pa.Table, day: date, most: int | None, *, collapsed: bool = False
) -> tuple[pa.Table, dict[str, Any]]:
    """A day's rows, with `day`, and its totals."""
    evaluator = compile_query(
        question.text, workload.schema, max_matches=most, collapsed=collapsed, supersets=True, whole_log=False
    )
    days = workload.operating_days.interval(day)
    merged = evaluator.merge(evaluator.evaluate(events, Ownership(days=days)), days)
    [totals] = json.loads(merged.schema.metadata[TOTALS]).values()
    rows = merged.drop_columns([CERTAIN]).replace_schema_metadata()
    return rows.append_column("day", pa.array([day] * rows.num_rows, pa.date32())), totals


def reported(workload: Workload, questions: list[Question], tables: Tables) -> DayReport:
    """The report of the second day."""
    return report_day(workload, questions, tables, DAY, "run")
