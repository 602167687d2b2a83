"""The rows of some row groups of a Parquet file: columns of the declared types, and the refused rows.

A row's hash mixes the values of the declared columns; its raw text, if it is refused, is the row as JSON.
Cost: that of Arrow's reader. Memory: a batch of rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Bits, read_only
from jobs.exits import UnreadableSource
from jobs.raw.damage import refuse_damaged
from jobs.raw.reading.file_ledger import RowLedger
from jobs.raw.reading.kernels.row_hash import hash_rows, mixed
from jobs.raw.reading.parquet_columns import checked_schema, opened, take_column
from jobs.raw.reading.refused_rows import TYPE, RefusedRow, refused_batch
from jobs.raw.reading.row_judgement import schema_of
from jobs.raw.reading.text_blocks import FileRange
from jobs.raw.reading.text_rows import RowBlock, empty_batch
from jobs.raw.row_days import moments_of

BATCH = 1 << 16


def read_parquet(part: FileRange, columns: dict[str, str], time: str | None = None) -> Iterator[RowBlock]:
    """The rows of row groups `begin` to `end`. `time`: the column that tells their days.

    Raises WrongHeader, UnreadableSource.
    """
    ordinal, refused = part.ordinal, 0
    with opened(part.path) as file:
        checked_schema(part.path, file.schema_arrow, columns)
        groups = range(part.begin, part.end)
        footer_rows = sum(file.metadata.row_group(group).num_rows for group in groups)
        try:
            for batch in file.iter_batches(BATCH, row_groups=list(groups), columns=list(columns)) if groups else ():
                rows, refusals = _judged(batch, columns, ordinal, time)
                ordinal += batch.num_rows
                refused += len(refusals)
                yield RowBlock(rows, refused_batch(refusals))
        except (OSError, pa.ArrowException) as error:
            refuse_damaged([str(part.path)])
            raise UnreadableSource(part.path, str(error)) from error
    ledger = RowLedger(footer_rows=footer_rows, rows=ordinal - part.ordinal, refused=refused)
    yield RowBlock(empty_batch(schema_of(columns)), refused_batch([]), ledger)


def _judged(
    batch: pa.RecordBatch, columns: dict[str, str], ordinal: int, time: str | None
) -> tuple[pa.RecordBatch, list[RefusedRow]]:
    first_wrong = np.full(batch.num_rows, -1, np.int16)
    typed, hashes = [], np.full(batch.num_rows, 42, np.uint64)
    for place, (name, kind) in enumerate(columns.items()):
        column, is_wrong = take_column(kind, batch.column(name))
        typed.append(column)
        first_wrong[is_wrong & (first_wrong < 0)] = place
        hashes = mixed(hashes, _bits_of(column), np.asarray(pc.is_valid(column)))
    wrong = first_wrong >= 0
    ordinals = np.arange(ordinal, ordinal + batch.num_rows)
    nowhere = np.full(batch.num_rows, -1, np.int64)
    no_texts = pa.nulls(batch.num_rows, pa.string())
    rows = pa.record_batch([*typed, ordinals, nowhere, hashes.view(np.int64), no_texts], schema=schema_of(columns))
    moments = moments_of(typed[list(columns).index(time)]) if time else pa.nulls(batch.num_rows, pa.int64())
    refused = [
        _refused(
            batch.slice(row, 1).select(list(columns)), ordinal + int(row), list(columns.items())[first_wrong[row]]
        )._replace(moment=moments[row].as_py())
        for row in np.flatnonzero(wrong)
    ]
    return rows.filter(pa.array(~wrong)) if refused else rows, refused


def _bits_of(column: pa.Array) -> Bits:
    """64 bits of each value; any for a null."""
    if pa.types.is_string(column.type):
        offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + len(column) + 1]
        text = read_only(np.frombuffer(column.buffers()[2] or b"", np.uint8))
        return hash_rows(text, read_only(offsets[:-1]), read_only(offsets[1:]))
    if pa.types.is_floating(column.type):
        return np.asarray(pc.fill_null(column, 0.0)).view(np.uint64)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    elif pa.types.is_date32(column.type):
        column = column.cast(pa.int32())
    return np.asarray(pc.fill_null(column.cast(pa.int64()), 0)).view(np.uint64)


def _refused(row: pa.RecordBatch, ordinal: int, column: tuple[str, str]) -> RefusedRow:
    values = {name: _shown(value[0]) for name, value in zip(row.schema.names, row.columns, strict=True)}
    raw = json.dumps({name: value for name, value in values.items() if value is not None}, ensure_ascii=False)
    return RefusedRow(ordinal, -1, TYPE, f"{column[0]} is no {column[1]}", raw)


def _shown(value: pa.Scalar) -> object:
    """A value as JSON has it; a stamp that no calendar has, as the number that is stored."""
    try:
        plain = value.as_py()
    except (OverflowError, ValueError):
        plain = value.cast(pa.int64()).as_py()
    if isinstance(plain, bytes):
        return plain.decode("utf-8", "backslashreplace")
    return plain if plain is None or isinstance(plain, str | int | float) else str(plain)
