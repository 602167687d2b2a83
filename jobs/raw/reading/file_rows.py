"""The rows of a file of any form: its survey, then the rows of its ranges."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from jobs.exits import UnreadableSource
from jobs.raw.reading.file_form import FileForm, ParquetForm
from jobs.raw.reading.parquet_rows import read_parquet
from jobs.raw.reading.ranges import RANGE, FileSurvey, survey_parquet, survey_text
from jobs.raw.reading.text_blocks import FileRange
from jobs.raw.reading.text_rows import RowBlock, read_text


def survey_of(path: Path, form: FileForm, size: int = RANGE) -> FileSurvey:
    """A file and its ranges of about `size` bytes. Raises WrongHeader, UnreadableSource."""
    try:
        if isinstance(form, ParquetForm):
            return survey_parquet(path, form.columns, size, form.time)
        return survey_text(path, form, size)
    except OSError as error:
        raise UnreadableSource(path, error.strerror or str(error)) from error


def rows_in(part: FileRange, form: FileForm) -> Iterator[RowBlock]:
    """The rows of a range. Raises WrongHeader, UnreadableSource."""
    if isinstance(form, ParquetForm):
        return read_parquet(part, form.columns, form.time.column if form.time else None)
    return read_text(part, form)
