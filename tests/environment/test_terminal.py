"""What a person sees of `make nightly`: the stages' lines, without what Spark says at each start."""

from __future__ import annotations

import io
from typing import Any


def test_only_sparks_greetings_are_left_out(script: Any) -> None:
    """Lines come whole, however they are written; errors and warnings of the work itself stay."""
    seen = io.StringIO()
    out = script("run_dag").WithoutGreetings(seen)
    out.write("26/11/21 11:26:48 INFO SparkContext: Running Spark version 4.2.0\nload     ")
    out.write("  ...\nSpark-Submit cmd: spark-submit --master local[2]\n")
    out.write('26/11/21 11:26:49 ERROR TaskSetManager: lost\nSetting Spark log level to "ERROR".\n')
    assert seen.getvalue() == "load       ...\n26/11/21 11:26:49 ERROR TaskSetManager: lost\n"
