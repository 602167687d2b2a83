"""`trendmill report`: what it prints and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.cli import main
from tests.reports.lake.small_days import EMPTY, HOLE


@pytest.mark.usefixtures("places")
def test_it_prints_the_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The path of each day's first page; days that the lake lacks are named, and none at all is a failure."""
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path))
    assert main(["report", "lines", "--day", str(EMPTY)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/lines/{EMPTY}/index.html\n"
    assert main(["report", "lines", "--day", str(HOLE)]) == 1
    assert capsys.readouterr().out == f"{HOLE}: not in the lake, nothing to publish\n"


@pytest.mark.usefixtures("places")
def test_wrong_arguments_end_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    """A period that ends before it begins, and a workload that is not there."""
    assert main(["report", "lines", "--day", "2013-03-08", "--to", "2013-03-07"]) == 2
    assert "--to 2013-03-07 lies before --day 2013-03-08" in capsys.readouterr().err
    assert main(["report", "no_such_workload", "--day", "2013-03-08"]) == 2
