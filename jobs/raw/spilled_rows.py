"""The rows of strictly read files, kept as Parquet files while a load lasts.

A large load looks at its rows several times: for row rules, for events.sql, which may name a source more than once. So
its files are parsed once (`strict_frame.py`), and Spark reads the kept columns itself. The text of a good row is not
kept. Each task writes one file and tells how many rows of which file it kept, and the ledgers of what it read; only the
files of tasks that ended well are read. Rows with which workers can do all that is to be done are not kept at all
(`Judge`).

Cost: linear in the bytes read; some 50 bytes on disk for each row and what its texts take.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from jobs.raw.raw_frame import LEDGER, MOMENT, OWN_COLUMNS
from jobs.raw.reading.file_form import FileForm
from jobs.raw.row_days import SeenRows
from jobs.raw.source_files import SourceFiles
from jobs.raw.strict_frame import LITTLE, NumberedRange, frame_batches, ranges_of, schema_of, tasks_of
from jobs.workload.sections.sources import Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS_AT_ONCE = 200_000
"""Rows of a row group, about."""

_NOT_KEPT = [LEDGER, MOMENT]
"""What is read while rows are kept, and not later."""

_ANSWER = "path STRING, content STRING, judged BINARY"


class JudgedTask(Protocol):
    """The rows of one task."""

    def keep(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Those of some rows of a raw frame that are to be kept."""

    def end(self) -> bytes:
        """What is told of all others."""


class Judge(Protocol):
    """Takes rows that nobody needs to look at again."""

    def begin(self, name: str) -> JudgedTask:
        """A task that no other has the name of."""


@dataclass(frozen=True)
class SpilledRows:
    """The rows of a source that the run sees. `read`: all rows of each file number, `seen`: by their days, if they tell
    them; `ledgers`: of ranges of files, as JSON; `kept`: how many `rows` there are; `judged`: what tasks told of the
    others."""

    rows: DataFrame
    read: Mapping[int, int]
    ledgers: Sequence[str]
    seen: Mapping[int, SeenRows] = field(default_factory=dict)
    kept: int = 0
    judged: Sequence[bytes] = ()


class _TaskAnswer(NamedTuple):
    """What a task tells: the file it wrote, what it read as JSON, what its judge says."""

    path: str
    content: str
    judged: bytes


def spill(
    spark: SparkSession,
    source: Source,
    files: SourceFiles,
    folder: Path,
    little: int = LITTLE,
    judge: Judge | None = None,
) -> SpilledRows:
    """Keep the rows of a source in files of `folder`. `little`: bytes of text that this process reads itself.

    Raises UnreadableSource, or what `damage.unreadable_in` understands.
    """
    form, ranges = ranges_of(source, files)
    folder.mkdir(parents=True)
    if sum(numbered.text for numbered in ranges) <= little:
        tasks = [_kept(ranges, form, folder / "rows.parquet", judge)]
    else:
        tasks = _kept_by_workers(spark, form, tasks_of(spark, ranges), folder, judge)
    read: Counter[int] = Counter()
    ledgers: list[str] = []
    seen: dict[int, SeenRows] = {}
    kept = 0
    for task in tasks:
        content = json.loads(task.content)
        kept += content["kept"]
        read.update({int(number): rows for number, rows in content["read"].items()})
        ledgers += content["ledgers"]
        for number, counted in content["seen"].items():
            more = SeenRows.of_json(counted)
            seen[int(number)] = seen[int(number)] + more if int(number) in seen else more
    columns = {name: kind for name, kind in (form.columns | OWN_COLUMNS).items() if name not in _NOT_KEPT}
    rows = spark.read.schema(", ".join(f"`{name}` {kind}" for name, kind in columns.items()))
    stored = rows.parquet(*[task.path for task in tasks])
    return SpilledRows(stored, read, ledgers, seen, kept, [task.judged for task in tasks] if judge else ())


def _kept_by_workers(
    spark: SparkSession,
    form: FileForm,
    tasks: Sequence[Sequence[NumberedRange]],
    folder: Path,
    judge: Judge | None,
) -> list[_TaskAnswer]:
    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        for batch in batches:
            for task in batch.column(0).to_pylist():
                path = folder / f"rows-{task}-{context.taskAttemptId()}.parquet"
                kept = _kept(tasks[task], form, path, judge)
                yield pa.record_batch({name: [value] for name, value in kept._asdict().items()})

    answers = spark.range(0, len(tasks), 1, len(tasks)).mapInArrow(work, _ANSWER).toArrow()
    return [_TaskAnswer(**row) for row in answers.to_pylist()]


def _kept(ranges: Iterable[NumberedRange], form: FileForm, path: Path, judge: Judge | None) -> _TaskAnswer:
    """Write the rows of ranges to a file, or have the judge take them."""
    schema = schema_of(form)
    schema = pa.schema([field for field in schema if field.name not in _NOT_KEPT])
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    read: Counter[int] = Counter()
    ledgers: list[str] = []
    seen: dict[int, SeenRows] = {}
    kept = 0
    judged = judge.begin(f"{path.parent.name}-{path.stem}") if judge else None
    with pq.ParquetWriter(path, schema, compression="snappy", use_dictionary=texts) as file:
        waiting: list[pa.RecordBatch] = []
        rows = 0
        for numbered in ranges:
            for batch in frame_batches(numbered, form):
                if batch.num_rows == 1 and batch[LEDGER][0].is_valid:
                    ledgers.append(batch[LEDGER][0].as_py())
                    continue
                read[numbered.number] += batch.num_rows
                if form.time:
                    counted = form.time.counted(batch)
                    seen[numbered.number] = seen.get(numbered.number, SeenRows(counted.slack)) + counted
                    batch = batch.filter(form.time.sees(batch["_day"]))
                if judged:
                    batch = judged.keep(batch)
                kept += batch.num_rows
                waiting.append(_without_good_texts(batch))
                rows += batch.num_rows
                if rows >= ROWS_AT_ONCE:
                    file.write_table(pa.Table.from_batches(waiting, schema).combine_chunks())
                    waiting, rows = [], 0
        file.write_table(pa.Table.from_batches(waiting, schema).combine_chunks())
    of_files = {number: counted.as_json for number, counted in seen.items()}
    content = json.dumps({"read": read, "ledgers": ledgers, "seen": of_files, "kept": kept})
    return _TaskAnswer(str(path), content, judged.end() if judged else b"")


def _without_good_texts(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch of rows as they are kept; the texts of good rows are left out."""
    batch = batch.drop_columns(_NOT_KEPT)
    if batch["_rule"].null_count < batch.num_rows:
        return batch
    place = batch.schema.get_field_index("_raw")
    return batch.set_column(place, "_raw", pa.nulls(batch.num_rows, pa.string()))
