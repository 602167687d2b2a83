"""One commit of an Arrow table, without Spark: what the driver has computed is small, and Spark's planning is not.

delta-rs checks NOT NULL, CHECK constraints and that every row satisfies the condition, as Spark does. A commit is
refused if any other commit came after the table was opened (`jobs/lake/leasing/fence.py`): delta-rs makes a version's
file by a hard link, which fails if the file exists, and is not allowed to try the next version.

Cost: 10 ms and the rows' encoding; Spark needs a second of CPU time for the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, WriterProperties, write_deltalake

from jobs.lake.conditions import EVERY_ROW
from jobs.lake.dataset import dataset_of
from jobs.lake.definition import is_attribute
from jobs.lake.moments.columns import moments_in
from jobs.lake.moments.filling import filling, lacking_rows, with_moments
from jobs.lake.table_files import TableFiles, actions_of

WRITER = WriterProperties(compression="ZSTD", statistics_truncate_length=32)
"""As Spark's writer: long texts, such as plans, are cut in the statistics that a table's log repeats."""


def in_table_order(rows: pa.Table, folder: Path) -> pa.Table:
    """The rows with the table's columns, in its order and types. Attributes that are not declared any more are null.

    Raises ValueError if columns are missing or too many, or a value is missing or does not fit its type.
    """
    expected = schema_of(folder)
    rows = with_moments(rows, moments_in(expected))
    lacking = set(expected.names) - set(rows.column_names)
    for name in former_attributes(folder, lacking):
        rows = rows.append_column(name, pa.nulls(rows.num_rows, expected.field(name).type))
    missing, extra = (
        sorted(set(expected.names) - set(rows.column_names)),
        sorted(set(rows.column_names) - set(expected.names)),
    )
    if missing or extra:
        raise ValueError(f"{folder.name}: columns missing {missing}, columns too many {extra}")
    return rows.select(expected.names).cast(expected)


def former_attributes(folder: Path, lacking: Collection[str]) -> list[str]:
    """The columns that rows lack and that hold attributes, which were declared when the table was made."""
    if not lacking:
        return []
    fields = DeltaTable(folder).schema().fields
    return [of.name for of in fields if of.name in lacking and is_attribute(of.metadata.get("comment", ""))]


def schema_of(folder: Path) -> pa.Schema:
    """The columns of a table in the lake."""
    return pa.schema(DeltaTable(folder).schema().to_arrow())


def commit_rows(folder: Path, rows: pa.Table, condition: str | None, options: Mapping[str, str]) -> None:
    """Replace the rows that satisfy `condition`, in one commit; None: append.

    `options`: the fence's number and mark, as Spark's writer takes them. As Spark does, this skips the commit in
    silence if the table's number is not lower. Raises DeltaError if a row is refused, and its subclass
    CommitFailedError if another commit came meanwhile.
    """
    table = DeltaTable(folder)
    commit = _properties(table, options)
    if commit is None:
        return
    if condition is None:
        write_deltalake(table, rows, mode="append", writer_properties=WRITER, commit_properties=commit)
    else:
        write_deltalake(
            table, rows, mode="overwrite", predicate=condition, writer_properties=WRITER, commit_properties=commit
        )


def commit_files(folder: Path, files: TableFiles, condition: str | None, options: Mapping[str, str]) -> None:
    """Make files part of a table, in one commit, in place of the rows of their days, or of all rows; None: they join.

    `options`, and what is raised: as of `commit_rows`. delta-rs does not look into the files. Who wrote them knows that
    their rows keep the table's constraints.
    """
    if condition is not None and (files.days is None) != (condition == EVERY_ROW):
        raise ValueError(f"{folder.name}: files replace whole days or all rows, not {condition}")
    table = DeltaTable(folder)
    commit = _properties(table, options)
    if commit is None:
        return
    mode = "append" if condition is None else "overwrite"
    days = None if files.days is None else [("day", "in", sorted(map(str, files.days)))]
    columns = table.metadata().partition_columns
    actions = actions_of(files.files, folder)
    table.create_write_transaction(actions, mode, table.schema(), columns, days, commit_properties=commit)


def lacks_moments(folder: Path) -> bool:
    """Whether some row lacks a TIMESTAMP column that it should have. Cost: reads these columns up to that row."""
    moments = moments_in(schema_of(folder))
    names = sorted({name for moment in moments for name in (moment.name, moment.made_of)})
    # Not as a filter of the files: what a table's log says of a column that a file lacks would let the file be skipped.
    batches = dataset_of(DeltaTable(folder), folder).to_batches(columns=names)
    return any(pa.Table.from_batches([batch]).filter(lacking_rows(moments)).num_rows for batch in batches)


def fill_moments(folder: Path, options: Mapping[str, str]) -> None:
    """Compute the TIMESTAMP columns of rows that lack one, in one commit; some row does. `options`: as above.

    Cost: the files with such rows are written anew, a batch of rows in memory at a time.
    """
    table = DeltaTable(folder)
    commit = _properties(table, options)
    if commit is None:
        return
    updates, lacking = filling(moments_in(schema_of(folder)))
    table.update(dict(updates), predicate=lacking, writer_properties=WRITER, commit_properties=commit)


def _properties(table: DeltaTable, options: Mapping[str, str]) -> CommitProperties | None:
    """The properties of a fenced commit; None: it is to be skipped, since the table's number is not lower."""
    application, number = options["txnAppId"], int(options["txnVersion"])
    present = table.transaction_version(application)
    if present is not None and present >= number:
        return None
    return CommitProperties(
        custom_metadata={"userMetadata": options["userMetadata"]},
        max_commit_retries=0,
        app_transactions=[Transaction(application, number)],
    )
