"""Speed of strict reading beside Arrow's own readers: `python benchmarks/reading.py [--rows N] [--folder DIR]`.

A log of six columns (an integer, a time stamp, a text key by Zipf's law, an integer, a float, a small integer) as CSV,
as gzip CSV, as JSON lines and as Parquet. Each is read on one core by the strict reader and by Arrow's reader, in turn;
it prints CPU-seconds (medians), their ratio, and rows a second. Arrow's reader holds the whole table and stops at the
first fault; the strict reader holds a block, numbers and hashes rows, digests the file and finds its ranges.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet as pq

from jobs.raw.reading.file_form import TextForm
from jobs.raw.reading.parquet_rows import read_parquet
from jobs.raw.reading.ranges import survey_parquet, survey_text
from jobs.raw.reading.text_rows import read_text

COLUMNS = {"id": "BIGINT", "at": "TIMESTAMP", "key": "STRING", "n": "BIGINT", "x": "DOUBLE", "m": "BIGINT"}
TURNS = 5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    pa.set_cpu_count(1)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        files = write_log(Path(folder), options.rows)
        print(f"{'':14}{'strict':>10}{'Arrow':>10}{'ratio':>8}{'M rows/s':>10}")
        for file in files:
            compare(file, options.rows)


def compare(file: Path, rows: int) -> None:
    """Prints a line about one file."""
    assert read_strictly(file) == rows  # compiles kernels, too
    turns = [(seconds(read_strictly, file), seconds(read_with_arrow, file)) for _ in range(TURNS)]
    strict, arrow = (statistics.median(times) for times in zip(*turns, strict=True))
    ratio = statistics.median(own / rival for own, rival in turns)
    print(f"{file.name:14}{strict:10.3f}{arrow:10.3f}{ratio:8.2f}{rows / strict / 1e6:10.2f}")


def seconds(read: Callable[[Path], int], file: Path) -> float:
    begin = time.process_time()
    read(file)
    return time.process_time() - begin


def read_strictly(file: Path) -> int:
    """The number of good rows. Counts the survey too, with its digest and the places of ranges."""
    if file.suffix == ".parquet":
        parts = survey_parquet(file, COLUMNS).ranges
        return sum(block.rows.num_rows for part in parts for block in read_parquet(part, COLUMNS))
    form = TextForm("json" if ".json" in file.name else "csv", COLUMNS)
    return sum(block.rows.num_rows for part in survey_text(file, form).ranges for block in read_text(part, form))


def read_with_arrow(file: Path) -> int:
    if file.suffix == ".parquet":
        return pq.read_table(file, use_threads=False).num_rows
    if ".json" in file.name:
        return pa.json.read_json(file, read_options=pa.json.ReadOptions(use_threads=False)).num_rows
    return pa.csv.read_csv(file, read_options=pa.csv.ReadOptions(use_threads=False)).num_rows


def write_log(folder: Path, rows: int) -> list[Path]:
    random = np.random.default_rng(1)
    begin = np.datetime64("2024-01-01T00:00:00", "us")
    log = pa.table(
        {
            "id": np.arange(rows),
            "at": pa.array(begin + np.arange(rows) * 86_400_000_000 // rows, pa.timestamp("us", "UTC")),
            "key": np.char.add("k", (random.zipf(1.3, rows) % 100_000).astype(str)),
            "n": random.integers(0, 10**6, rows),
            "x": random.uniform(0, 1000, rows).round(3),
            "m": random.integers(-5, 5, rows),
        }
    )
    files = [folder / name for name in ("log.csv", "log.csv.gz", "log.jsonl", "log.parquet")]
    pa.csv.write_csv(log, files[0])
    with files[0].open("rb") as plain, gzip.open(files[1], "wb", compresslevel=6) as packed:
        shutil.copyfileobj(plain, packed)
    with files[2].open("w") as lines:
        for row in log.to_pylist():
            lines.write(json.dumps(row, default=str) + "\n")
    pq.write_table(log, files[3])
    return files


if __name__ == "__main__":
    main()
