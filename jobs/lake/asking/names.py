"""Names of tables without a metastore: what a question asks for gets its name in the session when Spark misses it.

A table or view is `<workload>.<table>`, as in `register.py`. A question about tables themselves (SHOW, DESCRIBE,
EXPLAIN) needs the names of all of them. Cost: some 25 ms a name, and the question is analysed once more for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from cep_core.compile import EVENTS_OF_MATCHES
from jobs import places
from jobs.lake.asking.question import DESCRIBES
from jobs.lake.definition import identifier
from jobs.lake.register import register, register_table, table_folders
from jobs.lake.tables.episodes_over_days import EPISODES, JUDGED, policies_with_episodes, register_episodes_over_days
from jobs.lake.tables.match_events import listings, register_match_events
from jobs.workload.sections.query_settings import OVER_DAYS

if TYPE_CHECKING:
    from pyspark.errors import AnalysisException
    from pyspark.sql import DataFrame, SparkSession

_PART = re.compile(r"`((?:[^`]|``)*)`")
"""A part of a name in Spark's messages."""


def with_names(session: SparkSession, statement: str, ask: Callable[[SparkSession, str], DataFrame]) -> DataFrame:
    """What `ask` says to a statement, with names for the tables that it asks for; its errors pass."""
    from pyspark.errors import AnalysisException

    for workload in _workloads():
        session.sql(f"CREATE DATABASE IF NOT EXISTS `{workload}`")
        if DESCRIBES.match(statement):
            register(session, workload)
            register_match_events(session, workload)
            register_episodes_over_days(session, workload)
    named: set[tuple[str, str]] = set()
    while True:
        try:
            return ask(session, statement)
        except AnalysisException as error:
            missing = _missing(error)
            if missing is None or missing in named or not _name(session, *missing):
                raise
            named.add(missing)


def names() -> list[str]:
    """The tables and views that can be asked, as a statement names them."""
    known = []
    for workload in _workloads():
        own = table_folders(workload, places.lake())
        views = [name + EVENTS_OF_MATCHES for name in listings(workload, places.lake())]
        views += [policy + OVER_DAYS for policy in policies_with_episodes(own)]
        known += [f"{workload}.{name}" for name in sorted({*own, *views})]
    return known


def _workloads() -> list[str]:
    return sorted(path.name for path in places.lake().glob("*") if path.is_dir())


def _missing(error: AnalysisException) -> tuple[str, str] | None:
    """The workload and the table that Spark does not know, in small letters; None if something else is wrong."""
    if error.getCondition() != "TABLE_OR_VIEW_NOT_FOUND":
        return None
    parts = [part.lower() for part in _PART.findall((error.getMessageParameters() or {}).get("relationName", ""))]
    return (parts[-2], parts[-1]) if len(parts) > 1 else None


def _name(session: SparkSession, workload: str, table: str) -> bool:
    """Give a table or a view its name. False: there is none."""
    by_name = {name.lower(): name for name in _workloads()}
    if workload not in by_name:
        return False
    workload = by_name[workload]
    folders = {name.lower(): folder for name, folder in table_folders(workload, places.lake()).items()}

    def register_those(names: Collection[str]) -> None:
        for name in names:
            if name in folders:
                register_table(session, identifier(workload, name), folders[name])

    if table in folders:
        register_those([table])
    elif table.endswith(EVENTS_OF_MATCHES):
        register_those([table.removesuffix(EVENTS_OF_MATCHES), "events"])
        return bool(register_match_events(session, workload, only=table))
    elif table.endswith(OVER_DAYS):
        policy = table.removesuffix(OVER_DAYS)
        register_those([policy + EPISODES, policy + JUDGED, "result_days"])
        return bool(register_episodes_over_days(session, workload, only=table))
    return table in folders
