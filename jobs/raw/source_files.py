"""The files of a source, and whether their headers are as declared. Checked before anything is written.

A path may be a file, a folder or a pattern. Local files of a known form are surveyed for strict reading; Spark looks at
remote paths, and reads them and whatever has a form or options that only its readers know.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import IO, TYPE_CHECKING

from jobs.exits import SourceMissing, UnreadableSource, WrongHeader
from jobs.raw.damage import refuse_damaged
from jobs.raw.reading.file_form import FileForm, ParquetForm, file_form_of
from jobs.raw.reading.header import difference
from jobs.raw.reading.source_file import files_at
from jobs.raw.row_days import RowDays, row_days
from jobs.workload.sections.sources import Source, is_local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from jobs.raw.reading.ranges import FileSurvey
    from jobs.workload.declaration import Workload

_SPARK_DECODES = {".zst", ".zstd", ".snappy", ".lz4", ".deflate"}


@dataclass(frozen=True)
class SourceFiles:
    """The files of one source for a run. `days`: path -> day, for paths that have a day."""

    paths: tuple[str, ...]
    days: dict[str, date]
    headers: tuple[str, ...] = ()
    """First lines as they stand in files that Spark reads; not rows."""
    surveys: tuple[FileSurvey, ...] = ()
    """The files, if they are read strictly; none: Spark's readers take them."""
    passed: tuple[str, ...] = ()
    """Files beside them that hold no rows by their names, such as `_SUCCESS` and hidden ones."""
    row_days: RowDays | None = None
    """How rows tell their days, and which of them the run sees; None: it sees all."""

    @property
    def count(self) -> int:
        return len(self.paths)


def find(spark: SparkSession, source: Source, days: Sequence[date], workload: Workload) -> SourceFiles:
    """The files of a workload's source that may hold rows of some operating days.

    Raises SourceMissing if a file that must exist is absent (for a daily source: the file of one of `days`),
    WrongHeader if a file's first line does not have the declared columns, UnreadableSource if it cannot be read.
    """
    places = source.paths(days, workload.base)
    time = row_days(source, days, workload.operating_days, workload.start)
    form = file_form_of(source) if all(is_local(place) for place in places) else None
    if isinstance(form, ParquetForm) and any(_has_columns_by_folder(place) for place in places):
        form = None
    paths: dict[str, date | None] = {}
    passed: list[str] = []
    for place, day in places.items():
        files = expand(spark, place, source.text) if form is None else _strict_files(place, passed)
        if files is None or (form is None and not files):
            if source.must_exist and (day is None or day in days):
                raise SourceMissing(source.name, place)
            continue
        paths.update(dict.fromkeys(files, day))
    of_days = {path: day for path, day in paths.items() if day is not None}
    if form is not None:
        surveys = _surveys(paths, replace(form, time=time))
        return SourceFiles(tuple(paths), of_days, surveys=surveys, passed=tuple(passed), row_days=time)
    headers = (
        {_checked_header(spark, source, path) for path in paths} if source.format == "csv" and source.header else ()
    )
    return SourceFiles(tuple(paths), of_days, tuple(sorted(headers)), row_days=time)


def _has_columns_by_folder(place: str) -> bool:
    """Whether a folder's folders say what a column is, as in `day=2024-01-01`."""
    return Path(place).is_dir() and any(path.is_dir() for path in Path(place).glob("*=*"))


def _strict_files(place: str, passed: list[str]) -> list[str] | None:
    """The files to read at a place, none in a folder that holds only marks such as `_SUCCESS`; None: it is absent.

    `passed` gets the files that are not read.
    """
    files = files_at(place)
    passed += [str(path) for path in files.passed]
    return [str(path) for path in files.read] if files.read or files.passed else None


def _surveys(paths: Iterable[str], form: FileForm) -> tuple[FileSurvey, ...]:
    from jobs.raw.reading.file_rows import survey_of  # compiled kernels: only if there is something to read

    return tuple(survey_of(Path(path), form) for path in paths)


def expand(spark: SparkSession, place: str, text: bool = True) -> list[str]:
    """The paths at a place, none if it is absent. A local folder, or a remote one of no `text`, stays one path."""
    if not is_local(place):
        return _expand_remote(spark, place, text)
    if Path(place).is_dir():
        return [place]
    return sorted(glob.glob(place))


def _expand_remote(spark: SparkSession, place: str, text: bool) -> list[str]:
    from pyspark.errors import AnalysisException

    try:
        listed = spark.read.format("binaryFile").load(place).select("path")
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return []
        raise
    # A Delta table's folder also holds files that are no longer, or not yet, the table's.
    return sorted(row.path for row in listed.collect()) if text else [place]


def _checked_header(spark: SparkSession, source: Source, path: str) -> str:
    """A CSV file's first line, if it names the declared columns in order."""
    line = _first_line(spark, path)
    separator = source.options.get("sep", source.options.get("delimiter", ","))
    quote = source.options.get("quote", '"')
    header = [name.strip().strip(quote) for name in line.lstrip("\ufeff").rstrip("\r").split(separator)]
    if header != list(source.columns):
        raise WrongHeader(difference(path, source.columns, header))
    return line


def _first_line(spark: SparkSession, path: str) -> str:
    suffix = Path(path).suffix
    if not is_local(path) or suffix in _SPARK_DECODES or Path(path).is_dir():
        try:
            first = spark.read.text(path).first()
        except Exception:
            refuse_damaged([path])
            raise
        return first.value if first else ""
    try:
        with _open(path, suffix) as file:
            return file.readline().rstrip(b"\r\n").decode("utf-8", "backslashreplace")
    except (OSError, EOFError, zlib.error) as error:
        refuse_damaged([path])
        raise UnreadableSource(path, str(error)) from error


def _open(path: str, suffix: str) -> IO[bytes] | gzip.GzipFile:
    if suffix == ".gz":
        return gzip.GzipFile(path)
    return bz2.open(path, "rb") if suffix == ".bz2" else Path(path).open("rb")
