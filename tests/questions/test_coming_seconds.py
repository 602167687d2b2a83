"""How long a run may take: fitted to earlier runs, and never below nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.cli import main
from jobs.questions.coming_run.seconds import PastRuns, expected
from tests.questions.lines import lines

RUNS = st.lists(st.tuples(st.integers(0, 10**8), st.floats(0.001, 10**4)), min_size=1, max_size=8)


@given(st.integers(0, 10**4), st.integers(1, 10**3), st.sets(st.integers(0, 10**7), min_size=2, max_size=6))
def test_a_line_is_found(fixed: int, slope: int, sizes: set[int]) -> None:
    """Seconds that are a fixed part and a part for each event."""
    runs = [(size, fixed + slope * size / 10**4) for size in sorted(sizes)]
    for size in (0, 12_345, 10**7):
        assert expected(runs, size) == pytest.approx(fixed + slope * size / 10**4, rel=1e-3, abs=0.1)


@given(RUNS, st.integers(0, 10**8), st.integers(0, 10**8))
def test_more_events_take_no_less(runs: list[tuple[int, float]], events: int, more: int) -> None:
    """Whatever was measured."""
    assert 0 <= expected(runs, events) <= expected(runs, events + more) + 1e-6


def test_a_task_without_earlier_runs_is_not_known() -> None:
    """Of a task whose stages are known in part, the known ones count."""
    past = PastRuns({"ingest": [(10, 2.0)], "validate": [(10, 1.0)]}, [(1, 3.0), (1, 5.0)])
    assert past.of_task("load", 10, 1) == 3.0
    assert past.of_task("evaluate", 10, 1) is None
    assert past.of_task("publish", 0, 3) == 12.0


def test_a_dry_run_of_an_empty_lake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every day is new, no seconds are known, and no folder comes into being. Options that do nothing are refused."""
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path / "reports"))
    home = str(lines(tmp_path))
    days = ("--from", "2013-03-02", "--to", "2013-03-03")
    assert main(["run", home, *days, "--select", "snowball", "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "lines: what a run would do",
        "  load      2013-03-01: new, and within reach of what is evaluated",
        "  load      2013-03-02..2013-03-03: new",
        "  evaluate  2013-03-02..2013-03-03: snowball: no result yet",
        "  publish   2013-03-02..2013-03-03",
        "  reads     0.0 MB of sources as text; the events of 2013-03-01..2013-03-03",
        "  takes     not known: no earlier run",
    ]
    assert not (tmp_path / "lake").exists()
    (tmp_path / "reports" / "lines" / "2013-03-01").mkdir(parents=True)
    (tmp_path / "reports" / "lines" / "2013-03-01" / "run.json").write_text('{"seconds": 4}')
    assert main(["run", home, *days, "--select", "snowball", "--dry-run"]) == 0
    takes = capsys.readouterr().out.splitlines()[-1]
    assert takes.startswith(
        "  takes     more than 8.0 s: publish 8.0 s (of all queries); Spark's start is not in it; of "
    )
    assert main(["run", home, *days, "--dry-run"]) == 0
    assert "(of all queries)" not in capsys.readouterr().out
    for arguments, said in (
        ([*days, "--dry-run", "--run-id", "x"], "--run-id goes on with a run, and --dry-run begins none"),
        ([*days, "--select", "snow"], "has no query 'snow'; did you mean 'snowball'?"),
        ([*days, "--stage", "publish", "--select", "snowball"], "--stage publish evaluates nothing"),
    ):
        assert main(["run", home, *arguments]) == 2
        assert said in capsys.readouterr().err
