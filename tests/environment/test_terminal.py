"""What a person sees at the end of `make nightly`: where the report is."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("dag", "page"),
    [
        ("nightly_nyc_flights", Path("nyc_flights/2013-03-08/index.html")),
        ("evaluation_nyc_flights", Path("nyc_flights/experiments/index.html")),
        ("maintenance", None),
    ],
)
def test_the_last_line_names_the_page_that_was_written(
    script: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, dag: str, page: Path | None
) -> None:
    """A night's is its day's, an evaluation's the experiments'; maintenance writes none."""
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path))
    assert script("run_dag").report_of(dag, date(2013, 3, 8)) == (page and tmp_path / page)
