"""A Delta table of a lake that is a folder, read as an Arrow dataset without a JVM and without callbacks into Python.

By default the package gives Arrow a file system that calls back into Python from Arrow's threads. A callback while the
interpreter ends aborts the process ("terminate called without an active exception"). So this uses Arrow's own local
file system.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs as fs
from deltalake import DeltaTable


def dataset_of(table: DeltaTable, folder: str) -> ds.Dataset:
    """The files of the table's opened version in `folder`."""
    return table.to_pyarrow_dataset(filesystem=fs.SubTreeFileSystem(folder, fs.LocalFileSystem()))


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
    dataset = dataset_of(DeltaTable(folder), str(folder))
    return dataset.to_table([name for name in columns if name in dataset.schema.names], filter=chosen)
