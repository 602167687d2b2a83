"""Rows spread over files of a temporary folder by a number that each has, e.g. of a hash, to be read file by file.

What must be compared with each other gets the same number, so memory holds one file instead of all rows. The folder
goes with the object. Cost: the rows are brought together by number, written and read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.arrays import runs_of
from cep_core.candidates.grouping import stable_order


class SpreadRows:
    """Takes tables of one schema. Rows of one number keep their order.

    >>> spread = SpreadRows("example-")
    >>> spread.add(pa.table({"n": [7, 8, 9]}), np.array([1, 0, 1]))
    >>> [rows["n"].to_pylist() for rows in spread.tables()]
    [[8], [7, 9]]
    """

    def __init__(self, prefix: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix=prefix)
        self._writers: dict[int, Any] = {}
        self._open = ExitStack()

    def add(self, rows: pa.Table, numbers: npt.NDArray[Any]) -> None:
        """Add rows. `numbers` [rows]: of the file of each, from 0 on."""
        codes = numbers.astype(np.int64)
        order = stable_order(codes, int(codes.max(initial=-1)) + 1)
        taken, ascending = rows.take(pa.array(order)).combine_chunks(), codes[order]
        for number, begin, end in runs_of(ascending):
            if number not in self._writers:
                writer = pa.ipc.new_file(str(self._path(number)), taken.schema)
                self._writers[number] = self._open.enter_context(writer)
            self._writers[number].write_table(taken.slice(begin, end - begin))

    def tables(self) -> Iterator[pa.Table]:
        """The rows of each number, which stay valid until the next ones are asked for. Nothing can be added then."""
        self._open.close()
        for number in sorted(self._writers):
            with pa.memory_map(str(self._path(number))) as source:
                yield pa.ipc.open_file(source).read_all()

    def _path(self, number: int) -> Path:
        return Path(self._folder.name, f"{number}.arrow")
