"""The time-points of the days that a run reads, in two files that are mapped: they take no memory of their own.

Fifty million stamps have 800 MB of points. A search touches a few pages of them, a part of a slice those that it reads,
and processes on one machine share the pages. Cost: reading `_work/points` once, and 16 bytes of disk for each stamp.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from jobs.stored_path import opened_by_arrow

SCHEMA = pa.schema([pa.field("ts", pa.int64(), False), pa.field("points", pa.int64(), False)])
"""The columns of `_work/points` that evaluators get."""


def map_points(table: Path, folder: Path) -> Path:
    """Write the files of a table of points to a folder, and return it. `table`: the folder of the table.

    The files of the table are sorted by `ts`, and their stamps do not overlap. Raises ValueError if they do.
    """
    folder.mkdir(parents=True)
    paths = pa.table(DeltaTable(table).get_add_actions(flatten=True))["path"].to_pylist()
    files = [pq.ParquetFile(opened_by_arrow(table / path)) for path in paths]
    filled = [file for file in files if file.metadata.num_rows]
    last: int | None = None
    with (folder / "ts").open("wb") as stamps, (folder / "points").open("wb") as points:
        for file in sorted(filled, key=_first_stamp):
            for batch in file.iter_batches(columns=SCHEMA.names):
                ts = batch.column("ts").to_numpy()
                if (last is not None and ts[0] <= last) or (np.diff(ts) <= 0).any():
                    raise ValueError(f"the files of {table} are not sorted by ts")
                last = int(ts[-1])
                stamps.write(ts.tobytes())
                points.write(batch.column("points").to_numpy().tobytes())
    return folder


def open_points(folder: Path) -> pa.Table:
    """The points that `map_points` wrote: `ts` ascending and distinct, `points`."""
    return pa.table([_mapped(folder / name) for name in SCHEMA.names], schema=SCHEMA)


def _first_stamp(file: pq.ParquetFile) -> int:
    """The first stamp of a file, which has one."""
    return int(next(file.iter_batches(1, columns=["ts"])).column(0)[0].as_py())


def _mapped(path: Path) -> pa.Array:
    size = path.stat().st_size
    if not size:
        return pa.array([], pa.int64())
    with pa.memory_map(str(path)) as file:
        return pa.Array.from_buffers(pa.int64(), size // 8, [None, file.read_buffer()])
