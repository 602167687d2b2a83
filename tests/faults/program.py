"""Command lines one after the other in one program, which starts Spark once: a JVM for each takes half of a run.

Standard input has the words of a command line in each line, as JSON. What a command prints is followed by a line with
`ENDED` and its exit code. Pages are not drawn, and the quality gate judges in this process.
"""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack, nullcontext
from functools import cache
from unittest.mock import patch

from jobs import cli
from jobs.lake.session import start_session

ENDED = "command line ended with exit code"


def main() -> None:
    """Runs each command line until there are no more, or until one dies."""
    once = cache(lambda: start_session("faults"))
    with ExitStack() as patches:
        for name, stand_in in {
            "jobs.lake.session.start_session": lambda *_, **__: once(),
            "pyspark.sql.SparkSession.stop": lambda _: None,
            "jobs.tasks.application.judges_for": lambda *_: nullcontext(),
            "jobs.reports.figures.drawing.figure.drawn": lambda *_, **__: "<svg/>",
        }.items():
            patches.enter_context(patch(name, stand_in))
        for line in sys.stdin:
            code = cli.main(json.loads(line))
            sys.stderr.flush()
            print(f"{ENDED} {code}", flush=True)


if __name__ == "__main__":
    main()
