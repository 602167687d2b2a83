"""Spark's greetings do not reach a terminal; everything else that a JVM says does, however late."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from pathlib import Path

from jobs.lake.greeting import WithoutGreetings, without_greeting

GREETINGS = """WARNING: Using incubator modules: jdk.incubator.vector
26/11/22 13:00:24 WARN NativeCodeLoader: Unable to load native-hadoop library for your platform...
Using Spark's default log4j profile: org/apache/spark/log4j2-defaults.properties
Setting default log level to "WARN".
To adjust logging level use sc.setLogLevel(newLevel). For SparkR, use setLogLevel(newLevel).
Setting Spark log level to "ERROR".
"""
LAST_WORDS = "java.lang.OutOfMemoryError: Java heap space\n26/11/22 13:00:25 WARN TaskSetManager: Lost task\nnot ended"


def test_greetings_are_kept_back_and_all_else_passes(tmp_path: Path) -> None:
    """The child outlives the block, as a JVM does, and still reaches the terminal."""
    terminal_file = tmp_path / "terminal"
    child = f"import sys, time; sys.stderr.write({GREETINGS!r}); sys.stderr.flush(); time.sleep(0.2)"
    child += f"; sys.stderr.write({LAST_WORDS!r})"
    kept = os.dup(2)
    with terminal_file.open("wb") as terminal:
        os.dup2(terminal.fileno(), 2)
        try:
            with without_greeting():
                process = subprocess.Popen([sys.executable, "-c", child])
            os.write(2, b"ours\n")
        finally:
            os.dup2(kept, 2)
            os.close(kept)
    process.wait()
    for _ in range(500):
        if terminal_file.read_text().endswith("not ended"):
            break
        time.sleep(0.01)
    assert terminal_file.read_text() == "ours\n" + LAST_WORDS


def test_greetings_of_spark_submit_are_left_out_of_a_stream() -> None:
    """Lines come whole, however they are written; errors stay."""
    seen = io.StringIO()
    out = WithoutGreetings(seen)
    out.write("26/11/21 11:26:48 INFO SparkContext: Running Spark version 4.2.0\nload     ")
    out.write("  ...\nSpark-Submit cmd: spark-submit --master local[2]\n")
    out.write('26/11/21 11:26:49 ERROR TaskSetManager: lost\nSetting Spark log level to "ERROR".\n')
    out.write(GREETINGS)
    assert seen.getvalue() == "load       ...\n26/11/21 11:26:49 ERROR TaskSetManager: lost\n"
