"""Judges the rows of a block: which are good, with their typed columns, and which are refused, and why.

A row is refused if its bytes are not UTF-8 (`utf8`), if it is not of the declared shape (`shape`), or if a value is not
of its declared type (`type`); the first that applies is told. Cost: linear; good rows are never Python objects.
"""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints, distinct, read_only
from jobs.raw.reading.file_form import TextForm
from jobs.raw.reading.json_line import JsonFault, read_line
from jobs.raw.reading.kernels.csv_rows import undouble
from jobs.raw.reading.kernels.row_hash import hash_rows
from jobs.raw.reading.kernels.row_places import (
    COUNT,
    GOOD,
    HEADER,
    LONG,
    NOT_JSON,
    NOT_UTF8,
    NUL,
    QUOTES,
    UNSURE,
    Bytes,
)
from jobs.raw.reading.refused_rows import SHAPE, TYPE, UTF8, RefusedRow, shown
from jobs.raw.reading.scanning import ScannedRows
from jobs.raw.reading.typed_columns import ARROW_TYPES, column_at, leave_out_missing, texts_at
from jobs.raw.row_days import moments_of

ORDINAL, OFFSET, HASH, RAW = "_ordinal", "_offset", "_hash", "_raw"
"""Columns beside the declared ones: the row's number in its file, its first byte in the file's text, its hash, its
text (null in a row of Parquet, which has none)."""


def schema_of(columns: dict[str, str]) -> pa.Schema:
    """The schema of good rows: the declared columns, then ORDINAL, OFFSET, HASH, RAW."""
    own = [(name, ARROW_TYPES[kind]) for name, kind in columns.items()]
    return pa.schema([*own, *((name, pa.int64()) for name in (ORDINAL, OFFSET, HASH)), (RAW, pa.string())])


class RowJudgement:
    """The judgement of one block. `ordinal`: the first row's number in its file."""

    def __init__(self, scanned: ScannedRows, form: TextForm, ordinal: int) -> None:
        self._scanned, self._form, self._ordinal = scanned, form, ordinal
        self._places = scanned.places
        self._verdicts = scanned.places.verdicts
        self._text = scanned.text
        self._faults: dict[int, str] = {}

    def judged(self) -> tuple[pa.RecordBatch, list[RefusedRow]]:
        """The good rows and the refused ones, each in their order."""
        places, columns = self._places, self._form.columns
        self._check_bytes()
        hashes = hash_rows(self._text, read_only(places.begins), read_only(places.ends))
        if self._form.has_header:
            self._find_header()
        self._read_unsure()
        wrong = self._verdicts != GOOD
        places.starts[:, wrong] = places.stops[:, wrong] = -1
        self._undouble(np.flatnonzero(~wrong & (places.doubled != 0)))
        missing = np.frombuffer(self._form.missing.encode(), np.uint8)
        first_wrong = np.full(len(wrong), -1, np.int16)
        typed = []
        for place, kind in enumerate(columns.values()):
            starts, stops = places.starts[place], places.stops[place]
            leave_out_missing(self._text, starts, stops, missing)
            column, is_wrong = column_at(kind, self._text, starts, stops)
            typed.append(column)
            first_wrong[is_wrong & (first_wrong < 0)] = place
        wrong |= first_wrong >= 0
        ordinals = np.arange(self._ordinal, self._ordinal + len(wrong))
        offsets = places.begins.astype(np.int64) + self._scanned.offset
        raws = texts_at(self._text, np.where(wrong, -1, places.begins), np.where(wrong, -1, places.ends))
        rows = pa.record_batch([*typed, ordinals, offsets, hashes.view(np.int64), raws], schema=schema_of(columns))
        moments = self._moments(typed)
        refused = [self._refused(int(row), int(first_wrong[row]), moments) for row in np.flatnonzero(wrong)]
        return rows.filter(pa.array(~wrong)) if refused else rows, refused

    def _check_bytes(self) -> None:
        """Rows with NUL, and rows that are not UTF-8. Line ends are ASCII, so a text is UTF-8 if its rows are."""
        scanned = self._scanned
        part = self._text[scanned.first : scanned.next]
        if not len(part):
            return
        if not part.all():
            self._verdicts[self._rows_of(np.flatnonzero(part == 0))] = NUL
        beyond = part >= 128
        if beyond.any() and not _is_utf8(scanned.data[scanned.first : scanned.next]):
            for row in self._rows_of(np.flatnonzero(beyond)):
                if not _is_utf8(self._raw(row)):
                    self._verdicts[row] = NOT_UTF8

    def _rows_of(self, bytes_of_part: Ints) -> Ints:
        """The rows that hold some bytes; a byte of a comment is in none."""
        places = bytes_of_part + self._scanned.first
        rows = np.searchsorted(self._places.begins, places, side="right") - 1
        within = (rows >= 0) & (places < self._places.ends[rows]) & (self._verdicts[rows] != LONG)
        return distinct(rows[within])

    def _find_header(self) -> None:
        """Rows that name the columns, as the header does."""
        rows = np.flatnonzero(self._verdicts == GOOD)
        for column, name in enumerate(self._form.columns):
            starts, stops = self._places.starts[column], self._places.stops[column]
            letters = np.frombuffer(name.encode(), np.uint8)
            rows = rows[stops[rows] - starts[rows] == len(letters)]
            if len(rows):
                given = self._text[starts[rows][:, None] + np.arange(len(letters))]
                rows = rows[(given == letters).all(axis=1)]
        self._verdicts[rows] = HEADER

    def _read_unsure(self) -> None:
        """Rows of JSON that the scanner left; their values are written behind the text."""
        names, extra = list(self._form.columns), bytearray()
        for row in np.flatnonzero(self._verdicts == UNSURE):
            try:
                values = read_line(self._raw(row).decode(), names)
            except JsonFault as fault:
                self._verdicts[row], self._faults[int(row)] = NOT_JSON, str(fault)
                continue
            self._verdicts[row] = GOOD
            for column, value in enumerate(values):
                encoded = b"" if value is None else value.encode()
                start = len(self._text) + len(extra)
                self._places.starts[column, row] = start
                self._places.stops[column, row] = start + len(encoded)
                extra += encoded
        if extra:
            self._append(np.frombuffer(bytes(extra), np.uint8))

    def _undouble(self, rows: Ints) -> None:
        if len(rows):
            places = self._places
            to = np.empty(int((places.ends[rows] - places.begins[rows]).sum()), np.uint8)
            chosen = rows.astype(np.int32)
            undouble(self._text, ord(self._form.quote), chosen, (places.starts, places.stops), to, len(self._text))
            self._append(to)

    def _append(self, values: Bytes) -> None:
        """Values behind the text. It stays read-only: kernels would be compiled again for a text that is not."""
        self._text = np.concatenate([self._text, values])
        self._text.flags.writeable = False

    def _raw(self, row: SupportsIndex) -> bytes:
        return self._scanned.data[self._places.begins[row] : self._places.ends[row]]

    def _moments(self, typed: list[pa.Array]) -> pa.Array | None:
        """What the rows' time says, if the source declares one."""
        time = self._form.time
        return moments_of(typed[list(self._form.columns).index(time.column)]) if time else None

    def _refused(self, row: int, column: int, moments: pa.Array | None) -> RefusedRow:
        rule, reason = self._rule(row, column)
        raw = self._raw(row)
        ordinal, offset = self._ordinal + row, self._scanned.offset + int(self._places.begins[row])
        text = shown(raw[: self._form.kept] if self._verdicts[row] == LONG else raw)
        return RefusedRow(ordinal, offset, rule, reason, text, None if moments is None else moments[row].as_py())

    def _rule(self, row: int, column: int) -> tuple[str, str]:
        form, verdict = self._form, int(self._verdicts[row])
        if column >= 0:
            name = list(form.columns)[column]
            return TYPE, f"{name} is no {form.columns[name]}"
        if verdict == NOT_UTF8:
            return UTF8, "the row's bytes are not UTF-8"
        reasons = {
            QUOTES: "a quote is not closed, or stands inside a field that does not begin with one",
            COUNT: f"the row has {self._places.fields[row]} fields, declared are {len(form.columns)}",
            LONG: f"the row is longer than {form.longest:,} bytes; its first {form.kept:,} are kept",
            NUL: "the row holds a NUL byte",
            HEADER: "the row is the header once more",
            NOT_JSON: self._faults.get(row, ""),
        }
        return SHAPE, reasons[verdict]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
