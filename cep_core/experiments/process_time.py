"""The time that a call takes, for benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable


def least_seconds(run: Callable[[], object], times: int = 3) -> float:
    """The least process time of some calls: other work on the machine disturbs it least.

    >>> least_seconds(lambda: None) < 1
    True
    """
    spent = []
    for _ in range(times):
        begin = time.process_time()
        run()
        spent.append(time.process_time() - begin)
    return min(spent)
