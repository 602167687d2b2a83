"""Conditions on the rows of a table, as standard SQL: both writers of the lake, Spark and delta-rs, read them alike.

>>> one_of("day", [date(2013, 3, 8), date(2013, 3, 9)])
"`day` IN (DATE '2013-03-08', DATE '2013-03-09')"
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

EVERY_ROW = "TRUE"


def literal(value: date | str | int) -> str:
    r"""A value in standard SQL, where a backslash is a character like any other.

    >>> print(literal("it's C:\\lake"), literal(7))
    'it''s C:\lake' 7
    """
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def equal(column: str, value: date | str | int) -> str:
    """Rows that have this value.

    >>> equal("seed", 3)
    '`seed` = 3'
    """
    return f"`{column}` = {literal(value)}"


def one_of(column: str, values: Iterable[date | str | int]) -> str:
    """Rows that have one of these values; no row, if there are none.

    >>> one_of("query", [])
    'FALSE'
    """
    listed = ", ".join(literal(value) for value in values)
    return f"`{column}` IN ({listed})" if listed else "FALSE"


def in_spark(condition: str) -> Column:
    """A condition as Spark's column. In Spark's SQL, a backslash in a text escapes the next character."""
    from pyspark.sql.functions import expr

    return expr(condition.replace("\\", "\\\\"))
