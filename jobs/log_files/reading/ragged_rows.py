"""Rows of a CSV file with more or fewer fields than it has columns: left out and counted, or an error that counts them.

Cost of an error: one more pass over the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from jobs.log_files.reading.opened_file import opened
from jobs.reports.words.quantities import counted, quantity

EVERY = 1 << 62
"""More rows than a file has."""
_TEXT = 80


@dataclass
class RaggedRows:
    """Counts rows that do not fit. From `at_most` on, the next one is an error. A call is what Arrow's reader makes."""

    at_most: int
    count: int = 0
    first: str = ""
    columns: int = 0
    fields: Counter[int] = field(default_factory=Counter)

    def __call__(self, row: pa.csv.InvalidRow) -> str:
        if self.count >= self.at_most:
            return "error"
        place = f"line {quantity(row.number)} has " if row.number else ""
        self.first = self.first or f"{place}{_fields(row.actual_columns, row.expected_columns)}: {row.text[:_TEXT]}"
        self.columns = row.expected_columns
        self.count += 1
        self.fields[row.actual_columns] += 1
        return "skip"


def ragged_fault(path: Path, options: Callable[[RaggedRows], dict[str, Any]]) -> str | None:
    """What is wrong with a file's rows, and the option that reads them. `options`: of Arrow's reader, given a handler.

    None where all rows fit.
    """
    ragged, rows = RaggedRows(EVERY), 0
    how = options(ragged)
    how["read_options"].use_threads = False  # else Arrow does not tell the line
    how["convert_options"].column_types, how["convert_options"].include_columns = {}, []
    with suppress(pa.ArrowInvalid), opened(path) as stream, pa.csv.open_csv(stream, **how) as blocks:
        for block in blocks:
            rows += block.num_rows
    if not ragged.count:
        return None
    sizes = (ragged.fields + Counter({ragged.columns: rows})).most_common()
    have = ", ".join(f"{quantity(rows)} {'has' if rows == 1 else 'have'} {size}" for size, rows in sizes)
    fault = f"{ragged.first}; of {counted(rows + ragged.count, 'row')} {have} fields"
    usual, most = ragged.fields.most_common(1)[0]
    if most > rows:
        return f"{fault}: --names A,B,... names {usual} columns"
    return f"{fault}: --skip-bad {ragged.count} leaves {'it' if ragged.count == 1 else 'these'} out"


def _fields(there: int, columns: int) -> str:
    return f"{counted(there, 'field')} for {counted(columns, 'column')}"
