"""Cuts files into ranges that tasks read: each row lies in exactly one range, with the number that it has in its file.

A plain CSV or JSON lines file is scanned once for the places of its rows, by the very scanner that reads them, so a
range begins at a row whatever quotes stand before it. A compressed file is one range. A Parquet file is cut between row
groups; those that a run need not see are skipped (`row_groups.py`). Every file's header or schema is checked here,
before any row is read.
Cost: a digest of every file; files that are cut are scanned as well, without their values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq

from jobs.exits import UnreadableSource, WrongHeader
from jobs.raw.reading.file_form import TextForm
from jobs.raw.reading.file_ledger import digest_of
from jobs.raw.reading.header import check_header, difference
from jobs.raw.reading.parquet_columns import checked_schema, opened
from jobs.raw.reading.scanning import TextScan
from jobs.raw.reading.source_file import codec_of
from jobs.raw.reading.text_blocks import BLOCK, FileRange, blocks_of
from jobs.raw.row_days import FarRows, RowDays
from jobs.raw.row_groups import far_groups

RANGE = 1 << 25
"""Bytes of a range, about."""


@dataclass(frozen=True)
class FileSurvey:
    """A file before it is read: its size, the SHA-256 of its bytes as stored, its ranges in the order of its rows.

    `skipped`: rows of it that are in no range, since no run of these days sees them.
    """

    path: Path
    size: int
    digest: str
    ranges: tuple[FileRange, ...]
    skipped: FarRows = field(default_factory=FarRows)


def survey_text(path: Path, form: TextForm, size: int = RANGE, block: int = BLOCK) -> FileSurvey:
    """A text file and its ranges of about `size` bytes. Raises WrongHeader, UnreadableSource."""
    stored = path.stat().st_size
    whole = FileRange(path, 0, stored, stored)
    if codec_of(path) is None and stored > size:
        ranges = tuple(_cut(whole, form, size, block))
    else:
        if form.has_header:
            _check_first(whole, form, block)
        ranges = (whole,)
    return FileSurvey(path, stored, digest_of(path), ranges)


def survey_parquet(path: Path, columns: dict[str, str], size: int = RANGE, time: RowDays | None = None) -> FileSurvey:
    """A Parquet file and its ranges of whole row groups. Raises WrongHeader, UnreadableSource."""
    stored = path.stat().st_size
    with opened(path) as file:
        checked_schema(path, file.schema_arrow, columns)
        far = far_groups(file.metadata, time) if time else {}
        ranges = tuple(_groups(path, stored, file.metadata, size, far))
    return FileSurvey(path, stored, digest_of(path), ranges, sum(far.values(), FarRows()))


def _check_first(whole: FileRange, form: TextForm, block: int) -> None:
    for scanned in TextScan(form, 0).rows(blocks_of(whole, block), 0):
        if scanned.count:
            check_header(whole.path, form, scanned)
            return
    raise WrongHeader(difference(whole.path, form.columns, []))


def _cut(whole: FileRange, form: TextForm, size: int, block: int) -> Iterator[FileRange]:
    """The ranges begin at the first row from each multiple of `size` on."""
    awaits_header = form.has_header
    begin, first, ordinal, target = 0, 0, 0, size
    for scanned in TextScan(form, 0).rows(blocks_of(whole, block), 0):
        begins = scanned.places.begins
        if awaits_header and scanned.count:
            check_header(whole.path, form, scanned)
            awaits_header, begins = False, begins[1:]
        while len(begins) and scanned.offset + int(begins[-1]) >= target:
            row = int((begins >= target - scanned.offset).argmax())
            place = scanned.offset + int(begins[row])
            if place > begin and ordinal + row > first:
                yield FileRange(whole.path, begin, place, whole.size, first)
                begin, first = place, ordinal + row
            target = (place // size + 1) * size
        ordinal += len(begins)
    if awaits_header:
        raise WrongHeader(difference(whole.path, form.columns, []))
    yield FileRange(whole.path, begin, whole.size, whole.size, first)


def _groups(
    path: Path, stored: int, footer: pq.FileMetaData, size: int, skipped: Collection[int]
) -> Iterator[FileRange]:
    begin, first, ordinal, held = 0, 0, 0, 0
    for group in range(footer.num_row_groups):
        described = footer.row_group(group)
        if begin < group and (group in skipped or held + described.total_byte_size > size):
            yield FileRange(path, begin, group, stored, first)
            begin, first, held = group, ordinal, 0
        held += described.total_byte_size
        ordinal += described.num_rows
        if group in skipped:
            begin, first, held = group + 1, ordinal, 0
    if ordinal != footer.num_rows:
        raise UnreadableSource(path, f"its footer tells of {footer.num_rows} rows, its row groups of {ordinal}")
    if begin < footer.num_row_groups or not skipped:
        yield FileRange(path, begin, footer.num_row_groups, stored, first)
