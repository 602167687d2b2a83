"""A run that is paused while it writes: a program, `python -m tests.lake.paused_writer LAKE BEGUN GO_ON`."""

from __future__ import annotations

import sys
from pathlib import Path

from jobs.exits import LeaseLost, exit_code, message
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import lease_file, take
from jobs.lake.register import register
from jobs.lake.session import start_session
from tests.lake.test_fence import overwrite, slow


def main() -> int:
    lake, begun, go_on = (Path(argument) for argument in sys.argv[1:])
    spark = start_session("paused")
    path = lease_file(lake, "fenced")
    try:
        with kept(path, take(path, "first", "the first run")):
            register(spark, "fenced", lake)
            overwrite(slow(spark, 1, begun, go_on), "fenced.answers")
    except LeaseLost as error:
        print(message(error), file=sys.stderr, flush=True)
        return exit_code(error)
    finally:
        spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
