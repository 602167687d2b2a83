"""What a person sees of `make nightly`: the stages' lines, without what Spark says at each start."""

from __future__ import annotations

import io
from datetime import date
from pathlib import Path
from typing import Any

import pytest


def test_only_sparks_greetings_are_left_out(script: Any) -> None:
    """Lines come whole, however they are written; errors and warnings of the work itself stay."""
    seen = io.StringIO()
    out = script("run_dag").WithoutGreetings(seen)
    out.write("26/11/21 11:26:48 INFO SparkContext: Running Spark version 4.2.0\nload     ")
    out.write("  ...\nSpark-Submit cmd: spark-submit --master local[2]\n")
    out.write('26/11/21 11:26:49 ERROR TaskSetManager: lost\nSetting Spark log level to "ERROR".\n')
    assert seen.getvalue() == "load       ...\n26/11/21 11:26:49 ERROR TaskSetManager: lost\n"


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
