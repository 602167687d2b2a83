"""A small workload of meter readings whose files a test writes, and runs of its load."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

from jobs.lake.session import LateSession
from jobs.lake.tables.all_tables import table_of
from jobs.lake.tables.creating import create
from jobs.runs.run import Run, StageOutcome
from jobs.stages.ingest import ingest
from jobs.stages.validate import validate
from jobs.workload.declaration import Workload, load_workload
from tests.leases import leased
from tests.scales import at

D1, D2, D3 = date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 3)

DECLARATION = """title: Readings of meters
owner: tests
sources:
  readings:
    format: {format}
    path: {path}
    {more}
    columns: {{id: int, at: timestamp, meter: string, kwh: float}}
schedule: "0 0 * * *"
start: 2024-01-01
events:
  Reading:
    meter: string
    kwh: float?
  Next: {{meter: string}}
"""

EVENTS = """
SELECT 'Reading' AS event_type, unix_seconds(at) AS ts, _row, meter, kwh FROM readings
UNION ALL
SELECT 'Next', unix_seconds(at) + 86400, _row, meter, NULL FROM readings WHERE kwh > 100
"""

RULES = """rows:
  - {name: not_negative, source: readings, holds: kwh >= 0, reason: meters count upwards}
gate:
  - name: few_refused
    over: refusals
    type: expect_column_values_to_be_between
    arguments: {column: share, max_value: 0.5}
    reason: half of the rows cannot be wrong
"""

LOADED = ("work_staged_events", "work_source_rows", "work_source_files", "work_loaded_days", "events", "quarantine")
"""The tables that a load writes; making the others too would take most of a test's time."""

HEADER = "id,at,meter,kwh"


@dataclass
class Readings:
    """The workload below `home`, loaded into `home/lake`."""

    spark: Any
    home: Path
    format: str = "csv"
    path: str = "readings.csv"
    more: str = "order: [kwh, at, meter, id]"
    workload: Workload = field(init=False)

    def __post_init__(self) -> None:
        folder = self.home / "readings"
        folder.mkdir()
        values = {"format": self.format, "path": self.path, "more": self.more}
        (folder / "workload.yaml").write_text(DECLARATION.format(**values))
        (folder / "events.sql").write_text(EVENTS)
        (folder / "expectations.yaml").write_text(RULES)
        self.workload = load_workload(folder)
        self._create()

    def _create(self) -> None:
        with leased(self.lake, "readings"):
            create("readings", [table_of(self.workload, name) for name in LOADED], self.lake)

    @contextmanager
    def as_large(self) -> Iterator[None]:
        """In this block loads are those of a large input, which use the tables in Spark, in several partitions."""
        self.spark.sql("DROP DATABASE IF EXISTS readings CASCADE")
        partitions = self.spark.conf.get("spark.sql.shuffle.partitions")
        with at(self.spark, "large"):
            self._create()
            self.spark.conf.set("spark.sql.shuffle.partitions", "3")
            try:
                yield
            finally:
                self.spark.conf.set("spark.sql.shuffle.partitions", partitions)
        self.spark.sql("DROP DATABASE IF EXISTS readings CASCADE")

    @property
    def lake(self) -> Path:
        return self.home / "lake"

    def file(self, name: str = "readings.csv") -> Path:
        return self.workload.folder / name

    def write(self, *rows: str, name: str = "readings.csv") -> None:
        self.file(name).write_text("\n".join([HEADER, *rows]) + "\n")

    def run(self, *days: date) -> Run:
        made = Run(self.workload, {}, min(days), max(days), f"run of {days}", LateSession.of(self.spark), self.lake)
        return replace(made, loads=days)

    def load(self, *days: date) -> StageOutcome:
        run = self.run(*days)
        with leased(self.lake, "readings"):
            ingest(run)
            return validate(run)

    def rows(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """A table's rows without `run_id`, in one order."""
        stored = self._table(table)
        names = columns or tuple(name for name in stored.column_names if name != "run_id")
        return sorted((tuple(row.values()) for row in stored.select(names).to_pylist()), key=repr)

    def equation(self, day: date) -> dict[str, int]:
        [row] = [row for row in self._table("work_source_rows").to_pylist() if row["day"] == day]
        return {name: row[name] for name in ("read", "gave_event", "refused", "other_days", "without_event")}

    def _table(self, name: str) -> pa.Table:
        return DeltaTable(self.lake / "readings" / table_of(self.workload, name).folder).to_pyarrow_table()
