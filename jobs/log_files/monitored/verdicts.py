"""Verdicts as lines: for a person, and as MonPoly prints them. They are listed as they are found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from textwrap import indent
from typing import Any

import pyarrow as pa

from jobs.log_files.monitored.policies import ToldCauses, Value
from jobs.log_files.output import is_for_programs, write_csv, write_result
from jobs.log_files.times.log_clock import LogClock

SHOWN = 20
"""Verdicts listed for a person."""


class VerdictListing:
    """`found` verdicts, of which `shown` were listed: for a person at most SHOWN, unless --limit says otherwise.

    `causes`: what tells why a verdict, whose values are in the order of the columns, is one.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        clock: LogClock,
        columns: pa.Schema,
        causes: Callable[[Sequence[Value]], ToldCauses] | None = None,
    ) -> None:
        self.violations = 0
        self.shown = 0
        self.for_person = not is_for_programs(options) and options.form is None
        self.options = options
        self.clock = clock
        self._causes = causes
        self._most = SHOWN if options.limit is None and self.for_person else options.limit
        self._for_file = [pa.Table.from_batches([], columns)]
        if options.csv:
            write_csv(self._for_file[0], sys.stdout)

    def add(self, batch: pa.RecordBatch) -> None:
        """List further verdicts."""
        self.violations += batch.num_rows
        self.list_rows(batch)

    def list_rows(self, batch: pa.RecordBatch) -> None:
        """List rows, up to the limit."""
        left = batch.num_rows if self._most is None else self._most - self.shown
        rows = pa.Table.from_batches([batch.slice(0, left)])
        self.shown += rows.num_rows
        if self.options.parquet:
            self._for_file.append(rows)
        elif rows.num_rows:
            self._print(rows)
            sys.stdout.flush()

    def end(self) -> None:
        """The log has ended; a file is written now."""
        if self.options.parquet:
            write_result(pa.concat_tables(self._for_file), self.options)

    def _print(self, rows: pa.Table) -> None:
        if self.options.csv:
            write_csv(rows, sys.stdout, header=False)
        elif self._causes is not None:
            self.print_causes(rows, self._causes)
        elif self.options.json:
            write_result(rows, self.options)
        else:
            print(*self.lines(rows), sep="\n")

    def lines(self, rows: pa.Table) -> Iterator[str]:
        """A line for each verdict, or as the other monitor prints them."""
        return as_monpoly(rows) if self.options.form == "monpoly" else as_text(rows, self.clock)

    def print_causes(self, rows: pa.Table, causes_of: Callable[[Sequence[Value]], ToldCauses]) -> None:
        """Each verdict with its proof: below its line, or in the field `why` of its object."""
        for line, row in zip(as_text(rows, self.clock), rows.to_pylist(), strict=True):
            causes = causes_of(tuple(row.values()))
            if self.options.json:
                print(json.dumps(row | {"why": causes.to_dict()}, ensure_ascii=False))
            else:
                print(line, indent(causes.text(self.clock.time), "    "), sep="\n", flush=True)


def as_text(rows: pa.Table, clock: LogClock) -> Iterator[str]:
    """A line for each verdict: its time, its point, its values by name.

    >>> rows = pa.table({"ts": [5, 9], "tp": [1, 2], "x": [8, 7], "plane": ["N1", "N2"]})
    >>> print(*as_text(rows, LogClock(None)), sep="\\n")
    5  point 1  x = 8, plane = N1
    9  point 2  x = 7, plane = N2
    """
    for row in rows.to_pylist():
        ts, point = row.pop("ts"), row.pop("tp")
        values = ", ".join(f"{name} = {value}" for name, value in row.items())
        yield f"{clock.time(ts)}  point {point}  {values}".rstrip()


def as_monpoly(rows: pa.Table) -> Iterator[str]:
    """A line for each time-point with all its valuations; `true` for a formula without free variables.

    >>> rows = pa.table({"ts": [5, 5, 9], "tp": [1, 1, 2], "x": [8, 9, 7], "plane": ["N1", "N2", "N1"]})
    >>> print(*as_monpoly(rows), sep="\\n")
    @5 (time point 1): (8,"N1") (9,"N2")
    @9 (time point 2): (7,"N1")
    >>> print(*as_monpoly(rows.slice(2).select(["ts", "tp"])))
    @9 (time point 2): true
    """
    names = rows.column_names[2:]
    for (point, ts), of_point in groupby(rows.to_pylist(), key=lambda row: (row["tp"], row["ts"])):
        valuations = [f"({','.join(_printed(row[name]) for name in names)})" for row in of_point]
        yield f"@{ts} (time point {point}): {' '.join(valuations) if names else 'true'}"


def _printed(value: Any) -> str:
    """Texts in quotes, floats in six digits."""
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)
