"""The places where a value may still lie after an erasure, and since when it can not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa

from jobs.erasure.log_commits import KEPT
from jobs.erasure.rules import Suppression

FILES = timedelta(days=7)
"""How long a table keeps the files of older versions."""

OWN = ("queries", "policies", "cases")
"""Folders of a workload."""

SUNDAY, NOON = 6, 12
"""When the DAG `maintenance` runs, in UTC."""


def next_upkeep(after: datetime) -> date:
    """The day of the first weekly upkeep after a moment.

    >>> next_upkeep(datetime(2026, 11, 24, tzinfo=UTC)), next_upkeep(datetime(2026, 11, 29, 13, tzinfo=UTC))
    (datetime.date(2026, 11, 29), datetime.date(2026, 12, 6))
    """
    day = after.date() + timedelta(days=(SUNDAY - after.weekday()) % 7)
    return day + timedelta(days=7) if day == after.date() and after.hour >= NOON else day


def files_with_values(folder: Path, rules: Suppression) -> list[str]:
    """The files of a workload, besides its data, in which the values stand as words."""
    paths = [path for pattern in ("*.*", *(f"{name}/*" for name in OWN)) for path in sorted(folder.glob(pattern))]
    texts = [path.read_text(encoding="utf-8", errors="replace") if path.is_file() else "" for path in paths]
    held = rules.texts(pa.array(texts, pa.string()))
    return [path.relative_to(folder).as_posix() for path, holds in zip(paths, held, strict=True) if holds]


def other_workloads(lake: Path, workload: str) -> list[str]:
    """The other workloads that have events in a lake: an erasure is of one workload."""
    tables = lake.glob("*/events/_delta_log")
    return sorted({table.parent.parent.name for table in tables} - {workload})


def places_left(
    workload: str,
    removed_at: datetime,
    expired: Collection[date] = (),
    own: Sequence[str] = (),
    others: Sequence[str] = (),
) -> list[str]:
    """One line for each place. `expired`: days whose events were removed by retention; `own`: files of the workload
    that hold the values; `others`: other workloads of the lake."""
    since = removed_at.astimezone(UTC)
    files, logs = next_upkeep(since + FILES), next_upkeep(since + KEPT)
    older = [
        f"results of {len(expired)} days whose events retention removed: nobody knows any more what they were made of; "
        "look for the value with `trendmill sql`, or let `retention: {results: ...}` remove them"
    ]
    shown = (
        "; pages and plans show what the texts of queries name"
        if any(name.startswith(("queries/", "policies/")) for name in own)
        else ""
    )
    beside = [f"events and results of other workloads in this lake, which may read the same: {', '.join(others)}"]
    return [
        *(beside if others else []),
        *(older if expired else []),
        f"files of older table versions: until VACUUM of {files}, if `maintenance` runs weekly "
        f"(by hand after {since + FILES:%Y-%m-%d %H:%M}Z: python -m jobs.spark_task --task maintain --workload "
        f"{workload} --run-id by-hand)",
        f"logs of the tables, least and greatest values of files that are gone: until the upkeep of {logs}",
        "the sources' own files, which loads read: yours to correct; until then loads leave the rows out",
        "the workload's own folder: "
        + (
            f"yours to correct: {', '.join(own)}{shown}"
            if own
            else "no query, case or other file of it holds the value now"
        ),
        f"copies of the workload ({workload}/_work/workloads; of a lake in a storage also TRENDMILL_CACHE/workloads), "
        "if a query's text names the value: 14 days after their last use",
        "logs of Airflow and of Spark (AIRFLOW_HOME/logs, spark.eventLog.dir): messages of the gate may name values",
        "the cache of other machines that publish reports to a storage, until they publish again; temporary files of "
        "programs that were killed (TMPDIR)",
        "what people took away: CSV files, pages, notebooks, answers of `trendmill sql`, alerts that were sent",
        "copies of the lake, of reports and of disks: backups, snapshots, replicas, versions that a storage keeps",
        "names of files and folders, the shell's history of this command",
    ]
