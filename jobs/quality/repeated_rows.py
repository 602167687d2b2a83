"""How many rows of a large day have values that another row has, too: exact, with little memory.

Rows go to files by a hash of their values, so that equal ones are in one file, and each file is counted alone. Rows are
pandas' as the gate's library compares them: no value equals no value, and 0.0 equals -0.0.
Cost: two passes. Memory: the different rows of one file, about ROWS_OF_FILE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jobs.spread_rows import SpreadRows

if TYPE_CHECKING:
    import pandas as pd

ROWS_OF_FILE = 2_000_000


class RepeatedRows:
    """Counts the repeated rows among at most `rows` rows of some columns, which come in pieces."""

    def __init__(self, rows: int) -> None:
        self._files = max(1, -(-rows // ROWS_OF_FILE))
        self._spread = SpreadRows("trendmill-gate-")

    def add(self, frame: pd.DataFrame) -> None:
        """Add a piece. Pieces have the same columns, of the same types."""
        compared = _normalised(frame)
        file = _hashes(compared) % np.uint64(self._files)
        texts = {name: pa.array(compared[name], pa.string()) for name in compared if _is_object(compared[name])}
        self._spread.add(pa.table({name: texts.get(name, compared[name]) for name in compared}), file)

    def count(self) -> int:
        """How many rows are equal to another one. Nothing can be added afterwards."""
        return sum(map(_repeated, self._spread.tables()))


def _repeated(rows: pa.Table) -> int:
    counts = rows.group_by(rows.column_names).aggregate([([], "count_all")])["count_all"]
    return pc.sum(counts.filter(pc.greater(counts, 1))).as_py() or 0


def _normalised(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows with 0.0 for -0.0, and with texts for objects: a column of flags has objects if it has gaps."""
    floats = {name: frame[name] + 0.0 for name in frame if frame[name].dtype.kind == "f"}
    return frame.assign(**floats, **{name: _as_text(frame[name]) for name in frame if _is_object(frame[name])})


def _is_object(values: pd.Series) -> bool:
    return values.dtype.kind == "O"


def _as_text(values: pd.Series) -> pd.Series:
    return values.astype(object).where(values.isna(), values.astype(str)).where(values.notna(), None)


def _hashes(frame: pd.DataFrame) -> np.ndarray:
    """[rows] A hash of each row."""
    import pandas as pd

    hashes: np.ndarray = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    return hashes
