"""The single function that writes tables: replace exactly the rows that a condition names.

Assumes Delta. Idempotent by construction: writing twice leaves what writing once left, and no rows clear the range. A
row outside the condition is refused by Delta and nothing is committed. Only `runs`, the log of what happened, is
appended to. Every commit is refused once another run has taken the lake (`jobs/lake/leasing/fence.py`).

Rows that this process holds are an Arrow table and are written without Spark, in 10 ms. Rows that Spark computes are a
data frame. Its commit, however small, costs a second of planning, of which half is waiting; several tables that do not
depend on each other are therefore written at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from jobs.lake.arrow_write import commit_files, commit_rows, former_attributes, in_table_order
from jobs.lake.conditions import in_spark
from jobs.lake.leasing.fence import fence_of
from jobs.lake.register import stored_table
from jobs.lake.table_files import TableFile, TableFiles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

WRITERS = 4
"""Tables written at once: on two cores more writers gain nothing."""


@dataclass(frozen=True)
class Replacement:
    """What `replace` is told."""

    rows: pa.Table | DataFrame | TableFiles
    table: str
    condition: str


def replace(rows: pa.Table | DataFrame | TableFiles, table: str, condition: str) -> None:
    """Replace the rows of `table` (`<workload>.<table>`) that satisfy `condition` by `rows`, in one commit.

    `condition`: standard SQL (`jobs/lake/conditions.py`). `rows` needs the table's column names in any order; values
    are cast if they fit. Files replace whole days, which the condition names, or all rows.
    """
    _commit(rows, table, condition)


def replace_all(replacements: Iterable[Replacement]) -> None:
    """Replace ranges of several tables at once, each in its own commit; raises the first error when all have ended."""
    with ThreadPoolExecutor(WRITERS) as writers:
        begun = [writers.submit(replace, each.rows, each.table, each.condition) for each in replacements]
    for write in begun:
        write.result()


def append(rows: pa.Table | DataFrame, table: str) -> None:
    """Append to the table of runs, the only one that grows by appending."""
    if not table.replace("`", "").endswith(".runs"):
        raise ValueError(f"only `runs` is appended to; replace a range of {table} instead")
    _commit(rows, table, None)


def join(files: Sequence[TableFile], table: str) -> None:
    """Let files that workers wrote join a working table, whose rows of these days have just been replaced."""
    _commit(TableFiles(files), table, None)


def _commit(rows: pa.Table | DataFrame | TableFiles, table: str, condition: str | None) -> None:
    """Every row that this project writes to a lake passes through here. Without a condition, rows are appended."""
    fence = fence_of(table.replace("`", "").split(".", 1)[0])
    fence.commit(table, _writing(rows, table, condition, fence.folder(table)))


def _writing(
    rows: pa.Table | DataFrame | TableFiles, table: str, condition: str | None, folder: Path
) -> Callable[[Mapping[str, str]], None]:
    """The function that commits with the fence's options."""
    if isinstance(rows, pa.Table):
        return partial(commit_rows, folder, in_table_order(rows, folder), condition)
    if isinstance(rows, TableFiles):
        return partial(commit_files, folder, rows, condition)
    ordered = _in_table_order(rows, table, folder)

    def write(options: Mapping[str, str]) -> None:
        writer = ordered.writeTo(table).options(**options)
        writer.append() if condition is None else writer.overwrite(in_spark(condition))

    return write


def _in_table_order(df: DataFrame, table: str, folder: Path) -> DataFrame:
    from pyspark.sql import functions as sf

    schema = stored_table(df.sparkSession, table, folder).schema
    expected = schema.names
    lacking = former_attributes(folder, set(expected) - set(df.columns))
    df = df.withColumns({name: sf.lit(None).cast(schema[name].dataType) for name in lacking})
    missing, extra = sorted(set(expected) - set(df.columns)), sorted(set(df.columns) - set(expected))
    if missing or extra:
        raise ValueError(f"{table}: columns missing {missing}, columns too many {extra}")
    return df.select(*[f"`{name}`" for name in expected])
