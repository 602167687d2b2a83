"""The files of a source, and whether their headers are as declared. Checked before anything is written.

Python looks at local paths, Spark at all others. A path may be a file, a folder or a pattern.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import IO, TYPE_CHECKING

from jobs.exits import SourceMissing, UnreadableSource, WrongHeader
from jobs.raw.damage import refuse_damaged
from jobs.workload.sections.sources import Source, is_local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SPARK_DECODES = {".zst", ".zstd", ".snappy", ".lz4", ".deflate"}


@dataclass(frozen=True)
class SourceFiles:
    """The files of one source for a run. `days`: file name -> day, for paths that have a day."""

    paths: tuple[str, ...]
    days: dict[str, date]
    headers: tuple[str, ...] = ()
    """First lines as they stand in the files; not rows."""

    @property
    def count(self) -> int:
        return len(self.paths)


def find(spark: SparkSession, source: Source, days: Sequence[date], base: Path) -> SourceFiles:
    """The source's files that may hold rows of some operating days.

    Raises SourceMissing if a file that must exist is absent (for a daily source: the file of one of `days`),
    WrongHeader if a file's first line does not have the declared columns, UnreadableSource if it cannot be read.
    """
    paths: dict[str, date | None] = {}
    for place, day in source.paths(days, base).items():
        files = expand(spark, place, source.text)
        if not files and source.must_exist and (day is None or day in days):
            raise SourceMissing(source.name, place)
        paths.update(dict.fromkeys(files, day))
    headers = (
        {_checked_header(spark, source, path) for path in paths} if source.format == "csv" and source.header else ()
    )
    return SourceFiles(
        tuple(paths), {Path(path).name: day for path, day in paths.items() if day is not None}, tuple(sorted(headers))
    )


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
    expected = list(source.columns)
    if header != expected:
        raise WrongHeader(_difference(source, path, expected, header))
    return line


def _difference(source: Source, path: str, expected: list[str], header: list[str]) -> str:
    missing = [name for name in expected if name not in header]
    extra = [name for name in header if name not in expected]
    difference = f"missing: {missing}; not declared: {extra}" if missing or extra else "the same names in another order"
    return (
        f"the header of {path} is not what source '{source.name}' declares ({difference})\n"
        f"  expected {','.join(expected)}\n  found    {','.join(header)}"
    )


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
