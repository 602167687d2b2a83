"""The kinds of logs that people hold, each made of an Arrow table and read again by its own library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

KINDS: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "duckdb": duckdb.from_arrow,
    "rows": lambda table: table.to_pylist(),
    "columns": lambda table: table.to_pydict(),
    "reader": lambda table: table.to_reader(),
    "arrow": lambda table: table,
}


def rows_of(answer: Any) -> list[dict[str, Any]]:
    """Any kind as rows of plain values, read by its own library."""
    if isinstance(answer, pd.DataFrame):
        answer = pa.Table.from_pandas(answer, preserve_index=False)
    elif isinstance(answer, pl.DataFrame):
        answer = answer.to_arrow()
    elif isinstance(answer, duckdb.DuckDBPyRelation):
        answer = answer.to_arrow_table()
    elif isinstance(answer, pa.RecordBatchReader):
        answer = answer.read_all()
    elif isinstance(answer, dict):
        answer = pa.table(answer)
    return answer if isinstance(answer, list) else list(answer.to_pylist())
