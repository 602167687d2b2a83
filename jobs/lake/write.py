"""The single function that writes tables: replace exactly the rows that a condition names.

Assumes Delta. Idempotent by construction: writing twice leaves what writing once left, and an empty frame clears the
range. A row outside the condition is refused by Delta and nothing is committed. Only `runs`, the log of what happened,
is appended to. Every commit is refused once another run has taken the lake (`jobs/lake/leasing/fence.py`).
Cost of a commit, however small: about 0.8 s of planning, of which half is waiting; several tables that do not depend
on each other are therefore written at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobs.lake.leasing.fence import fence_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriterV2

WRITERS = 4
"""Tables written at once: on two cores more writers gain nothing."""


@dataclass(frozen=True)
class Replacement:
    """What `replace` is told."""

    df: DataFrame
    table: str
    condition: Column


def replace(df: DataFrame, table: str, condition: Column) -> None:
    """Replace the rows of `table` (`<workload>.<table>`) that satisfy `condition` by `df`, in one commit.

    `df` needs the table's column names in any order; values are cast by SQL's store assignment.
    """
    _commit(df, table, lambda writer: writer.overwrite(condition))


def replace_all(replacements: Iterable[Replacement]) -> None:
    """Replace ranges of several tables at once, each in its own commit; raises the first error when all have ended."""
    with ThreadPoolExecutor(WRITERS) as writers:
        begun = [writers.submit(replace, each.df, each.table, each.condition) for each in replacements]
    for write in begun:
        write.result()


def append(df: DataFrame, table: str) -> None:
    """Append to the table of runs, the only one that grows by appending."""
    if not table.replace("`", "").endswith(".runs"):
        raise ValueError(f"only `runs` is appended to; replace a range of {table} instead")
    _commit(df, table, lambda writer: writer.append())


def _commit(df: DataFrame, table: str, write: Callable[[DataFrameWriterV2], None]) -> None:
    """Every row that this project writes to a lake passes through here."""
    ordered = _in_table_order(df, table)
    workload = table.replace("`", "").split(".", 1)[0]
    fence_of(workload).commit(table, lambda options: write(ordered.writeTo(table).options(**options)))


def _in_table_order(df: DataFrame, table: str) -> DataFrame:
    expected = df.sparkSession.table(table).columns
    missing, extra = sorted(set(expected) - set(df.columns)), sorted(set(df.columns) - set(expected))
    if missing or extra:
        raise ValueError(f"{table}: columns missing {missing}, columns too many {extra}")
    return df.select(*[f"`{name}`" for name in expected])
