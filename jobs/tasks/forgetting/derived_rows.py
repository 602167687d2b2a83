"""Removes what was made of erased events: results, statistics, plans, slices, staged rows, reports.

Results are first marked as outdated, then their rows go. So a program that is killed in between leaves results that are
stale, not wrongly current; `forget` again, or `run --stale`, evaluates them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

from cep_core.compile import tables_beside
from jobs import places
from jobs.erasure.condition import Value
from jobs.erasure.value_hashes import windows, words_of, words_of_value
from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import EVERY_ROW, equal, one_of
from jobs.lake.dataset import read_table
from jobs.lake.definition import identifier
from jobs.lake.register import DISCARDED
from jobs.lake.write import replace
from jobs.reports.answers.changes import TRAILING
from jobs.reports.stored_reports import places_of_reports
from jobs.runs.ledger import read_ledger
from jobs.runs.recorded_days import EXPIRED, Ledger
from jobs.stages.compare import EXPERIMENT
from jobs.stored_path import remove_tree

OUTDATED = ""
"""A definition hash that no query has."""

MADE_AGAIN = ("staged_events", "slices")
"""Working tables that the next load, and the next run, make again."""

OF_HEAVY = "heavy values of "
"""How a plan's reasons about heavy values begin."""

KEPT_REPORTS = ("experiments",)
"""Pages of measurements, which show no events."""


@dataclass(frozen=True)
class Results:
    """What was evaluated from days: query -> days. `rows`: table -> day -> rows."""

    days: Mapping[str, Collection[date]]
    rows: Mapping[str, Mapping[date, int]]

    @property
    def every_day(self) -> set[date]:
        return {day for days in self.days.values() for day in days}


def results_of(home: Path, days: Collection[date], ledger: Ledger, *, changed: bool) -> Results:
    """The results that read some days. `changed`: only those that read other events there than the lake has now, and
    those that are marked as outdated."""
    days_of: dict[str, list[date]] = {}
    for (query, day), recorded in ledger.results.items():
        read = [of for of in days if of in recorded.inputs]
        differs = recorded.definition == OUTDATED or any(
            ledger.version(of) not in (recorded.inputs[of], EXPIRED) for of in read
        )
        if read and (differs or not changed):
            days_of.setdefault(query, []).append(day)
    rows: dict[str, Counter[date]] = {}
    for query, of_query in days_of.items():
        for table in tables_of(home, query):
            stored = read_table(home / table, ["day"], of_query)
            if stored is not None and stored.num_rows:
                rows[table] = Counter(stored["day"].to_pylist())
    return Results(days_of, rows)


def tables_of(home: Path, query: str) -> list[str]:
    """The tables of a query that the lake has, also of a query that left the workload."""
    names = (query, *(query + suffix for suffix in tables_beside()))
    return [name for name in names if (home / name / "_delta_log").is_dir()]


def remove_results(home: Path, results: Results, present: Collection[str]) -> None:
    """Mark results as outdated and remove their rows. `present`: the workload's queries; those of others leave the
    ledger too, since nobody can evaluate them again."""
    for query, days in sorted(results.days.items()):
        of_query = ds.field("query") == query
        marked = read_table(home / "result_days", schema_of(home / "result_days").names, days, of_query)
        assert marked is not None
        place = marked.column_names.index("definition")
        marked = marked.set_column(place, "definition", pa.array([OUTDATED] * marked.num_rows, pa.string()))
        where = f"{one_of('day', days)} AND {equal('query', query)}"
        table = identifier(home.name, "result_days")
        replace(marked, table, where)
        for name in tables_of(home, query):
            nothing = schema_of(home / name).empty_table()
            replace(nothing, identifier(home.name, name), one_of("day", days))
        if query not in present:
            replace(marked.slice(0, 0), table, where)


def remove_statistics(home: Path, days: Collection[date], ledger: Ledger) -> None:
    """Remove counts of events and heavy values of those of the days that have other events now: the next run counts
    them again."""
    stored = read_table(home / "stream_statistics", ["day", "events"], days)
    if stored is None:
        return
    summed = stored.group_by("day").aggregate([("events", "sum")]).to_pylist()
    changed = [row["day"] for row in summed if row["events_sum"] != ledger.days[row["day"]].events]
    for name in ("heavy_hitters", "stream_statistics") if changed else ():
        replace(schema_of(home / name).empty_table(), identifier(home.name, name), one_of("day", changed))


def remove_plans(home: Path, values: Collection[Value]) -> Counter[date]:
    """Remove the plans that hold one of some values as a heavy value, and how they compared. Gives them by day."""
    stored = read_table(home / "slicing_plans", ["day", "plan_id", "plan"])
    rows: list[dict[str, Any]] = [] if stored is None else stored.to_pylist()
    holding = [row for row in rows if tells_any(json.loads(row["plan"]), values)]
    if holding:
        names = sorted({row["plan_id"] for row in holding})
        conditions = {
            "slicing_plans": one_of("plan_id", names),
            "experiments": one_of("experiment", [EXPERIMENT + name for name in names]),
        }
        for name, condition in conditions.items():
            replace(schema_of(home / name).empty_table(), identifier(home.name, name), condition)
    return Counter(row["day"] for row in holding)


def clear_working_tables(home: Path) -> None:
    """Empty the working tables that hold events and are made again, and remove their files at once: nobody reads
    versions of them."""
    for name in MADE_AGAIN:
        folder = home / "_work" / name
        if (folder / "_delta_log").is_dir():
            if DeltaTable(folder).count():
                replace(schema_of(folder).empty_table(), identifier(home.name, f"work_{name}"), EVERY_ROW)
            table = DeltaTable(folder)
            table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False, full=True)
    for name in ("loading", "judged", "partials"):
        remove_tree(places.scratch(home / "_work" / name), ignore_errors=True)
    remove_discarded(home)


def remove_discarded(home: Path) -> None:
    """Remove tables that a `rebuild` put aside and was killed before it removed them."""
    for folder in home.glob(f"_work/{DISCARDED}*"):
        remove_tree(folder)


def shown_by(days: Collection[date]) -> set[date]:
    """The days whose reports show what some days have: their own, and those that show it beside their numbers."""
    return {day + timedelta(days=later) for day in days for later in range(TRAILING + 1)}


def remove_reports(workload: str, days: Collection[date]) -> set[date]:
    """Remove the reports of some days, and every page above the days: publishing writes them again. Gives the days that
    had one."""
    return {day for reports in places_of_reports() for day in _remove_pages(reports / workload, days)}


def _remove_pages(home: Path, days: Collection[date]) -> Iterator[date]:
    if not home.is_dir():
        return
    for day in sorted(days):
        if (home / day.isoformat()).is_dir():
            remove_tree(home / day.isoformat())
            yield day
    for path in list(home.iterdir()):
        if path.is_file():
            path.unlink(missing_ok=True)
        elif not (_is_day(path.name) or path.name in KEPT_REPORTS):
            remove_tree(path)


def present_ledger(workload: str) -> Ledger:
    """The ledger of a workload's lake as it is now."""
    return read_ledger(places.lake(), workload)


def _is_day(name: str) -> bool:
    try:
        date.fromisoformat(name)
    except ValueError:
        return False
    return True


def tells_any(plan: Mapping[str, Any], values: Collection[Value]) -> bool:
    """Whether a plan has one of some values as a heavy value. Plans of earlier versions also named values in their
    reasons, where they decided against telling them apart."""
    texts = {str(value) for value in values}
    if texts.intersection(_texts_in(plan["heavy"])):
        return True
    reasons = [words_of(reason) for reason in plan["decisions"] if reason.startswith(OF_HEAVY)]
    sought = [tuple(words_of_value(value)) for value in values]
    return any(words in windows(reason, len(words)) for reason in reasons for words in sought if words)


def _texts_in(value: object) -> set[str]:
    """All single values in JSON, as texts."""
    if isinstance(value, dict):
        return {text for item in value.values() for text in _texts_in(item)}
    if isinstance(value, list):
        return {text for item in value for text in _texts_in(item)}
    return {str(value)}
