"""Make the JVM's class archive once, so that every later Spark session starts in half the time (docs/performance.md).

A Java process that saw a small load, a Delta write and a read dumps its loaded classes when it exits; later ones map
that file instead of loading and verifying 20,000 classes again. The archive belongs to one Java and one set of jars.
It is a convenience: where it cannot be made (a Java without a base archive, a small disk), this says so and sessions
start without it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from jobs import places
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import lease_file, take
from jobs.lake.session import LateSession, start_session
from jobs.runs.run import Silent
from jobs.tasks.nightly import begin, load, slice_

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTES_AT_MOST = 5


DECLARATION = """title: Two readings
owner: set-up
sources:
  readings: {format: csv, path: readings.csv, order: [id], columns: {id: int, at: timestamp, meter: string, kwh: float}}
schedule: "0 0 * * *"
start: 2024-01-01
events: {Reading: {meter: string, kwh: float}}
"""
EVENTS = "SELECT 'Reading' AS event_type, unix_seconds(at) AS ts, _row, meter, kwh FROM readings\n"
READINGS = "id,at,meter,kwh\n1,2024-01-01T10:00:00Z,a,5\n2,2024-01-01T11:00:00Z,b,much\n"
RULES = "rows: [{name: positive, source: readings, holds: kwh >= 0, reason: meters count upwards}]\n"
QUERY = "-- How many?\nRETURN COUNT(*) PATTERN Reading R+ WHERE [meter] WITHIN 1 hour\n"
FILES = {
    "workload.yaml": DECLARATION,
    "events.sql": EVENTS,
    "readings.csv": READINGS,
    "expectations.yaml": RULES,
    "queries/readings.cep": QUERY,
}


def load_and_slice(spark: SparkSession, folder: Path) -> None:
    """The tasks of a small run that need no compiled kernels."""
    home, lake, day = folder / "readings", folder / "lake", date(2024, 1, 1)
    for name, text in FILES.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    path = lease_file(lake, home.name)
    with kept(path, take(path, "training", "set-up")):
        run = begin(str(home), day, day, "training", session=LateSession.of(spark), lake=lake, progress=Silent())
        load(run)
        slice_(run)


def work(archive: Path, folder: Path) -> None:
    """What a night touches: a small load, and what large ones do besides: Delta tables and an Arrow function."""
    from pyspark.sql.functions import col

    spark = start_session("train class archive", train_archive=archive)
    try:
        load_and_slice(spark, folder)
        days = spark.range(1000).selectExpr("id % 3 AS day", "id", "cast(id AS string) AS text")
        days.write.format("delta").partitionBy("day").save(f"{folder}/table")
        spark.sql(f"CREATE TABLE trained USING delta LOCATION '{folder}/table'")
        days.where("day = 1").repartition(2, "day").sortWithinPartitions("id").writeTo("trained").overwrite(
            col("day") == 1
        )
        spark.sql("SELECT day, count(*), max(text) FROM trained GROUP BY day ORDER BY day").collect()
        spark.table("trained").mapInArrow(lambda batches: batches, "day long, id long, text string").toArrow()
        spark.sql("DESCRIBE HISTORY trained").collect()
    finally:
        spark.stop()


def train(archive: Path) -> str | None:
    """Write the archive; returns the reason if that fails. The file appears whole or not at all."""
    archive = archive.absolute()
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.unlink(missing_ok=True)
    environment = {**os.environ, "TRENDMILL_CACHE": str(places.cache())}
    with TemporaryDirectory(dir=archive.parent) as scratch:
        written = Path(scratch, archive.name)
        command = [sys.executable, str(Path(__file__).resolve()), str(written), scratch]
        try:
            # The JVM writes the file after Python has ended, and keeps our pipe open until it is done.
            done = subprocess.run(
                command,
                cwd=scratch,  # Spark leaves an empty warehouse folder where it starts
                env=environment,
                capture_output=True,
                text=True,
                timeout=60 * MINUTES_AT_MOST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"it took more than {MINUTES_AT_MOST} minutes"
        if done.returncode or not written.is_file():
            return ((done.stderr + done.stdout).strip().splitlines() or ["Java wrote none"])[-1].strip()
        written.replace(archive)
    return None


def main() -> None:
    if len(sys.argv) == 3:
        work(Path(sys.argv[1]), Path(sys.argv[2]))
        return
    reason = train(places.class_archive())
    if reason:
        print(f"no class archive ({reason}); Spark starts some seconds slower, nothing else differs")
    else:
        print(f"class archive of {places.class_archive().stat().st_size / 1e6:.0f} MB, so that Spark starts faster")


if __name__ == "__main__":
    main()
