"""The rows of local files, read strictly (`jobs/raw/reading`): good ones typed, refused ones with rule and reason.

Files that are little text are read in this process, which costs less than waking Python's workers; all others are read
by the workers, each task some ranges of files. Both ways give the same rows: `_id` is the number of the file in the
source (24 bits) and that of the row in its file (40 bits), whoever reads it and however often.
Cost: linear in the bytes read. Memory: of little text, all of it; else a worker holds a block.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from jobs.bundles import bundles
from jobs.raw.raw_frame import AS_TEXT, MOMENT, OWN_COLUMNS, ROWS_BITS, ddl_of
from jobs.raw.reading.file_form import FileForm, ParquetForm, file_form_of
from jobs.raw.reading.file_ledger import RowLedger
from jobs.raw.reading.file_rows import rows_in
from jobs.raw.reading.ranges import RANGE, FileSurvey
from jobs.raw.reading.row_judgement import HASH, ORDINAL, RAW
from jobs.raw.reading.source_file import codec_of
from jobs.raw.reading.text_blocks import FileRange
from jobs.raw.reading.typed_columns import ARROW_TYPES
from jobs.raw.row_days import RowDays, moments_of
from jobs.raw.source_files import SourceFiles
from jobs.workload.sections.sources import Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LITTLE = 8_000_000
"""Bytes of text that this process reads itself."""

_TASKS_OF_A_CORE = 4


@dataclass(frozen=True)
class NumberedRange:
    """A range of the source's file `number`. `day`: the file's day, if its path names one. `text`: bytes, about."""

    number: int
    day: date | None
    part: FileRange
    text: int


def strict_rows(spark: SparkSession, source: Source, files: SourceFiles, little: int = LITTLE) -> DataFrame:
    """The source's raw frame (raw_frame.py). `little`: bytes of text that this process reads itself.

    Raises UnreadableSource; if workers read, computing the frame raises what `damage.unreadable_in` understands.
    """
    form, ranges = ranges_of(source, files)
    if sum(numbered.text for numbered in ranges) <= little:
        return spark.createDataFrame(_read_here(form, ranges).combine_chunks())
    return _read_by_workers(spark, form, ranges)


def strict_table(source: Source, files: SourceFiles) -> pa.Table:
    """The source's raw frame, read by this process. Raises UnreadableSource."""
    return _read_here(*ranges_of(source, files))


def ranges_of(source: Source, files: SourceFiles) -> tuple[FileForm, list[NumberedRange]]:
    """The form of a source's files, and all their ranges."""
    form = file_form_of(source)
    assert form is not None
    form = replace(form, time=files.row_days)
    return form, [
        NumberedRange(number, files.days.get(str(survey.path)), part, _text_bytes(survey, form) // len(survey.ranges))
        for number, survey in enumerate(files.surveys)
        for part in survey.ranges
    ]


def _read_here(form: FileForm, ranges: Sequence[NumberedRange]) -> pa.Table:
    batches = [batch for numbered in ranges for batch in frame_batches(numbered, form)]
    return pa.Table.from_batches(batches, schema_of(form))


def _text_bytes(survey: FileSurvey, form: FileForm) -> int:
    packed = isinstance(form, ParquetForm) or codec_of(survey.path) is not None
    return survey.size * (AS_TEXT if packed else 1)


def _read_by_workers(spark: SparkSession, form: FileForm, ranges: Sequence[NumberedRange]) -> DataFrame:
    tasks = tasks_of(spark, ranges)

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                for numbered in tasks[task]:
                    yield from frame_batches(numbered, form)

    return spark.range(0, len(tasks), 1, len(tasks)).mapInArrow(work, ddl_of(form.columns))


def tasks_of(spark: SparkSession, ranges: Sequence[NumberedRange]) -> list[list[NumberedRange]]:
    """Ranges brought together for the tasks that read them."""
    at_once = _TASKS_OF_A_CORE * spark.sparkContext.defaultParallelism
    most = min(RANGE, sum(numbered.text for numbered in ranges) // at_once)
    return list(bundles(ranges, lambda numbered: numbered.text, most))


def schema_of(form: FileForm) -> pa.Schema:
    """The Arrow schema of a raw frame."""
    types = ARROW_TYPES | {"INT": pa.int32()}
    return pa.schema([(name, types[kind]) for name, kind in (form.columns | OWN_COLUMNS).items()])


def frame_batches(numbered: NumberedRange, form: FileForm) -> Iterator[pa.RecordBatch]:
    """The rows of a range as batches of a raw frame; the last one is its ledger."""
    first, path = numbered.number << ROWS_BITS, numbered.part.path
    ledger = RowLedger()
    for block in rows_in(numbered.part, form):
        good, refused = block.rows, block.refused
        if good.num_rows:
            ids = pc.add(good.column(ORDINAL), first)
            own = {"_id": ids, "_raw": good.column(RAW), "_hash": good.column(HASH)}
            if form.time:
                own |= _when(form.time, moments_of(good.column(form.time.column)))
            yield _batch(numbered, form, {name: good.column(name) for name in form.columns} | own)
        if refused.num_rows:
            ids = pc.add(refused.column("ordinal"), first)
            own = {f"_{name}": refused.column(name) for name in ("rule", "reason", "raw")}
            if form.time:
                own |= _when(form.time, refused.column("moment"))
            yield _batch(numbered, form, own | {"_id": ids})
        ledger += block.ledger
    text = json.dumps({"number": numbered.number, "path": str(path), **asdict(ledger)})
    yield _batch(numbered, form, {"_ledger": pa.array([text])})


def _when(time: RowDays, moments: pa.Array) -> dict[str, pa.Array]:
    """The columns of rows that tell when they are."""
    return {"_day": time.days(moments), MOMENT: moments}


def _batch(numbered: NumberedRange, form: FileForm, columns: dict[str, pa.Array]) -> pa.RecordBatch:
    """Columns that are not given are null, but for those of the file."""
    rows = len(next(iter(columns.values())))
    of_file = {"_number": numbered.number, "_file": numbered.part.path.name, "_day": numbered.day}
    schema = schema_of(form)
    return pa.record_batch(
        [
            columns[field.name]
            if field.name in columns
            else pa.repeat(pa.scalar(of_file.get(field.name), field.type), rows)
            for field in schema
        ],
        schema=schema,
    )
