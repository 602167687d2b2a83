"""A Delta table of a lake that is a folder, as an Arrow dataset read without a JVM and without Python in the way.

By default the package hands Arrow a file system that calls back into Python from Arrow's own threads; one that does so
while the interpreter ends aborts the process ("terminate called without an active exception"). The local file system is
Arrow's own.
"""

from __future__ import annotations

import pyarrow.dataset as ds
import pyarrow.fs as fs
from deltalake import DeltaTable


def dataset_of(table: DeltaTable, folder: str) -> ds.Dataset:
    """The files of the table's opened version in `folder`."""
    return table.to_pyarrow_dataset(filesystem=fs.SubTreeFileSystem(folder, fs.LocalFileSystem()))
