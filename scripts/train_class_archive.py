"""Make the JVM's class archive once, so that every later Spark session starts in half the time (docs/performance.md).

A Java process that saw a Delta write and read dumps its loaded classes when it exits; later ones map that file
instead of loading and verifying 20,000 classes again. The archive belongs to one Java and one set of jars. It is a
convenience: where it cannot be made (a Java without a base archive, a small disk), this says so and sessions start
without it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from jobs import places
from jobs.lake.session import start_session

MINUTES_AT_MOST = 5


def work(archive: Path, folder: str) -> None:
    """A small job that touches what a night touches: create, replace a range, read, SQL, an Arrow function."""
    from pyspark.sql.functions import col

    spark = start_session("train class archive", train_archive=archive)
    try:
        days = spark.range(1000).selectExpr("id % 3 AS day", "id", "cast(id AS string) AS text")
        days.write.format("delta").partitionBy("day").save(folder)
        spark.sql(f"CREATE TABLE trained USING delta LOCATION '{folder}'")
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
        command = [sys.executable, str(Path(__file__).resolve()), str(written), str(Path(scratch, "table"))]
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
        work(Path(sys.argv[1]), sys.argv[2])
        return
    reason = train(places.class_archive())
    if reason:
        print(f"no class archive ({reason}); Spark starts some seconds slower, nothing else differs")
    else:
        print(f"class archive of {places.class_archive().stat().st_size / 1e6:.0f} MB, so that Spark starts faster")


if __name__ == "__main__":
    main()
