"""Removes what is older than the section `retention` of workload.yaml allows: rows by operating day, and reports.

Days whose events go are first marked as expired, so that no program takes them for days without events; results stay
as they were evaluated. Killed in between, the next upkeep goes on. Cost: a commit for each table; no row is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

from jobs import places
from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import literal, one_of
from jobs.lake.dataset import read_table
from jobs.lake.definition import identifier
from jobs.lake.tables.creating import create
from jobs.lake.tables.event_tables import LOADED_DAYS
from jobs.lake.tables.match_events import tables_of_match_events
from jobs.lake.write import replace
from jobs.runs.day_marks import mark_days
from jobs.stages.loading.log_order import DAY_BITS
from jobs.stored_path import remove_tree
from jobs.tasks.forgetting.derived_rows import tables_of
from jobs.workload.operating_days import day_number
from jobs.workload.sections.retention import Retention


def expire(workload: str, lake: Path, retention: Retention, today: date) -> dict[str, int]:
    """Remove what is too old. Gives, by table, of how many days something was removed; of `runs`, how many rows."""
    home = lake / workload
    removed: dict[str, int] = {}
    if (begin := retention.begin("events", today)) is not None:
        for name in ("events", "heavy_hitters", "stream_statistics"):
            if days := [day for day in _days_of(home / name) if day < begin]:
                if name == "events":
                    _mark_expired(home, lake, days)
                _remove(home, name, one_of("day", days))
                removed[name] = len(days)
        removed |= _remove_events_of_matches(home, begin)
    tables = {"quarantine": ["quarantine"], "results": list(_tables_of_results(home))}
    for kept, names in tables.items():
        if (begin := retention.begin(kept, today)) is not None:
            for name in names:
                if days := [day for day in _days_of(home / name) if day < begin]:
                    _remove(home, name, one_of("day", days))
                    removed[name] = len(days)
    if (begin := retention.begin("runs", today)) is not None:
        stored = read_table(home / "runs", ["day"])
        old = 0 if stored is None else sum(day < begin for day in stored["day"].to_pylist())
        if old:
            _remove(home, "runs", f"`day` < {literal(begin)}")
            removed["runs"] = old
    if (begin := retention.begin("reports", today)) is not None and (reports := _reports_before(workload, begin)):
        for folder in reports:
            remove_tree(folder)
        removed["reports"] = len(reports)
    return removed


def removal_text(removed: Mapping[str, int]) -> str:
    """What retention removed, in words; empty: nothing.

    >>> removal_text({"events": 2, "runs": 7})
    'retention removed events of 2 days, runs: 7 rows'
    """
    parts = [
        f"{name}: {number} rows" if name == "runs" else f"{name} of {number} days" for name, number in removed.items()
    ]
    return f"retention removed {', '.join(parts)}" if parts else ""


def _days_of(folder: Path) -> list[date]:
    """The days of which a table partitioned by day has files, from its log."""
    if not (folder / "_delta_log").is_dir():
        return []
    actions = pa.table(DeltaTable(folder).get_add_actions(flatten=False))
    return sorted({row["day"] for row in actions["partition"].to_pylist()})


def _mark_expired(home: Path, lake: Path, days: Collection[date]) -> None:
    create(home.name, [LOADED_DAYS], lake)
    mark_days(home, days, "expired", True)


def _tables_of_results(home: Path) -> Iterator[str]:
    """The tables of all queries that the ledger of results knows, then that ledger itself: it must not tell of rows
    that are gone, and a query that is known there is looked for again after a kill."""
    stored = read_table(home / "result_days", ["query"])
    for query in sorted(set([] if stored is None else stored["query"].to_pylist())):
        yield from tables_of(home, query)
    yield from ("slice_runs", "result_days")


def _remove(home: Path, name: str, condition: str) -> None:
    replace(schema_of(home / name).empty_table(), identifier(home.name, name), condition)


def _remove_events_of_matches(home: Path, begin: date) -> dict[str, int]:
    """Remove copies of events of earlier days, also where matches of later days bind them. Gives days by table."""
    first = day_number(begin) << DAY_BITS
    removed = {}
    for name in tables_of_match_events(home.name, home.parent):
        stored = read_table(home / name, ["day"], where=ds.field("seq") < first)
        if days := sorted(set([] if stored is None else stored["day"].to_pylist())):
            if days[0] < begin:
                _remove(home, name, one_of("day", [day for day in days if day < begin]))
            if days[-1] >= begin:
                _remove(home, name, f"`seq` < {first}")
            removed[name] = len(days)
    return removed


def _reports_before(workload: str, begin: date) -> list[Path]:
    home = places.reports() / workload
    days = home.glob("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]")
    return sorted(folder for folder in days if folder.name < begin.isoformat())
