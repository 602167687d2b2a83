"""The gate's judges: processes that run Great Expectations, and that start before they are needed.

Importing the library takes 6 s of a core. In this process the run would wait for it, even in a thread: Python runs one
thread at a time, and building Spark's plans is Python too. In another process it happens while Spark starts. Runs over
months get a judge for each core; each judges a share of the days.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from types import TracebackType

from jobs.quality.gate import Check, judge
from jobs.quality.judged_rows import JudgedRows
from jobs.signals import end_with_parent
from jobs.workload.sections.expectations import GateRule

DAYS_OF_A_JUDGE = 30
"""The days for one judge; for more days it is worth starting another."""


class Judges:
    """Judges for about `days` days. They end with this context, and with this process even if it is killed."""

    def __init__(self, days: int) -> None:
        self._number = max(1, min(os.cpu_count() or 1, days // DAYS_OF_A_JUDGE))
        # Spawned, not forked: this process has threads, a JVM's sockets among them.
        spawn = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(self._number, spawn, initializer=_arrive)
        for _ in range(self._number):
            self._pool.submit(os.getpid)

    def __enter__(self) -> Judges:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    def judge(
        self, rules: Sequence[GateRule], datasets: Mapping[str, JudgedRows], days: Sequence[date]
    ) -> dict[date, tuple[Check, ...]]:
        """Each day's checks, by `jobs.quality.gate.judge`; raises what it raises."""
        # Read-only views of dicts cannot be sent to another process.
        sent = [replace(rule, arguments=dict(rule.arguments)) for rule in rules]
        shares = [days[first :: self._number] for first in range(self._number)]
        begun: list[Future[dict[date, tuple[Check, ...]]]] = [
            self._pool.submit(judge, sent, {over: rows.of_days(share) for over, rows in datasets.items()}, share)
            for share in shares
            if share
        ]
        return {day: checks for share in begun for day, checks in share.result().items()}


@contextmanager
def judges_for(task_loads: bool, days: int) -> Iterator[Judges | None]:
    """Judges that start while the block begins, if it will load enough days; else none."""
    if not task_loads:
        yield None
        return
    with Judges(days) as judges:
        yield judges


def _arrive() -> None:
    """The start of a judge: it watches the process that waits for it, and imports the library."""
    end_with_parent()
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    import great_expectations  # noqa: F401
