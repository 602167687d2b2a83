"""The size of what a run will read, found before Spark starts, and the scale of Spark's settings that suits it.

`load` reads the sources' files. `slice` reads the run's events, and about as much of the days before as the last run
did. `evaluate` reads the slices. Compressed or columnar data counts as the text it would be. Assumes that a source is
large if its size cannot be seen from this machine. Cost: a listing of the sources' files and the logs of two tables;
no data is read.

`python -m jobs.runs.input_size --workload W --task load --from D --to D` prints the settings as a properties file, for
spark-submit, which must know heap and compilers before any code of ours runs (docs/decisions/0008). For a task that
needs no Spark it prints nothing. If another run holds the lake it ends with exit code 5, before a JVM starts in vain.
"""

from __future__ import annotations

import argparse
import glob
import os
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from deltalake import DeltaTable

from jobs import places
from jobs.exits import OK, LeaseHeld, message, task_code
from jobs.lake.leasing.lease import lease_file, refuse_another
from jobs.lake.spark_settings import Scale, heap, properties, settings
from jobs.raw.raw_frame import AS_TEXT
from jobs.runs.run import days_between
from jobs.workload.declaration import Workload, folder_of, load_workload
from jobs.workload.files.problems import WorkloadError
from jobs.workload.sections.sources import Source, local_path

if TYPE_CHECKING:
    from jobs.raw.row_days import RowDays

LARGE_BYTES = 8_000_000
"""From this many bytes of text on (some 300,000 rows), generated code is worth its cost (docs/decisions/0008)."""

MANY_DAYS = 31
"""A run over more days is large, even if it reads few bytes: most work is done once for each day."""

WITHOUT_SPARK = ("slice", "evaluate", "maintain")
"""Tasks for which this process needs no Spark if their input is small (docs/decisions/0021)."""

_COMPRESSED = (".gz", ".bz2", ".zst", ".zstd", ".parquet", ".orc", ".avro", ".snappy", ".lz4", ".deflate")


@dataclass(frozen=True)
class InputSize:
    """The size of a run's input: `bytes` as text, over `days` days. None: a part cannot be seen from this machine."""

    bytes: int | None
    days: int

    @property
    def scale(self) -> Scale:
        """The scale of Spark's settings.

        >>> InputSize(500_000, 9).scale, InputSize(500_000, 365).scale, InputSize(None, 1).scale
        ('small', 'large', 'large')
        """
        if forced := os.environ.get("TRENDMILL_SCALE"):
            return "large" if forced == "large" else "small"
        return "large" if self.bytes is None or self.bytes >= LARGE_BYTES or self.days > MANY_DAYS else "small"

    def __str__(self) -> str:
        """The size and the chosen scale, as a line for a log.

        >>> print(InputSize(500_000, 9))
        0.5 MB to read as text, 9 days: settings for small inputs
        """
        read = (
            "a source of unknown size to read" if self.bytes is None else f"{self.bytes / 1e6:,.1f} MB to read as text"
        )
        days = f"{self.days:,} day{'s' if self.days != 1 else ''}" if self.days else "all that is stale"
        large = f"large inputs (code generation, {heap('large') >> 20:,} MB of heap)"
        return f"{read}, {days}: settings for {large if self.scale == 'large' else 'small inputs'}"


def input_size(
    workload: Workload, tasks: Collection[str], first: date | None, last: date | None, lake: Path
) -> InputSize:
    """The size of what these tasks read for the operating days `first`..`last`, both inclusive; None: any day."""
    days = () if first is None or last is None else days_between(first, last)
    sources = [read_bytes(source, days, workload) for source in workload.sources.values()]
    if "load" not in tasks:
        sources = []
    sizes = [size for size in sources if size is not None]
    home = lake / workload.name
    events = table_bytes(home / "events", first, last) if "slice" in tasks else 0
    slices = table_bytes(home / "_work" / "slices", first, last) if {"slice", "evaluate"} & set(tasks) else 0
    return InputSize(max(sum(sizes), events, slices) if len(sizes) == len(sources) else None, len(days))


def source_bytes(source: Source, days: Sequence[date], base: Path) -> int | None:
    """Bytes of text in a source's files for some days; None if they are not on this machine."""
    places_of_source = [local_path(place) for place in source.paths(days, base)]
    if not places_of_source or None in places_of_source:
        return None
    return sum(_text_bytes(file) for place in places_of_source if place for file in _files(place))


def read_bytes(source: Source, days: Sequence[date], workload: Workload) -> int | None:
    """The same, less the row groups that a run of these days does not read, as footers tell."""
    whole = source_bytes(source, days, workload.base)
    if whole is None or not (source.time and days and source.format == "parquet"):
        return whole
    from jobs.raw.row_days import row_days

    time = row_days(source, days, workload.operating_days, workload.start)
    assert time is not None
    places_of_source = [local_path(place) for place in source.paths(days, workload.base)]
    files = [file for place in places_of_source if place for file in _files(place)]
    return sum(round(_text_bytes(file) * _share_read(file, time)) for file in files)


def _share_read(file: Path, time: RowDays) -> float:
    """The share of a Parquet file's rows that is read; all of a file whose footer nobody can read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from jobs.raw.row_groups import far_groups

    try:
        footer = pq.read_metadata(file)
    except (OSError, pa.ArrowException):
        return 1.0
    skipped = sum(group.rows for group in far_groups(footer, time).values())
    return 1 - skipped / footer.num_rows if footer.num_rows else 0.0


def _files(place: Path) -> list[Path]:
    """The files at a place, which may be a file, a folder or a pattern; none if it is absent."""
    paths = [place] if place.exists() else [Path(name) for name in glob.glob(str(place))]
    return [file for path in paths for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file()]


def _text_bytes(file: Path) -> int:
    return file.stat().st_size * (AS_TEXT if file.suffix in _COMPRESSED else 1)


def table_bytes(table: Path, first: date | None, last: date | None) -> int:
    """Bytes of text in the present files of a Delta table; of some days, if it is partitioned by day."""
    if not (table / "_delta_log").is_dir():
        return 0
    files = DeltaTable(table).get_add_actions(flatten=True)
    sizes = files.column("size_bytes").to_pylist()
    if first is None or last is None or "partition.day" not in files.schema.names:
        return AS_TEXT * sum(sizes)
    days = files.column("partition.day").to_pylist()
    return AS_TEXT * sum(size for size, day in zip(sizes, days, strict=True) if first <= day <= last)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the settings for one task as a properties file; nothing for a task that needs no Spark. Returns the exit
    code. A wrong folder gets the settings of the small scale.

    The task itself then says what is wrong with the folder.
    """
    parser = argparse.ArgumentParser(prog="input_size")
    parser.add_argument("--workload", required=True)
    parser.add_argument("--task", required=True)
    parser.add_argument("--from", dest="first", type=date.fromisoformat)
    parser.add_argument("--to", dest="last", type=date.fromisoformat)
    parser.add_argument("--run-id", help="the run that asks; without it nobody looks at the lease")
    options = parser.parse_args(arguments)
    try:
        with suppress(WorkloadError):
            if options.run_id is not None:
                refuse_another(lease_file(places.lake(), folder_of(options.workload).name), options.run_id)
    except LeaseHeld as held:
        print(message(held), file=sys.stderr)
        return task_code(held)
    size = InputSize(0, 1)
    if options.first is not None:
        with suppress(WorkloadError, FileNotFoundError):
            workload = load_workload(options.workload)
            size = input_size(workload, [options.task], options.first, options.last, places.lake())
    if size.scale == "large" or options.task not in WITHOUT_SPARK:
        print(properties(settings("local", size.scale)), end="")
    return OK


if __name__ == "__main__":
    sys.exit(main())
