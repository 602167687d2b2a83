"""Facts about workload folders that a calendar needs: the owner, the start of a day, and the tables that are filled.

Reads only four values at the top of `workload.yaml`, what a calendar must know of its alerts, and the names of the
query files. No anchor is ever expanded.
`trendmill check` decides whether queries and sources are right, and each night's first task runs it. A folder that
cannot even be scheduled is a `BrokenFolder` with the reason. `trendmill check` also refuses everything that is refused
here (jobs/workload/declaration.py); tests/dags/test_folders.py compares the two.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import yaml

from trendmill.alert_facts import AlertFacts, read_alert_facts

SHARED_TABLES = ("events", "quarantine", "stream_statistics", "heavy_hitters", "slicing_plans", "result_days")
DAILY = re.compile(r"([0-5]?[0-9])\s+([01]?[0-9]|2[0-3])\s+\*\s+\*\s+\*")
QUERY_FILES = ("queries/*.cep", "policies/*.mfotl", "policies/*.mtl")

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
"""Names of workloads and queries: each is part of DAG ids, tags, tables, folders and command lines."""
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
STARTS = date(1700, 1, 1), date(2200, 12, 31)
LONGEST = {"title": 200, "owner": 100}
"""Characters."""
LARGEST = 256 * 1024
"""Bytes of a workload.yaml."""


@dataclass(frozen=True)
class WorkloadFolder:
    """A workload that can be scheduled. `cron` (UTC) marks where one operating day ends and the next begins."""

    name: str
    title: str
    owner: str
    cron: str
    start: date
    tables: tuple[str, ...]
    alerts: AlertFacts = field(default_factory=AlertFacts)


@dataclass(frozen=True)
class BrokenFolder:
    """A workload folder that cannot be scheduled, and why."""

    name: str
    reason: str

    def __str__(self) -> str:
        """One line of plain ASCII: a folder's name may hold anything.

        >>> str(BrokenFolder("café", "its name has a character that is not allowed"))
        "workload folder 'caf\\\\xe9': its name has a character that is not allowed"
        """
        return f"workload folder {self.name!a}: {self.reason}"


def read_workload_folders(root: Path) -> Iterator[WorkloadFolder | BrokenFolder]:
    """Every subfolder of `root` that holds a `workload.yaml`, by name."""
    for file in sorted(folder / "workload.yaml" for folder in root.iterdir()) if root.is_dir() else ():
        if not os.path.lexists(file):
            continue
        try:
            yield _read(file)
        except yaml.YAMLError as error:
            yield BrokenFolder(file.parent.name, f"workload.yaml is not YAML: {' '.join(str(error).split())[:500]}")
        except (OSError, ValueError, RecursionError) as error:
            yield BrokenFolder(file.parent.name, str(error)[:500])


def _read(file: Path) -> WorkloadFolder:
    if not NAME.fullmatch(file.parent.name):
        raise ValueError("the folder's name is not a lower case letter and up to 63 such letters, digits and '_'")
    root = yaml.compose(_text(file), Loader=yaml.SafeLoader)
    values = _values(root)
    questions = sorted(path.stem for pattern in QUERY_FILES for path in file.parent.glob(pattern))
    for name in questions:
        if not NAME.fullmatch(name):
            raise ValueError(f"the query file {name!a} cannot name a table: lower case letters, digits and '_'")
    return WorkloadFolder(
        name=file.parent.name,
        title=_words(values, "title"),
        owner=_words(values, "owner"),
        cron=_daily(values.get("schedule", "")),
        start=_day(values.get("start", "")),
        tables=(*SHARED_TABLES, *questions),
        alerts=read_alert_facts(root),
    )


def _text(file: Path) -> str:
    if not file.is_file():
        raise ValueError("workload.yaml is no file")
    with file.open("rb") as opened:
        read = opened.read(LARGEST + 1)
    if len(read) > LARGEST:
        raise ValueError(f"workload.yaml is larger than {LARGEST:,} bytes")
    return read.decode("utf-8")


def _values(root: yaml.Node | None) -> dict[str, str]:
    """The single values at the top level of a YAML file, as they are written; nested values are not read."""
    if not isinstance(root, yaml.MappingNode):
        raise ValueError("workload.yaml is not a mapping")
    values: dict[str, str] = {}
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
            raise ValueError(f"workload.yaml, line {key.start_mark.line + 1}: expected a word as key")
        if key.value in values:
            raise ValueError(f"workload.yaml, line {key.start_mark.line + 1}: {key.value!a} is given twice")
        values[key.value] = value.value if isinstance(value, yaml.ScalarNode) else ""
    return values


def _words(values: dict[str, str], key: str) -> str:
    text = values.get(key, "").strip()
    if not text or len(text) > LONGEST[key] or not text.isprintable():
        raise ValueError(f"{key}: expected a line of text of at most {LONGEST[key]} characters")
    return text


def _daily(declared: str) -> str:
    """The cron text of a daily schedule; the operating day begins at its minute, in UTC."""
    if not DAILY.fullmatch(declared.strip()):
        raise ValueError(f"schedule: {declared[:50]!a} is not a daily cron text such as '0 8 * * *'")
    return " ".join(declared.split())


def _day(declared: str) -> date:
    """The first operating day, as `2013-01-01`."""
    if not DAY.fullmatch(declared):
        raise ValueError(f"start: {declared[:50]!a} is not a date such as 2013-01-01")
    day = date.fromisoformat(declared)
    if not STARTS[0] <= day <= STARTS[1]:
        raise ValueError(f"start: {declared} lies outside of {STARTS[0]} to {STARTS[1]}")
    return day
