"""The single function that writes tables: replace exactly the rows that a condition names.

Assumes Delta. Idempotent by construction: writing twice leaves what writing once left, and an empty frame clears the
range. A row outside the condition is refused by Delta and nothing is committed. Only `runs`, the log of what happened,
is appended to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def replace(df: DataFrame, table: str, condition: Column) -> None:
    """Replace the rows of `table` (`<workload>.<table>`) that satisfy `condition` by `df`, in one commit.

    `df` needs the table's column names in any order; values are cast by SQL's store assignment.
    """
    _in_table_order(df, table).writeTo(table).overwrite(condition)


def append(df: DataFrame, table: str) -> None:
    """Append to the table of runs, the only one that grows by appending."""
    if not table.replace("`", "").endswith(".runs"):
        raise ValueError(f"only `runs` is appended to; replace a range of {table} instead")
    _in_table_order(df, table).writeTo(table).append()


def _in_table_order(df: DataFrame, table: str) -> DataFrame:
    expected = df.sparkSession.table(table).columns
    missing, extra = sorted(set(expected) - set(df.columns)), sorted(set(df.columns) - set(expected))
    if missing or extra:
        raise ValueError(f"{table}: columns missing {missing}, columns too many {extra}")
    return df.select(*[f"`{name}`" for name in expected])
