"""A run that is paused while it writes: a program, `python -m tests.lake.leasing.paused_writer LAKE BEGUN GO_ON`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from jobs.exits import LeaseLost, exit_code, message
from jobs.lake import arrow_write
from jobs.lake.leasing.keeping import kept
from jobs.lake.leasing.lease import lease_file, take
from tests.lake.leasing.fenced_writes import held, overwrite


def main() -> int:
    lake, begun, go_on = (Path(argument) for argument in sys.argv[1:])
    path, commit = lease_file(lake, "fenced"), arrow_write.write_deltalake

    def slow(*arguments: Any, **keywords: Any) -> None:
        """A commit that waits for a file, after the write's transaction has begun."""
        begun.touch()
        while not go_on.exists():
            time.sleep(0.02)
        commit(*arguments, **keywords)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_write, "write_deltalake", slow)
        try:
            with kept(path, take(path, "first", "the first run")):
                overwrite(held(1), "fenced.answers")
        except LeaseLost as error:
            print(message(error), file=sys.stderr, flush=True)
            return exit_code(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
