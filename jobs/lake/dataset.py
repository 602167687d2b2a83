"""A Delta table of a lake, read as an Arrow dataset without a JVM and without callbacks into Python.

By default the package gives Arrow a file system that calls back into Python from Arrow's threads. A callback while the
interpreter ends aborts the process ("terminate called without an active exception"). So this uses Arrow's own file
systems.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs as fs
import pyarrow.parquet as pq
from deltalake import DeltaTable

from jobs.lake.table_files import in_columns
from jobs.stored_path import StoredPath, opened_by_arrow

ROWS_AT_ONCE = 1_000_000
"""Rows of a piece, at least, but for the last."""

FEW_TEXTS = ("event_type", "run_id")
"""Columns of events that hold few different texts. As codes of a dictionary they are read in a third of the time."""


def dataset_of(table: DeltaTable, folder: Path, coded: Collection[str] = ()) -> ds.Dataset:
    """The files of the table's opened version in `folder`. `coded`: columns of texts that come as codes."""
    options = ds.ParquetReadOptions(dictionary_columns=list(coded))
    if isinstance(folder, StoredPath):
        files = fs.SubTreeFileSystem(folder.key, folder.filesystem)
    else:
        files = fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem())
    return table.to_pyarrow_dataset(filesystem=files, parquet_read_options=options)


def read_files(table: DeltaTable, folder: Path, paths: Sequence[str], columns: Sequence[str]) -> pa.Table:
    """The rows of some files of a table partitioned by day, FEW_TEXTS as codes; columns that a file lacks are null."""
    stored = pa.schema(table.schema().to_arrow())
    schema = with_codes(pa.schema([stored.field(name) for name in columns]))
    coded = [name for name in columns if name in FEW_TEXTS]
    parts = []
    for path in paths:
        day = date.fromisoformat(path.split("/", 1)[0].removeprefix("day="))
        file = pq.ParquetFile(opened_by_arrow(folder / path), memory_map=True, read_dictionary=coded)
        rows = file.read([name for name in columns if name != "day"])
        parts.append(in_columns(rows, schema, {"day": day}))
    return pa.concat_tables(parts)


def with_codes(schema: pa.Schema, names: Collection[str] = FEW_TEXTS) -> pa.Schema:
    """The schema with some columns of texts as codes of a dictionary.

    >>> with_codes(pa.schema([("event_type", pa.string()), ("user", pa.string())])).types
    [DictionaryType(dictionary<values=string, indices=int32, ordered=0>), DataType(string)]
    """
    codes = pa.dictionary(pa.int32(), pa.string())
    coded = {field.name for field in schema if field.name in names and pa.types.is_string(field.type)}
    return pa.schema([field.with_type(codes) if field.name in coded else field for field in schema])


def read_pieces(
    folder: Path, columns: Sequence[str], days: Iterable[date], coded: Collection[str] = ()
) -> Iterator[pa.Table]:
    """The rows of some days in a Delta table, which exists, in pieces of about a million rows, at least one, and
    in no stated order. `coded`: columns of texts that come as codes of a dictionary."""
    dataset = dataset_of(DeltaTable(folder), folder, coded)
    chosen = ds.field("day").isin(pa.array(days, pa.date32()))
    schema = pa.schema([dataset.schema.field(name) for name in columns])
    waiting: list[pa.RecordBatch] = []
    rows = pieces = 0
    for batch in dataset.to_batches(columns=list(columns), filter=chosen):
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= ROWS_AT_ONCE:
            yield pa.Table.from_batches(waiting, schema).combine_chunks()
            waiting, rows, pieces = [], 0, pieces + 1
    if waiting or not pieces:
        yield pa.Table.from_batches(waiting, schema).combine_chunks()


def rows_of_days(folder: Path, days: Iterable[date]) -> int | None:
    """How many rows some days have in a Delta table, as its log says; None if the log does not say it of each file."""
    actions = pa.table(DeltaTable(folder).get_add_actions(flatten=True))
    if not {"num_records", "partition.day"} <= set(actions.column_names):
        return None if actions.num_rows else 0
    rows = actions["num_records"].filter(pc.is_in(actions["partition.day"], pa.array(list(days), pa.date32())))
    return None if rows.null_count else pc.sum(rows, min_count=0).as_py()


def read_table(
    folder: Path, columns: Sequence[str], days: Iterable[date] | None = None, where: ds.Expression | None = None
) -> pa.Table | None:
    """The present rows of a Delta table for which `where` holds, of some days or of all; None if it does not exist.

    A file is skipped if its statistics in the table's log show that it has no such rows. Columns that an older table
    lacks are left out.
    """
    if not (folder / "_delta_log").is_dir():
        return None
    chosen = None if days is None else ds.field("day").isin(pa.array(days, pa.date32()))
    if where is not None:
        chosen = where if chosen is None else chosen & where
    dataset = dataset_of(DeltaTable(folder), folder)
    return dataset.to_table([name for name in columns if name in dataset.schema.names], filter=chosen)
