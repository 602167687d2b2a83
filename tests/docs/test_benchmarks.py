"""The benchmark of tables watches kernels by their names: each query must still be answered by some of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).parents[2]
SHARES = 3
"""Each query is asked of logs with so many shares of relevant events."""


def test_the_benchmark_of_tables_sees_the_kernels_of_every_query() -> None:
    """A kernel that moves, or that a query no longer asks for, would be counted to the way from table to table."""
    arguments = ["benchmarks/table_to_table.py", "--events", "2000", "--calls", "1"]
    ran = subprocess.run([sys.executable, *arguments], cwd=HOUSE, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    heading, _, *lines, kept = ran.stdout.splitlines()
    assert heading.startswith("2,000 events")
    assert f" of {len(lines)} keep the budget" in kept
    assert len(lines) == SHARES * len({line.split("%")[0].rsplit(None, 1)[0] for line in lines}) > 0
    for line in lines:
        _, kernels, *_ = line.split("%")[1].split()
        assert float(kernels) > 0, line
