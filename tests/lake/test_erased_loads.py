"""Loads leave out what was erased and count it, small and large ones alike; what stays keeps its names."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from jobs.erasure.condition import read_condition
from jobs.erasure.key import KEY, key_id
from jobs.erasure.rules import REMOVED, Erasure, rule_of
from jobs.lake.tables.creating import create
from jobs.lake.tables.erasure_tables import ERASURES
from jobs.tasks.forgetting.erase import record
from tests.lake.readings import D1, D2, D3, Readings
from tests.leases import leased

pytestmark = pytest.mark.spark

TABLES = ("events", "quarantine", "work_source_rows", "work_source_files", "work_loaded_days")
EVENT = ("event_type", "meter", "kwh", "ts", "seq")
ERASED = ("meter = 'a'", "event_type = 'Reading' AND meter = 'b'", "kwh = 150")


def erase(readings: Readings, *conditions: str) -> None:
    """Record erasures, as of rows that are gone from the lake."""
    key, now = b"k" * 32, datetime.now(UTC)
    rules = [rule_of(key, read_condition(text, readings.workload.schema)) for text in conditions]
    erasures = [Erasure(f"e{place}", rule, key_id(key), REMOVED, now, now, "tests") for place, rule in enumerate(rules)]
    with leased(readings.lake, "readings"):
        create("readings", [ERASURES], readings.lake)
        record(erasures, "readings", "run")


def fits(kind: str, meter: str, kwh: float | None, ts: int, seq: int) -> bool:
    """Whether an event was erased."""
    return meter == "a" or (kind == "Reading" and meter == "b") or kwh == 150


def test_loads_leave_out_what_was_erased(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of several events and days, refused ones among them, that fit rules wholly, in part or not at all."""
    monkeypatch.setenv(KEY, "k" * 32)
    readings, random = Readings(spark, tmp_path), Random(7)
    lines: list[str] = []
    for number in range(200):
        day, hour = random.choice((1, 1, 2, 3)), random.randrange(3)
        kwh = random.choice(("1", "2", "3", "150", "120", "-3", "much"))
        meter = random.choice("abcd") if random.random() < 0.9 else ""
        lines.append(f"{number},2024-01-0{day}T1{hour}:00:00Z,{meter},{kwh}")
    readings.write(*lines)
    readings.load(D1, D2, D3)
    whole = readings.rows("events", *EVENT)
    texts = [raw for (raw,) in readings.rows("quarantine", "raw")]
    held_back = {text for text in texts if {"a", "b", "150"} & set(text.split(","))}
    assert held_back
    assert held_back != set(texts)

    erase(readings, *ERASED)
    readings.load(D1, D2, D3)
    small = {table: readings.rows(table) for table in TABLES}
    assert readings.rows("events", *EVENT) == [row for row in whole if not fits(*row)]
    assert {raw for (raw,) in readings.rows("quarantine", "raw")} == {text for text in texts if text not in held_back}
    assert sum(number for (number,) in readings.rows("work_source_rows", "suppressed")) > len(held_back)
    readings.load(D2)
    assert {table: readings.rows(table) for table in TABLES} == small
    with readings.as_large():
        readings.load(D1, D2, D3)
    assert {table: readings.rows(table) for table in TABLES} == small
