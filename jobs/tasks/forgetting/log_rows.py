"""Removes events and refused rows, and lets the facts of their days say what is left.

Only files that hold such events are written again, a million rows at a time; the other files of their days are linked.
All days change in one commit. `seq` of the events that stay does not change, so gaps show where others were. A day's
digest, events and time-points are computed again from what is left: as a load would that leaves the same rows out.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from jobs.erasure.condition import Condition
from jobs.erasure.rules import Suppression
from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import one_of
from jobs.lake.dataset import read_pieces, read_table
from jobs.lake.definition import identifier
from jobs.lake.table_files import TableFile, TableFiles, linked, new_path, writer_of, written
from jobs.lake.write import Replacement, replace, replace_all
from jobs.quality.gate import Check
from jobs.stages.loading.event_digests import NO_EVENTS, digest_parts
from jobs.stages.validate import DAYS
from jobs.stored_path import opened_by_arrow
from jobs.tasks.forgetting.touched import EVENTS, QUARANTINE, Sought

ROWS_AT_ONCE = 1_000_000

ERASED = "(erased)"
"""In place of a message that held a value."""


def remove_events(sought: Sought, days: Collection[date]) -> None:
    """Remove the events of some days that fit the condition."""
    folder = sought.home / EVENTS
    names = schema_of(folder).names
    kept: list[TableFile] = []
    for file in _files_of(folder, days):
        if _holds(folder / file.path, sought.condition):
            kept += _rewritten(file, folder, sought.condition, names)
        else:
            kept.append(linked(file, folder, folder, names))
    replace(TableFiles(kept, days), identifier(sought.workload, EVENTS), one_of("day", days))


def remove_refused(sought: Sought, days: Collection[date]) -> None:
    """Remove the refused rows of some days that hold the values; the equation of rows counts them as suppressed."""
    folder = sought.home / QUARANTINE
    rows = read_table(folder, schema_of(folder).names, days)
    assert rows is not None
    out = sought.refused(rows)
    gone = rows.filter(pa.array(out)).group_by(["day", "source", "file"]).aggregate([([], "count_all")]).to_pylist()
    changed = [Replacement(rows.filter(pa.array(~out)), identifier(sought.workload, QUARANTINE), one_of("day", days))]
    for name, keys in (("source_rows", ("source",)), ("source_files", ("source", "file"))):
        counted: dict[tuple[Any, ...], int] = {}
        for row in gone:
            key = (row["day"], *(row[name] for name in keys))
            counted[key] = counted.get(key, 0) + row["count_all"]
        changed += _recounted(sought, name, keys, counted)
    replace_all(changed)


def restate_days(sought: Sought, days: Collection[date], point: str) -> None:
    """Let `loaded_days` say what the events of some days are now, and take the values out of what the gate said of them
    and of days that it refused, of which no row may be in a table. `point`: as of `StagedRows.facts`."""
    folder = sought.home / "_work" / "loaded_days"
    rows = read_table(folder, schema_of(folder).names)
    if rows is None:
        return
    before = [row for row in rows.to_pylist() if row["day"] in days or row["refused"]]
    of_days = [dict(row) for row in before]
    for row in of_days:
        if row["day"] in days and row["digest"] is not None and not row["expired"]:
            row |= _facts(sought.home / EVENTS, row["day"], point)
        checks = [Check(**check) for check in json.loads(row["checks"])]
        row["checks"] = json.dumps([_without_values(sought.rules, check).to_dict() for check in checks])
        if row["reason"] is not None and _holds_any(sought.rules, [row["reason"]]).any():
            refusing = [_without_values(sought.rules, check) for check in checks if check.refuses]
            row["reason"] = str(refusing[0]) if refusing else ERASED
    if of_days == before:
        return
    stated = pa.Table.from_pylist(of_days, rows.schema)
    replace(stated, identifier(sought.workload, DAYS), one_of("day", {row["day"] for row in of_days}))


def restate_messages(sought: Sought, days: Collection[date]) -> None:
    """Take values out of what the journal says of failures on any day, and of the gate's verdicts on some days."""
    folder = sought.home / "runs"
    rows = read_table(folder, schema_of(folder).names)
    if rows is None or not rows.num_rows:
        return
    failed = np.array([status != "done" for status in rows["status"].to_pylist()])
    of_gate = np.array([stage == "validate" for stage in rows["stage"].to_pylist()])
    of_days = np.array([day in days for day in rows["day"].to_pylist()])
    held = (failed | of_gate & of_days) & _holds_any(sought.rules, rows["message"].to_pylist())
    if held.any():
        messages = [ERASED if out else text for out, text in zip(held, rows["message"].to_pylist(), strict=True)]
        rows = rows.set_column(rows.column_names.index("message"), "message", pa.array(messages))
        said = {day for day, out in zip(rows["day"].to_pylist(), held, strict=True) if out}
        rows = rows.filter(pa.array([day in said for day in rows["day"].to_pylist()]))
        replace(rows, identifier(sought.workload, "runs"), one_of("day", said))


def _files_of(folder: Path, days: Collection[date]) -> Iterator[TableFile]:
    actions = pa.table(DeltaTable(folder).get_add_actions(flatten=False))
    for row in actions.select(["path", "size_bytes", "partition"]).to_pylist():
        if row["partition"]["day"] in days:
            yield TableFile({"day": str(row["partition"]["day"])}, row["path"], row["size_bytes"], "{}")


def _holds(path: Path, condition: Condition) -> bool:
    return any(condition.fits(rows).any() for rows in _pieces(path, list(condition.values)))


def _rewritten(file: TableFile, folder: Path, condition: Condition, names: Collection[str]) -> list[TableFile]:
    """A file's rows that stay, in their order; no file if none stays."""
    pieces = (rows.filter(pa.array(~condition.fits(rows))) for rows in _pieces(folder / file.path, names))
    path, writer = new_path(folder, file.partition, "part"), None
    for rows in pieces:
        if rows.num_rows:
            writer = writer or writer_of(folder / path, rows.schema)
            writer.write_table(rows)
    if writer is None:
        return []
    writer.close()
    return [written(folder, path, file.partition, names)]


def _pieces(path: Path, columns: Collection[str]) -> Iterator[pa.Table]:
    """Some columns of a file's rows, as far as it has them: older files lack some, others have those of staged rows."""
    with pq.ParquetFile(opened_by_arrow(path)) as file:
        there = [name for name in columns if name in file.schema_arrow.names]
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=there):
            yield pa.Table.from_batches([batch]).replace_schema_metadata(None)


def _facts(folder: Path, day: date, point: str) -> dict[str, Any]:
    """`digest`, `events` and `points` of a day's events."""
    part, stamps = NO_EVENTS, pa.table({"ts": pa.array([], pa.int64()), point: pa.array([], pa.int64())})
    names = list(dict.fromkeys(("ts", point)))
    for rows in read_pieces(folder, schema_of(folder).names, [day]):
        if rows.num_rows:
            part += digest_parts(rows)[day]
        joined = pa.concat_tables([stamps.select(names), pa.table({name: rows[name] for name in names})])
        stamps = joined.group_by(names, use_threads=False).aggregate([])
    return {"digest": str(part) if part.events else "0", "events": part.events, "points": stamps.num_rows}


def _recounted(
    sought: Sought, name: str, keys: Collection[str], gone: dict[tuple[Any, ...], int]
) -> Iterable[Replacement]:
    """The equation of rows with so many refused rows counted as suppressed."""
    folder = sought.home / "_work" / name
    days = {key[0] for key in gone}
    rows = read_table(folder, schema_of(folder).names, days)
    if rows is None or not rows.num_rows:
        return []
    of_days = rows.to_pylist()
    for row in of_days:
        moved = min(gone.get((row["day"], *(row[key] for key in keys)), 0), row["refused"])
        row["refused"] -= moved
        row["suppressed"] = (row["suppressed"] or 0) + moved
    table = pa.Table.from_pylist(of_days, rows.schema)
    return [Replacement(table, identifier(sought.workload, f"work_{name}"), one_of("day", days))]


def _holds_any(rules: Suppression, texts: list[str]) -> Any:
    """[texts] Whether a text holds one of the values."""
    return rules.one_by_one.texts(pa.array(texts, pa.string()))


def _without_values(rules: Suppression, check: Check) -> Check:
    if not _holds_any(rules, [check.observed]).any():
        return check
    return Check(**{**check.to_dict(), "observed": ""})
