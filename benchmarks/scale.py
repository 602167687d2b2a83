"""One day of a large log, from files to results: `python benchmarks/scale.py [ROWS ...] [--format F ...] [--moves N]`.

ROWS: 1000000 and 10000000 if none is given. Formats: `parquet`, `csv` (gzip, one file), `csv24` (gzip, 24 files),
`json` (lines). A log has three event types, Zipf keys and integer values; the workload has an aggregation and a
matching query by key. Each run stands beside Spark merely moving the same rows (read, repartition by key, sort, write)
in one session with the settings of large inputs; of several moves the median counts.

Printed: wall seconds of the run, of its stages, of the moving, their ratio, and the peak memory of all processes, pages
that they share counted for each and once. From two sizes on, also the exponent with which each stage grows.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from runs import places, run_watched, stages

DAY = date(2026, 1, 5)
BEGIN = 1_767_571_200_000
"""2026-01-05 in milliseconds."""
FILES = 24
KEYS = 100_000
WORKLOAD = """
title: Scale
owner: benchmarks
sources:
  rows:
    format: {format}
    path: {path}
    columns: {{kind: string, at: int, key: int, value: int}}
time: {{unit: ms, zone: UTC}}
schedule: "0 0 * * *"
start: 2026-01-05
events:
  A: {{key: int, value: int}}
  B: {{key: int, value: int}}
  C: {{key: int, value: int}}
limits: {{max_reach: 1h}}
slicing: {{slices: 4}}
"""
EVENTS_SQL = "SELECT kind AS event_type, at AS ts, key, value, _row FROM rows\n"
EXPECTATIONS = """
rows:
  - {name: positive, source: rows, holds: value >= 0, reason: values are never negative}
gate: []
"""
QUERIES = {
    "rising": """-- How many rising runs does each key have?
RETURN key, COUNT(*), MAX(A.value)
PATTERN SEQ(A+, B)
WHERE [key] AND A.value < NEXT(A).value
GROUP-BY key WITHIN 60 seconds SLIDE 60 seconds
""",
    "triples": """-- After which A did a larger B and a larger C follow?
PATTERN SEQ(A a, B b, C c)
WHERE skip_till_next_match { [key] AND b.value > a.value AND c.value > b.value } WITHIN 20 seconds
""",
}


def log(rows: int) -> pa.Table:
    """A day of rows in the order of time."""
    random = np.random.default_rng(rows)
    at = np.sort(random.integers(BEGIN, BEGIN + 86_400_000, rows))
    kind = pa.DictionaryArray.from_arrays(random.integers(0, 3, rows, dtype=np.int8), pa.array(["A", "B", "C"]))
    key = np.minimum(random.zipf(1.3, rows), KEYS)
    columns = {"kind": kind.cast(pa.string()), "at": at, "key": key, "value": random.integers(0, 1_000_000, rows)}
    return pa.table(columns)


def _parquet(table: pa.Table, folder: Path) -> str:
    pq.write_table(table, folder / "log.parquet", row_group_size=1_000_000)
    return "log.parquet"


def _csv(table: pa.Table, folder: Path, files: int = 1) -> str:
    size = -(-table.num_rows // files)
    for number in range(files):
        with gzip.open(folder / f"log{number:02}.csv.gz", "wb", compresslevel=1) as file:
            pc.write_csv(table.slice(number * size, size), file, pc.WriteOptions(quoting_style="none"))
    return "log*.csv.gz"


def _json(table: pa.Table, folder: Path) -> str:
    with (folder / "log.json").open("w", encoding="utf-8") as file:
        for batch in table.to_batches(100_000):
            file.writelines(f"{json.dumps(row)}\n" for row in batch.to_pylist())
    return "log.json"


FORMATS: Mapping[str, tuple[str, Callable[[pa.Table, Path], str]]] = {
    "parquet": ("parquet", _parquet),
    "csv": ("csv", _csv),
    "csv24": ("csv", lambda table, folder: _csv(table, folder, FILES)),
    "json": ("json", _json),
}


def write_workload(home: Path, rows: int, form: str) -> Path:
    """A workload folder `scale` with its log; returns it."""
    folder = home / "scale"
    (folder / "queries").mkdir(parents=True)
    of_spark, write = FORMATS[form]
    path = write(log(rows), folder)
    (folder / "workload.yaml").write_text(WORKLOAD.format(format=of_spark, path=path))
    (folder / "events.sql").write_text(EVENTS_SQL)
    (folder / "expectations.yaml").write_text(EXPECTATIONS)
    for name, text in QUERIES.items():
        (folder / "queries" / f"{name}.cep").write_text(text)
    return folder


def moving(folder: Path, form: str, moves: int) -> list[float]:
    """Wall seconds of Spark reading, repartitioning, sorting and writing the rows, so many times in one session."""
    command = [sys.executable, __file__, "--move", str(folder), "--format", form, "--moves", str(moves)]
    return [float(line) for line in subprocess.check_output(command, text=True).split()]


def move(folder: Path, form: str, moves: int) -> None:
    """What `moving` starts: prints the seconds of each move."""
    from jobs.lake.session import start_session

    spark = start_session("moving", scale="large")
    columns = "kind STRING, at BIGINT, key BIGINT, value BIGINT"
    of_spark = FORMATS[form][0]
    reader = spark.read.format(of_spark).schema(columns).option("header", "true")
    for _ in range(moves):
        begin = time.perf_counter()
        rows = reader.load(f"{folder}/log*").repartition(4, "key").sortWithinPartitions("at")
        rows.write.mode("overwrite").parquet(str(folder.parent / "moved"))
        print(time.perf_counter() - begin, flush=True)
    spark.stop()


def measure(rows: int, form: str, moves: int) -> dict[str, float]:
    """Run the workload on an empty lake. Returns wall seconds by stage, of all, and of the moving."""
    with tempfile.TemporaryDirectory(prefix="trendmill-scale-") as place:
        home = Path(place)
        folder = write_workload(home, rows, form)
        seconds = moving(folder, form, moves)
        command = [sys.executable, "-m", "jobs.cli", "run", str(folder), "--from", str(DAY)]
        code, usage = run_watched(command, places(home / "lake"))
        if code:
            raise SystemExit(f"trendmill run of {rows:,} rows from {form} ended with exit code {code}")
        of_stages = {row["stage"]: row["seconds"] for row in stages(home / "lake", "scale")}
        middle = statistics.median(seconds)
        print(
            f"  {rows:>12,} rows {form:<8} {usage}, moving {middle:.1f} s (of {len(seconds)}): "
            f"{usage.wall / middle:.1f} times"
        )
        print("    " + ", ".join(f"{name} {value:.1f}" for name, value in of_stages.items()), flush=True)
        return {**of_stages, "all": usage.wall, "moving": middle}


def print_growth(sizes: Sequence[int], measured: Sequence[Mapping[str, float]]) -> None:
    """Exponents of the growth from the smallest to the largest size: 1 is proportional."""
    factor = math.log(sizes[-1] / sizes[0])
    growth = {name: math.log(measured[-1][name] / measured[0][name]) / factor for name in measured[0]}
    print("    exponents: " + ", ".join(f"{name} {value:.2f}" for name, value in growth.items()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=int)
    parser.add_argument("--format", action="append", choices=FORMATS)
    parser.add_argument("--moves", type=int, default=5)
    parser.add_argument("--move", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.move:
        move(options.move, options.format[0], options.moves)
        return
    sizes = sorted(options.rows or [1_000_000, 10_000_000])
    for form in options.format or ["parquet"]:
        measured = [measure(rows, form, options.moves) for rows in sizes]
        if len(sizes) > 1:
            print_growth(sizes, measured)


if __name__ == "__main__":
    main()
