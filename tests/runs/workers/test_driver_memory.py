"""What the driver needs for a result does not grow with its rows: it is merged and written range by range."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cep_core.compile import bind_text
from cep_core.language.settings import Settings
from tests.runs.workers.test_slice_worker import SCHEMA

ENDS, GROUPS = 5_000_000, 2_000_000


@pytest.mark.parametrize(("kind", "rows", "matches"), [("compact", ENDS, 2 * ENDS), ("groups", GROUPS, 0)])
def test_a_driver_merges_millions_of_rows_in_little_memory(kind: str, rows: int, matches: int, tmp_path: Path) -> None:
    """All rows are in the table. Merged at once, five million take 1.7 GB if compact, 1.2 GB if of groups."""
    command = [sys.executable, "-m", "tests.runs.workers.many_rows", kind, str(rows), str(tmp_path)]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[3])
    grown, written, counted = map(int, ended.stdout.split())
    assert (written, counted) == (rows, matches)
    assert grown < 500, f"{grown} MB"


@pytest.mark.parametrize(
    ("text", "file", "apart"),
    [
        ("RETURN COUNT(*) PATTERN Start S+ WITHIN 1 hour", "q.cep", {"": "window_start"}),
        ("PATTERN SEQ(Start a, Stop b) WITHIN 1 hour", "q.cep", {"": "", "_compact": "last_ts"}),
        ("Start(m, x) AND x > 7", "p.mfotl", {"": "", "_episodes": "", "_judged": "", "_why": ""}),
        ("ONCE Start", "p.mtl", {"": "", "_episodes": "", "_judged": "", "_why": "", "_truths": ""}),
    ],
)
def test_every_table_says_what_bounds_its_merge(text: str, file: str, apart: dict[str, str]) -> None:
    """Listings by their limits. Totals and compact rows, which have none, are merged range by range."""
    limits = Settings(max_matches=10, max_violations=10)
    tables = bind_text(f"-- What?\n{text}\n", SCHEMA, file, whole_log=False).evaluator(limits).tables
    assert {table.suffix: table.apart for table in tables} == apart
    assert all(table.bound for table in tables)
