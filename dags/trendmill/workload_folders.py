"""The workload folders as far as a calendar needs them: who owns one, when its day begins, which tables it fills.

Reads `workload.yaml` and the names of the query files, nothing else. Whether queries and sources are right is for
`trendmill check`, which each night's first task runs into anyway; a folder that cannot even be scheduled becomes a
`BrokenFolder` with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import yaml

SHARED_TABLES = ("events", "quarantine", "stream_statistics", "heavy_hitters", "slicing_plans", "result_days")
DAILY = re.compile(r"[0-5]?\d\s+([01]?\d|2[0-3])\s+\*\s+\*\s+\*")
QUERY_FILES = ("queries/*.cep", "policies/*.mfotl", "policies/*.mtl")


@dataclass(frozen=True)
class WorkloadFolder:
    """A workload that can be scheduled. `cron` (UTC) marks where one operating day ends and the next begins."""

    name: str
    title: str
    owner: str
    cron: str
    start: date
    tables: tuple[str, ...]


@dataclass(frozen=True)
class BrokenFolder:
    """A workload folder that cannot be scheduled, and why."""

    name: str
    reason: str


def read_workload_folders(root: Path) -> Iterator[WorkloadFolder | BrokenFolder]:
    """Every subfolder of `root` that holds a `workload.yaml`, by name."""
    for file in sorted(root.glob("*/workload.yaml")):
        try:
            yield _read(file)
        except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
            yield BrokenFolder(file.parent.name, f"{type(error).__name__}: {error}")


def _read(file: Path) -> WorkloadFolder:
    declared = yaml.safe_load(file.read_text(encoding="utf-8"))
    if not isinstance(declared, dict):
        raise ValueError("workload.yaml is not a mapping")
    results = tuple(sorted(path.stem for pattern in QUERY_FILES for path in file.parent.glob(pattern)))
    return WorkloadFolder(
        name=file.parent.name,
        title=str(declared["title"]),
        owner=str(declared["owner"]),
        cron=_daily(declared["schedule"]),
        start=_day(declared["start"]),
        tables=(*SHARED_TABLES, *results),
    )


def _daily(declared: Any) -> str:
    """The cron text of a daily schedule; the operating day begins at its minute, in UTC."""
    if not isinstance(declared, str) or not DAILY.fullmatch(declared.strip()):
        raise ValueError(f"schedule: {declared!r} is not a daily cron text such as '0 8 * * *'")
    return declared.strip()


def _day(declared: Any) -> date:
    return declared.date() if isinstance(declared, datetime) else date.fromisoformat(str(declared))
