"""Thousands of good and bad rows of every planted kind through a load: none is lost, none is invented."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest

from jobs.lake.arrow_write import schema_of
from jobs.lake.dataset import read_table
from jobs.lake.session import LateSession
from jobs.lake.tables.all_tables import table_of
from jobs.lake.tables.creating import create
from jobs.runs.run import Run
from jobs.stages.ingest import ingest
from jobs.stages.validate import validate
from jobs.workload.declaration import load_workload
from tests.counts import DEEP
from tests.lake.readings import LOADED
from tests.leases import leased
from tests.raw.reading.planted_files import KINDS, NAMES, planted_file
from tests.scales import at

pytestmark = pytest.mark.spark

DAY = date(2024, 1, 1)
ROWS = 13_000 if os.environ.get("HYPOTHESIS_PROFILE") == DEEP else 1_000
"""Of each format; more than half of them are bad."""
TYPES = {"BIGINT": "int", "TIMESTAMP": "timestamp", "STRING": "string", "DOUBLE": "float", "BOOLEAN": "bool"}
DECLARATION = f"""title: Planted rows
owner: tests
sources:
  planted:
    format: FORMAT
    path: planted.FORMAT
    columns: {{{", ".join(f"{name}: {TYPES.get(kind, 'date')}" for name, kind in zip(NAMES, KINDS, strict=True))}}}
schedule: "0 0 * * *"
start: 2024-01-01
events:
  Row:
    n: int?
    key: string?
"""
EVENTS = "SELECT 'Row' AS event_type, 1704067200 AS ts, _row, n, key FROM planted\n"


@pytest.mark.parametrize(("format", "scale"), [("csv", "small"), ("csv", "large"), ("json", "small")])
def test_every_row_is_accounted_for(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: Literal["csv", "json"], scale: Any
) -> None:
    """Events are the good rows, the quarantine has the others with rule and text, and the ledger counts all lines.

    The file's form (a header or none, comments, the longest row) is the planted one. 15,000 bad rows of every kind with
    `make test-deep`.
    """
    file = planted_file(Random(format), format, ROWS)
    folder = tmp_path / "planted"
    folder.mkdir()
    (folder / f"planted.{format}").write_bytes(file.data)
    (folder / "workload.yaml").write_text(DECLARATION.replace("FORMAT", format))
    (folder / "events.sql").write_text(EVENTS)
    (folder / "expectations.yaml").write_text("rows: []\ngate: []\n")
    for module in ("source_files", "strict_frame"):
        monkeypatch.setattr(f"jobs.raw.{module}.file_form_of", lambda _: file.form)
    workload, lake = load_workload(folder), tmp_path / "lake"
    spark.sql("DROP DATABASE IF EXISTS planted CASCADE")
    with leased(lake, "planted"), at(spark, scale):
        create("planted", [table_of(workload, name) for name in LOADED], lake)
        run = replace(Run(workload, {}, DAY, DAY, "run", LateSession.of(spark), lake), loads=(DAY,))
        ingest(run)
        validate(run)

    def stored(table: str) -> list[dict[str, Any]]:
        folder = lake / "planted" / table
        rows = read_table(folder, schema_of(folder).names)
        assert rows is not None
        listed: list[dict[str, Any]] = rows.to_pylist()
        return listed

    n, key = NAMES.index("n"), NAMES.index("key")
    assert Counter((row["n"], row["key"]) for row in stored("events")) == Counter(
        (values[n], values[key] or None) for _, _, values in file.good
    )
    assert Counter((row["rule"], row["raw"]) for row in stored("quarantine")) == Counter(
        (rule, raw) for _, _, rule, raw in file.refused
    )
    [ledger] = stored("_work/source_files")
    terms = ("read", "gave_event", "refused", "other_days", "without_event", "no_rows")
    counts = (file.rows, len(file.good), len(file.refused), 0, 0, sum(file.ledger.values()))
    assert tuple(ledger[name] for name in terms) == counts
