"""Rows of a CSV file with more or fewer fields than it has columns: an error, or left out and counted."""

from __future__ import annotations

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
