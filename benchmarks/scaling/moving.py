"""Spark moving the rows of a log: read, repartition by key, sort, write. `python -m scaling.moving FOLDER FORM MOVES`.

Settings are those of large inputs. Prints the wall seconds of each move, all in one session.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from scaling.apart import run_apart
from scaling.logs import FORMS

COLUMNS = "kind STRING, at BIGINT, key BIGINT, value BIGINT"


def moving(folder: Path, form: str, moves: int) -> list[float]:
    """Wall seconds of each move, in a process of its own."""
    run = run_apart("moving", str(folder), form, str(moves))
    if run.returncode:
        raise SystemExit(run.stderr)
    return [float(line) for line in run.stdout.split()]


def move(folder: Path, form: str, moves: int) -> None:
    """Move the rows, and print the seconds."""
    from jobs.lake.session import start_session

    spark = start_session("moving", scale="large")
    reader = spark.read.format(FORMS[form].spark).schema(COLUMNS).option("header", "true")
    for _ in range(moves):
        begin = time.perf_counter()
        rows = reader.load(f"{folder}/log*").repartition(4, "key").sortWithinPartitions("at")
        rows.write.mode("overwrite").parquet(str(folder.parent / "moved"))
        print(time.perf_counter() - begin, flush=True)
    spark.stop()


if __name__ == "__main__":
    move(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
