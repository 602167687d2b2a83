"""Days of a policy, evaluated in memory, as the tables that a report reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from cep_core.events.logs.time_points import with_points
from cep_core.language.evaluator import CERTAIN, TOTALS
from cep_core.language.settings import Settings
from cep_core.testing.unsliced import unsliced
from jobs.reports.questions import Question
from jobs.workload.declaration import Workload
from tests.reports.lake.cut_days import Tables


def policy_tables(
    workload: Workload, question: Question, events: pa.Table, days: Sequence[date], settings: Settings
) -> Tables:
    """The tables of a policy over consecutive days, with the events; `events` with `day` and `run_id`."""
    calendar = workload.operating_days
    bounds = (*(calendar.interval(day)[0] for day in days), calendar.interval(days[-1])[1])
    evaluator = question.bound.evaluator(settings)
    log, points = with_points(events, workload.time.points)
    held: dict[str, Any] = {"events": events}
    totals = {}
    for table in evaluator.tables:
        merged = unsliced(evaluator, log, points, bounds, table.suffix)
        totals[table.counted_in or table.suffix] = json.loads((merged.schema.metadata or {}).get(TOTALS, b"{}"))
        on = pa.array([calendar.day_of(moment) for moment in merged[CERTAIN].to_pylist()], pa.date32())
        rows = merged.drop_columns([CERTAIN]).replace_schema_metadata().append_column("day", on)
        held[question.name + table.suffix] = rows.append_column(
            "run_id", pa.array(["run"] * rows.num_rows, pa.string())
        )
    listed = held[question.name]["day"].to_pylist()
    records = [
        {"day": day, "run_id": "run", "query": question.name, "definition": "d", "inputs": "{}", "complete": True}
        | {"rows": listed.count(day), "matches_total": (total := totals[""][str(begin)]["matches_total"])}
        | {"matches_at_least": None, "truncated": listed.count(day) < int(total)}
        | {"episodes": int(totals["episodes"][str(begin)]["matches_total"])}
        for day, begin in zip(days, bounds[:-1], strict=True)
    ]
    return Tables(Path(), held=held | {"result_days": pa.Table.from_pylist(records)})
