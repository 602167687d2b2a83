"""The lake's ledger, read without a JVM: its days, the results evaluated from them, and the days a run loaded.

Two small tables are enough: `_work/loaded_days` (one row a day) and `result_days` (one row a query and day). Assumes
that the lake is a folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from jobs.lake.dataset import read_table
from jobs.runs.recorded_days import Ledger, LoadedDay, Recorded
from jobs.runs.scope import Bounds, ScopedQuery
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload
from jobs.workload.sections.limits import Limits

LOADED = ("digest", "refused", "events", "points", "definition", "begins", "expired")
"""The columns that make a LoadedDay. Rows of an older program lack the last three."""


def read_ledger(lake: Path, workload: str) -> Ledger:
    """The ledger of a workload's lake; an empty one if the lake does not exist yet."""
    loaded = read_table(lake / workload / "_work" / "loaded_days", ["day", *LOADED])
    results = read_table(lake / workload / "result_days", ["day", "query", "definition", "inputs", "exhausted"])
    return Ledger(
        {row["day"]: LoadedDay(**{name: row[name] for name in LOADED if name in row}) for row in _rows(loaded)},
        {
            (row["query"], row["day"]): Recorded(
                row["definition"],
                {date.fromisoformat(day): version for day, version in json.loads(row["inputs"]).items()},
                None if row.get("exhausted") is None else json.loads(row["exhausted"])["work"],
            )
            for row in _rows(results)
        },
    )


def loaded_by(lake: Path, workload: str, run_id: str) -> tuple[date, ...]:
    """The days whose last load was this run's, ascending."""
    loaded = read_table(lake / workload / "_work" / "loaded_days", ["day", "run_id"])
    return tuple(sorted(row["day"] for row in _rows(loaded) if row["run_id"] == run_id))


def refused_by(lake: Path, workload: str, run_id: str) -> dict[date, str]:
    """The days that the gate refused in this run, with the first reason."""
    loaded = read_table(lake / workload / "_work" / "loaded_days", ["day", "run_id", "refused", "reason"])
    return {
        row["day"]: row["reason"] or "refused" for row in _rows(loaded) if row["run_id"] == run_id and row["refused"]
    }


def questions_of(compiled: Mapping[str, WorkloadQuery], limits: Limits) -> dict[str, ScopedQuery]:
    """The queries in the form that the scope needs."""
    return {name: ScopedQuery(query.evaluator.reach, query.definition, limits.work) for name, query in compiled.items()}


def bounds_of(workload: Workload) -> Bounds:
    """The limits on how far back any query of the workload may look."""
    return Bounds(workload.operating_days, workload.start, workload.limits.max_reach)


def _rows(table: pa.Table | None) -> list[dict[str, Any]]:
    return [] if table is None else table.to_pylist()
