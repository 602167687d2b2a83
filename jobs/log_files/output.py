"""A result for programs: its own columns as CSV, JSON lines or Parquet."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from decimal import Decimal
from typing import TextIO

import pyarrow as pa
import pyarrow.parquet

from jobs.exits import WrongWorkload


def is_for_programs(options: argparse.Namespace) -> bool:
    """Whether a program asked (`arguments.add_output_arguments`)."""
    return bool(options.csv or options.json or options.parquet)


def write_result(rows: pa.Table, options: argparse.Namespace, out: TextIO | None = None) -> None:
    """Write rows in the requested form. Raises WrongWorkload for a file that cannot be written."""
    out = out or sys.stdout
    if options.parquet:
        try:
            pa.parquet.write_table(rows, options.parquet)
        except OSError as error:
            raise WrongWorkload(f"cannot write {options.parquet}: {error.strerror or error}") from error
    elif options.csv:
        write_csv(rows, out)
    else:
        for batch in rows.to_batches(max_chunksize=10_000):
            for row in batch.to_pylist():
                print(json.dumps(row, default=_number, ensure_ascii=False), file=out)


def write_csv(rows: pa.Table, out: TextIO, *, header: bool = True) -> None:
    """A header and a line for each row. The values of a list stand in one field, separated by spaces.

    >>> write_csv(pa.table({"origin": ["JFK, LGA"], "b": [[1, 2]]}), sys.stdout)
    origin,b
    "JFK, LGA",1 2
    """
    writer = csv.writer(out, lineterminator="\n")
    if header:
        writer.writerow(rows.schema.names)
    for batch in rows.to_batches(max_chunksize=10_000):
        writer.writerows([[_cell(value) for value in row.values()] for row in batch.to_pylist()])


def _cell(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, list) else value


def _number(value: object) -> int:
    if isinstance(value, Decimal):
        return int(value)
    raise TypeError(type(value).__name__)
