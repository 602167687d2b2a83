"""The workload folders as far as a calendar needs them: who owns one, when its day begins, which tables it fills.

Reads `workload.yaml` and the names of the query files, nothing else. Whether queries and sources are right is for
`trendmill check`, which each night's first task runs into anyway; a folder that cannot even be scheduled becomes a
`BrokenFolder` with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import yaml

SHARED_TABLES = ("events", "quarantine", "stream_statistics", "heavy_hitters", "slicing_plans", "result_days")
QUERY_FILES = ("queries/*.cep", "policies/*.mfotl", "policies/*.mtl")


@dataclass(frozen=True)
class WorkloadFolder:
    """A workload that can be scheduled. `cron` in `zone` marks where one operating day ends and the next begins."""

    name: str
    title: str
    owner: str
    cron: str
    zone: str
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
    cron, zone = _schedule(declared["schedule"])
    results = tuple(sorted(path.stem for pattern in QUERY_FILES for path in file.parent.glob(pattern)))
    return WorkloadFolder(
        name=file.parent.name,
        title=str(declared["title"]),
        owner=str(declared["owner"]),
        cron=cron,
        zone=zone,
        start=_day(declared["start"]),
        tables=(*SHARED_TABLES, *results),
    )


def _schedule(declared: Any) -> tuple[str, str]:
    """Cron text and zone; `schedule` is a cron text, or a mapping with `cron` and `zone`."""
    schedule = {"cron": declared} if isinstance(declared, str) else dict(declared)
    cron, zone = str(schedule["cron"]), str(schedule.get("zone", "UTC"))
    if len(cron.split()) != 5:
        raise ValueError(f"schedule: {cron!r} is not a cron text of five fields")
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError(f"schedule: there is no time zone {zone!r}") from None
    return cron, zone


def _day(declared: Any) -> date:
    return declared.date() if isinstance(declared, datetime) else date.fromisoformat(str(declared))
