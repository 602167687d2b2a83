"""The ledger of a load: what became of each file's lines and rows, on each day.

Of a file that is read strictly: `lines = rows + lines that begin no row`, the lines counted apart from the parser; and
rows are those that reached Spark. For each day: `read = gave_event + refused + other_days + without_event +
suppressed`, the right side counted over the fates of rows. Of what Spark's readers read, only the second equation
holds, for the source. Cost: a count of the rows by file; small tables beside.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields

import pyarrow as pa

from jobs.raw.reading.file_ledger import RowLedger
from jobs.raw.row_days import FarRows, SeenRows
from jobs.raw.source_files import SourceFiles
from jobs.runs.run import Run

TERMS = ("read", "gave_event", "refused", "other_days", "without_event", "suppressed")


class RowsLost(Exception):
    """An equation of rows does not hold. That is a fault of this pipeline, never of the data."""


@dataclass(frozen=True)
class ReadRows:
    """How many rows of a source arrived. `read`: of each file number; `ledgers`: of each file number; `seen`: of each
    file number those that the run sees, if rows tell their days."""

    read: Mapping[int, int]
    ledgers: Mapping[int, RowLedger] = field(default_factory=dict)
    seen: Mapping[int, SeenRows] = field(default_factory=dict)


def ledgers_of(texts: Iterable[str]) -> dict[int, RowLedger]:
    """The ledgers of files, added up over their ranges."""
    of_files: dict[int, RowLedger] = {}
    for text in texts:
        numbers = json.loads(text)
        of_range = RowLedger(*(numbers[item.name] for item in fields(RowLedger)))
        of_files[numbers["number"]] = of_files.get(numbers["number"], RowLedger()) + of_range
    return of_files


def check_ledgers(name: str, rows: ReadRows, files: SourceFiles) -> None:
    """Raises RowsLost if a line of a file became no row and nothing else, or a row did not arrive."""
    for number, survey in enumerate(files.surveys):
        ledger = rows.ledgers.get(number, None if survey.ranges else RowLedger())
        if ledger is None:
            raise RowsLost(f"source '{name}': {survey.path} was not read")
        arrived = rows.read.get(number, 0)
        if ledger.balance or ledger.rows != arrived:
            raise RowsLost(
                f"source '{name}': {survey.path} has {ledger.balance} lines that nobody accounts for, "
                f"{ledger.rows} rows were read, {arrived} arrived"
            )


def file_counts(sources: Mapping[str, ReadRows], files: Mapping[str, SourceFiles]) -> pa.Table:
    """Rows of each file, skipped ones too: source, number, read. A source without files has one row of number -1."""
    counted = [
        (name, number, rows.read.get(number, 0) + skipped_rows(files[name], number).rows)
        for name, rows in sources.items()
        for number in range(len(files[name].surveys)) or (-1,)
    ]
    columns = list(zip(*counted, strict=True))
    types = {"source": pa.string(), "number": pa.int32(), "read": pa.int64()}
    return pa.table({name: pa.array(column, types[name]) for name, column in zip(types, columns, strict=True)})


def skipped_rows(files: SourceFiles, number: int) -> FarRows:
    """The rows of a file that was read strictly in none of whose ranges they are."""
    return files.surveys[number].skipped if number >= 0 else FarRows()


def seen_rows(sources: Mapping[str, ReadRows], files: Mapping[str, SourceFiles]) -> dict[tuple[str, int], SeenRows]:
    """The rows that the run sees of each file whose rows tell their days, by source and file number."""
    seen = {}
    for name, rows in sources.items():
        if time := files[name].row_days:
            for number in range(len(files[name].surveys)) or (-1,):
                skipped = SeenRows(time.slack, {}, skipped_rows(files[name], number))
                seen[name, number] = skipped + rows.seen.get(number, SeenRows(time.slack))
    return seen


def source_rows(run: Run, equation: pa.Table, files: Mapping[str, SourceFiles]) -> pa.Table:
    """The equation of rows for each day and source. `equation`: for each file."""
    summed = equation.group_by(["day", "source"]).aggregate([(term, "sum") for term in TERMS])
    counts = pa.array([files[name].count for name in summed["source"].to_pylist()], pa.int32())
    columns = {"day": summed["day"], "run_id": pa.repeat(run.run_id, len(summed)), "source": summed["source"]}
    return pa.table({**columns, "files": counts, **{term: summed[f"{term}_sum"] for term in TERMS}})


def ledger_rows(
    run: Run, equation: pa.Table, sources: Mapping[str, ReadRows], files: Mapping[str, SourceFiles]
) -> pa.Table:
    """The ledger and the equation of each file that is read strictly, for the days that such a file may belong to.

    What stands there for a day does not depend on the other days of the run: of a source with a file for each day, the
    files within its slack.
    """
    kept = []
    for row in equation.to_pylist():
        number, name = row["number"], row["source"]
        if number < 0:
            continue
        survey, ledger = files[name].surveys[number], sources[name].ledgers.get(number, RowLedger())
        file_day = files[name].days.get(str(survey.path))
        if file_day is not None and abs((file_day - row["day"]).days) > run.workload.sources[name].slack:
            continue
        lines = ledger.line_ends + ledger.unended + ledger.footer_rows + survey.skipped.rows
        of_file = {"file": str(survey.path), "size": survey.size, "digest": survey.digest, "lines": lines}
        kept.append(
            {
                "day": row["day"],
                "run_id": run.run_id,
                "source": name,
                **of_file,
                "no_rows": ledger.quoted + ledger.blank + ledger.header + ledger.comments,
                **{term: row[term] for term in TERMS},
            }
        )
    texts = [(name, pa.string()) for name in ("run_id", "source", "file", "digest")]
    counts = [(name, pa.int64()) for name in ("size", "lines", "no_rows", *TERMS)]
    return pa.Table.from_pylist(kept, pa.schema([("day", pa.date32()), *texts, *counts]))
