"""The first rows of a source, read as a load reads them: good ones typed, refused ones with their reasons.

Files on this machine are read strictly and in this process, block by block, and no further than the sample; whatever
only Spark reads is read by Spark. Cost: that of the rows of the sample, and of a block for each source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from jobs.exits import SourceMissing, WrongWorkload
from jobs.raw.raw_frame import LEDGER
from jobs.raw.reading.file_form import FileForm, ParquetForm, file_form_of
from jobs.raw.reading.source_file import files_at
from jobs.runs.source_days import is_gone
from jobs.workload.declaration import Workload
from jobs.workload.sections.sources import Source, local_path

if TYPE_CHECKING:
    from jobs.lake.session import LateSession
    from jobs.raw.reading.text_blocks import FileRange

LOOKED_FOR = 1_000
"""Days from the log's start among which the first one with files is looked for."""


@dataclass(frozen=True)
class SampledRows:
    """The first rows of a source as a raw frame (`jobs/raw/raw_frame.py`), ascending by `_id`."""

    source: Source
    rank: int
    rows: pa.Table
    files: tuple[str, ...]
    """The names of the files that were read."""
    cut: bool
    """Whether the source has more rows."""

    @property
    def refused(self) -> pa.Table:
        """The rows that the reader refused."""
        return self.rows.filter(pc.is_valid(self.rows["_rule"]))


def first_day(workload: Workload) -> date:
    """The first day from the log's start on that no source lacks. Raises WrongWorkload if there is none."""
    days = (workload.start + timedelta(days=n) for n in range(LOOKED_FOR))
    present = next((day for day in days if not is_gone(workload, day)), None)
    if present is None:
        last = workload.start + timedelta(days=LOOKED_FOR - 1)
        raise WrongWorkload(f"no day from {workload.start} to {last} has its files; --day names one that has")
    return present


def sample(workload: Workload, day: date, most: int, session: LateSession) -> list[SampledRows]:
    """The first rows of each source; of files for a day, those of this day. Raises SourceMissing, UnreadableSource."""
    return [
        _of_source(workload, source, rank, day, most, session) for rank, source in enumerate(workload.sources.values())
    ]


def _of_source(
    workload: Workload, source: Source, rank: int, day: date, most: int, session: LateSession
) -> SampledRows:
    places = source.paths([day], workload.base)
    form = file_form_of(source)
    if form is None or any(local_path(place) is None for place in places):
        return _by_spark(workload, source, rank, day, most, session)
    files = [(Path(file), of) for place, of in places.items() for file in files_at(str(local_path(place))).read]
    if not files and source.must_exist:
        raise SourceMissing(source.name, next(iter(places), source.path))
    return _of_files(source, rank, files, form, most)


def _of_files(
    source: Source, rank: int, files: Sequence[tuple[Path, date | None]], form: FileForm, most: int
) -> SampledRows:
    from jobs.raw.strict_frame import NumberedRange, frame_batches, schema_of  # compiled kernels

    batches: list[pa.RecordBatch] = []
    read: list[str] = []
    rows = 0
    for number, (path, day) in enumerate(files):
        if rows > most:
            break
        read.append(path.name)
        for part in _ranges(path, form):
            for batch in frame_batches(NumberedRange(number, day, part, 0), form):
                of_rows = batch.filter(pc.is_null(batch.column(LEDGER)))
                batches.append(of_rows)
                rows += of_rows.num_rows
                if rows > most and not of_rows.num_rows:
                    break
            if rows > most:
                break
    table = pa.Table.from_batches(batches, schema_of(form)).sort_by("_id")
    return SampledRows(source, rank, table.slice(0, most).combine_chunks(), tuple(read), table.num_rows > most)


def _ranges(path: Path, form: FileForm) -> Iterator[FileRange]:
    """A text file as one range, since only its first blocks are read; a Parquet file by its row groups."""
    from jobs.raw.reading.file_rows import survey_of
    from jobs.raw.reading.text_blocks import FileRange

    if isinstance(form, ParquetForm):
        yield from survey_of(path, form).ranges
    else:
        size = path.stat().st_size
        yield FileRange(path, 0, size, size)


def _by_spark(workload: Workload, source: Source, rank: int, day: date, most: int, session: LateSession) -> SampledRows:
    from jobs.raw.rows import raw_frame
    from jobs.raw.source_files import find

    files = find(session.spark, source, [day], workload)
    frame = raw_frame(session.spark, source, files).where(f"{LEDGER} IS NULL").limit(most + 1)
    table = frame.toArrow().sort_by("_id")
    names = tuple(Path(path).name for path in files.paths)
    return SampledRows(source, rank, table.slice(0, most).combine_chunks(), names, table.num_rows > most)
