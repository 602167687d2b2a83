"""An erasure, step by step. Each step can be done again, so an erasure that was killed is begun again to the same end.

1. The rule is recorded as `begun`: from here on no load brings the rows back.
2. Events and refused rows go, and the facts of their days say what is left.
3. What was made of them goes: results, statistics, plans, working tables, reports.
4. A search finds none of the rows; every table gets a checkpoint, before which its log is not needed, so that upkeep
   can remove the commits that tell values; only then the erasure is recorded as `removed`.

Results are evaluated again by a run, after that. Whoever calls holds the lake's lease.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime

import pyarrow as pa

from jobs import places
from jobs.alerts.outbox import Outbox
from jobs.erasure.condition import Condition
from jobs.erasure.key import erasure_key, key_id
from jobs.erasure.log_commits import checkpoint
from jobs.erasure.rules import BEGUN, REMOVED, RETIRED, Erasure, Suppression, read_erasures, rule_of
from jobs.exits import RunError, WrongWorkload
from jobs.lake.conditions import one_of
from jobs.lake.definition import identifier
from jobs.lake.register import table_folders
from jobs.lake.tables.all_tables import lake_tables
from jobs.lake.tables.creating import create
from jobs.lake.tables.erasure_tables import ERASURES
from jobs.lake.write import replace as replace_rows
from jobs.runs.run import Progress
from jobs.tasks.forgetting.derived_rows import (
    clear_working_tables,
    present_ledger,
    remove_plans,
    remove_reports,
    remove_results,
    remove_statistics,
    results_of,
    shown_by,
)
from jobs.tasks.forgetting.log_rows import remove_events, remove_refused, restate_days, restate_messages
from jobs.tasks.forgetting.touched import EVENTS, QUARANTINE, Sought, by_text, touched
from jobs.workload.declaration import Workload


@dataclass(frozen=True)
class Order:
    """What somebody asks to forget. `queries`: those of the workload."""

    workload: Workload
    queries: Collection[str]
    condition: Condition
    done_by: str
    reason: str
    run_id: str


def sought_by(order: Order, key: bytes) -> Sought:
    """What an order's rows are, by value and by hash."""
    name = order.workload.name
    rules = Suppression(key, (rule_of(key, order.condition),))
    return Sought(places.lake() / name, name, order.condition, rules)


def erase(order: Order, progress: Progress) -> tuple[Erasure, set[date]]:
    """Remove all rows of an order. Gives the erasure, and the days whose reports are to be written again: those that
    had one, and those with a result, whose report an erasure that was killed may have removed."""
    workload = order.workload
    create(workload.name, lake_tables(workload), places.lake())
    key = erasure_key(make=True)
    assert key is not None
    sought = sought_by(order, key)
    rows_of = touched(sought)
    erasure = _begun(order, sought, by_text(rows_of))
    record([erasure], workload.name, order.run_id)
    days = {date.fromisoformat(day) for day in erasure.days}
    progress.note(f"erasure {erasure.name} is begun: loads leave its rows out from now on")
    if of_events := set(rows_of[EVENTS]):
        remove_events(sought, of_events)
    if of_refused := set(rows_of[QUARANTINE]):
        remove_refused(sought, of_refused)
    restate_days(sought, days, workload.time.point_column)
    restate_messages(sought, days)
    ledger = present_ledger(workload.name)
    remove_statistics(sought.home, days, ledger)
    results = results_of(sought.home, days, ledger, changed=True)
    remove_results(sought.home, results, order.queries)
    plans = remove_plans(sought.home, list(order.condition.values.values()))
    clear_working_tables(sought.home)
    changed = days | results.every_day
    if (sought.home / "_work" / "alerts").is_dir():
        Outbox.of(places.lake(), workload.name).take_words_out(changed)
    reports = remove_reports(workload.name, shown_by(changed))
    if left := {table: rows for table, rows in touched(sought).items() if rows}:
        raise RunError(f"rows are still there after their removal: {by_text(left)}; run the command again")
    for folder in table_folders(workload.name, places.lake()).values():
        checkpoint(folder)
    removed = by_text({**results.rows, "slicing_plans": plans})
    erasure = replace(erasure, state=REMOVED, removed_at=datetime.now(UTC), rows=_larger(erasure.rows, removed))
    record([erasure], workload.name, order.run_id)
    progress.note(
        f"rows are removed, {len(reports)} reports too; results of {len(results.every_day)} days are outdated"
    )
    return erasure, reports | shown_by(changed).intersection(day for _, day in ledger.results)


def retire(workload: Workload, run_id: str, name: str | None = None) -> int:
    """Retire an erasure, or without a name all whose key is not the present one: they leave out nothing any more.
    Gives how many. Raises WrongWorkload for a name that none has."""
    erasures = read_erasures(places.lake(), workload.name)
    if name is not None and name not in {erasure.name for erasure in erasures}:
        raise WrongWorkload(f"no erasure of '{workload.name}' is called {name}; --list names them")
    key = None if name is not None else erasure_key()
    given_up = [
        replace(erasure, state=RETIRED)
        for erasure in erasures
        if erasure.state != RETIRED
        and (erasure.name == name if name is not None else key is None or erasure.key != key_id(key))
    ]
    if given_up:
        record(given_up, workload.name, run_id)
    return len(given_up)


def record(erasures: Collection[Erasure], workload: str, run_id: str) -> None:
    """Write rows of `erasures`, in place of earlier ones of the same erasures."""
    rows = [
        {
            "day": erasure.begun_at.astimezone(UTC).date(),
            "run_id": run_id,
            "erasure": erasure.name,
            "rule": json.dumps(asdict(erasure.rule)),
            "key": erasure.key,
            "state": erasure.state,
            "begun_at": erasure.begun_at,
            "removed_at": erasure.removed_at,
            "done_by": erasure.done_by,
            "reason": erasure.reason,
            "days": json.dumps(erasure.days),
            "rows": json.dumps(erasure.rows),
        }
        for erasure in erasures
    ]
    moment = pa.timestamp("us", "UTC")
    kinds = {"day": pa.date32(), "begun_at": moment, "removed_at": moment}
    schema = pa.schema([(column.name, kinds.get(column.name, pa.string())) for column in ERASURES.columns])
    table = pa.Table.from_pylist(rows, schema)
    names = [erasure.name for erasure in erasures]
    replace_rows(table, identifier(workload, ERASURES.name), one_of("erasure", names))


def _begun(order: Order, sought: Sought, rows: Mapping[str, Mapping[str, int]]) -> Erasure:
    """The erasure of an order, begun now or before."""
    [rule] = sought.rules.rules
    parts = "/".join(f"{name}={value}" for name, value in sorted(rule.columns.items()))
    name = hmac.digest(sought.rules.key, parts.encode(), hashlib.sha256).hex()[:12]
    known = {erasure.name: erasure for erasure in read_erasures(places.lake(), order.workload.name)}
    earlier = known.get(name)
    days = {day for of_table in rows.values() for day in of_table}
    if earlier is None:
        return Erasure(
            name, rule, key_id(sought.rules.key), BEGUN, datetime.now(UTC), None, order.done_by, order.reason,
            tuple(sorted(days)), rows,
        )  # fmt: skip
    days |= set(earlier.days)
    return replace(earlier, state=BEGUN, days=tuple(sorted(days)), rows=_larger(earlier.rows, rows))


def _larger(
    earlier: Mapping[str, Mapping[str, int]], later: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, int]]:
    """The rows of two countings: one that was killed may have counted what the next one finds again.

    >>> _larger({"events": {"2024-01-01": 3}}, {"events": {"2024-01-01": 2, "2024-01-02": 1}})
    {'events': {'2024-01-01': 3, '2024-01-02': 1}}
    """
    whole = {table: dict(days) for table, days in earlier.items()}
    for table, days in later.items():
        for day, rows in days.items():
            of_table = whole.setdefault(table, {})
            of_table[day] = max(of_table.get(day, 0), rows)
    return {table: dict(sorted(days.items())) for table, days in sorted(whole.items()) if days}
