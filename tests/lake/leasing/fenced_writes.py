"""Writes under a fence: the fence of a run that was paused, what it writes, and the numbers in a table's log."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from jobs.lake.conditions import equal
from jobs.lake.leasing.fence import Fence
from jobs.lake.leasing.lease import take
from jobs.lake.write import replace

LONG_AGO = datetime.now(UTC) - timedelta(hours=1)
DAY = date(2024, 1, 1)
COLUMNS = pa.schema([pa.field("n", pa.int64())])


def abandoned(path: Path, run_id: str) -> Fence:
    """The fence of a run that took the lease an hour ago and was paused since; its own clock has not noticed yet."""
    fence = Fence(path, take(path, run_id, run_id, now=LONG_AGO))
    fence.expires = datetime.now(UTC) + timedelta(hours=1)
    return fence


def overwrite(df: Any, table: str) -> None:
    replace(df, table, equal("day", DAY))


def held(n: int) -> pa.Table:
    return pa.table({"day": [DAY], "run_id": ["r"], "n": [n]})


def numbers(log: Path) -> list[int]:
    """The fencing numbers in a table's log, in the order of its versions."""
    actions = [json.loads(line) for file in sorted(log.glob("*.json")) for line in file.read_text().splitlines()]
    return [action["txn"]["version"] for action in actions if "txn" in action]
