"""Rows of a CSV file with more or fewer fields than it has columns: an error, or left out and counted.

Names of columns that the user gives stand for a header. A first line that says some of them is a header, too.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.csv


@dataclass
class RaggedRows:
    """Counts rows that do not fit. From `at_most` on, the next one is an error. A call is what Arrow's reader makes."""

    at_most: int
    count: int = 0
    first: str = field(default="")

    def __call__(self, row: pa.csv.InvalidRow) -> str:
        if self.count >= self.at_most:
            return "error"
        self.first = self.first or f"{row.actual_columns} fields for {row.expected_columns} columns: {row.text[:80]}"
        self.count += 1
        return "skip"


def header_lines(first_line: str, names: Sequence[str]) -> int:
    """How many lines above the rows are a header, where the user names the columns: 1 if all its fields are names.

    >>> header_lines("kind,job\\n", ["kind", "job", "number"]), header_lines("TASK,7\\n", ["kind", "job"])
    (1, 0)
    """
    fields = next(csv.reader([first_line]), [])
    return int(bool(fields) and set(fields) <= set(names))
