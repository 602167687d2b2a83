"""Grids of experiments on a lake: measured once, resumed after a failure, skipped without data, shown on a page."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from jobs import places, spark_task
from jobs.lake.leasing.lease import lease_file, read
from jobs.stages import experiment
from tests.runs.lake.lakes import CommandLine, SmallLake

pytestmark = pytest.mark.spark

GRID = """
title: Q1 in small
log: {generate: quotes, quotes: 3000, companies: 20}
queries: {Q1: {}}
axes: {window: [150, 300], load: [1.3, 1.6]}
strategies: [none, pSPICE, PM-BL, E-BL]
seeds: 3
bound_ms: 5
costs: {state: 1000, event: 8000, lookup: 5, sort: 1, drop: 50, draw: 10}
over_time: true
relations:
  bound_breaks_without:
  keeps_the_bound: {because: set-up, why: A reason.}
  events_gain: {because: data, why: Another reason.}
"""

READING = """
title: Q1 on trades
log: {read: trades, files: nowhere/trades.csv}
queries: {Q1: {window: 100}}
axes: {load: [1.3]}
strategies: [pSPICE]
seeds: 1
bound_ms: 5
costs: {}
"""

LABELS = """
title: Doors beside labels
log: {normal: n.gz, abnormal: a.gz}
sequences: doors
atoms: {opened: 1, closed: [2, 3]}
policies: {what opens closes: opened IMPLIES EVENTUALLY closed}
"""


@pytest.fixture
def grids(copied: SmallLake) -> Path:
    """The copied workload's folder with a grid, and one whose data is not there."""
    folder = copied.home / "experiments"
    folder.mkdir()
    (folder / "small.yaml").write_text(GRID)
    (folder / "trades.yaml").write_text(READING)
    return folder


def rows_of(lake: SmallLake) -> list[dict[str, object]]:
    """The grid's measurements, in an order of their own."""
    rows = [row for row in lake.table("experiments").to_pylist() if str(row["experiment"]).startswith("grid:")]
    return sorted(rows, key=lambda row: (row["parameters"], row["strategy"], row["seed"], row["metric"]))


def test_a_grid_is_measured_once(trendmill: CommandLine, copied: SmallLake, grids: Path, tmp_path: Path) -> None:
    """Six cells; the second time all are known; a page tells what the paper says and whether it holds."""
    code, printed = trendmill("experiment")
    assert code == 0, printed
    assert "6 cell(s) of 1 grid(s) measured, 0 known, 1 grid(s) skipped" in printed
    assert "skipped trades: no nowhere/trades.csv" in printed
    measured = rows_of(copied)
    assert len({(row["parameters"], row["seed"]) for row in measured}) == 2 * 2 * 3
    [page] = (Path(line) for line in printed.splitlines() if line.endswith("experiments/index.html"))
    text = page.read_text()
    assert "Q1 in small" in text
    assert "Without shedding the bound would break." in text
    assert text.count("<h2") == 2  # the grid that is measured, and all others under one heading
    assert "0 of 1 cell<" in text
    assert {"small-lost.svg", "small-lost.csv", "small-latency.svg"} <= {file.name for file in page.parent.iterdir()}
    code, printed = trendmill("experiment", "--grid", "small")
    assert code == 0, printed
    assert "0 cell(s) of 1 grid(s) measured, 6 known" in printed
    assert rows_of(copied) == measured
    assert page.read_text() == text


def test_a_killed_grid_goes_on(
    trendmill: CommandLine, copied: SmallLake, grids: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails in its second wave; the next run measures only what was not committed, and the table is the same."""
    monkeypatch.setattr(experiment, "WAVE", 1)
    waves, write = [], experiment.replace

    def failing(*arguments: object) -> None:
        waves.append(arguments)
        if len(waves) == 2:
            raise OSError("no space left")
        write(*arguments)

    monkeypatch.setattr(experiment, "replace", failing)
    code, printed = trendmill("experiment", "--grid", "small")
    assert code == 1
    assert "no space left" in printed
    committed = rows_of(copied)
    assert committed
    code, printed = trendmill("experiment", "--grid", "small")
    assert code == 0, printed
    counts = re.search(r"(\d+) cell\(s\) of 1 grid\(s\) measured, (\d+) known", printed)
    assert counts is not None
    assert int(counts[1]) + int(counts[2]) == 6
    assert int(counts[2]) == len({(row["parameters"], row["seed"]) for row in committed}) / 2 > 0
    resumed = rows_of(copied)
    (grids / "small.yaml").rename(grids / "again.yaml")
    code, printed = trendmill("experiment", "--grid", "again")
    assert code == 0, printed
    of_name = {
        name: [
            {key: value for key, value in row.items() if key != "experiment"}
            for row in rows_of(copied)
            if str(row["experiment"]).startswith(f"grid:{name}:")
        ]
        for name in ("small", "again")
    }
    assert of_name["small"] == of_name["again"]
    assert len(resumed) == len(of_name["small"])


def test_a_wrong_grid_is_told(trendmill: CommandLine, grids: Path) -> None:
    """By `experiment` and by `check`, with the file and the key; an unknown grid with the nearest one."""
    code, printed = trendmill("experiment", "--grid", "smal")
    assert code == 2
    assert "'small'" in printed
    (grids / "small.yaml").write_text(GRID.replace("strategies: [none", "strategies: [nothing"))
    for command in ("experiment", "check"):
        code, printed = trendmill(command)
        assert code == 2
        assert "experiments/small.yaml: strategies: no 'nothing'" in printed


def test_the_schedulers_task_measures_every_cell(
    trendmill: CommandLine, copied: SmallLake, grids: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As spark-submit calls it. It gives the lease back: another run need not wait until it expires."""
    day = ["--from", "2024-01-01", "--to", "2024-01-01", "--run-id", "evaluation"]
    assert spark_task.main(["--workload", str(copied.home), "--task", "experiment", *day]) == 0
    assert len({(row["parameters"], row["seed"]) for row in rows_of(copied)}) == 2 * 2 * 3
    assert read(lease_file(places.lake(), "machines")) is None
    code, printed = trendmill("experiment")
    assert code == 0, printed
    assert "0 cell(s) of 1 grid(s) measured, 6 known" in printed


def test_a_grid_beside_labels_is_measured_once_its_data_is_there(
    trendmill: CommandLine, copied: SmallLake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without its files it is skipped by name; with them it has one cell, and the page has a row for each policy."""
    folder = copied.home / "experiments"
    folder.mkdir()
    (folder / "doors.yaml").write_text(LABELS)
    monkeypatch.setenv("TRENDMILL_STAND_INS", str(tmp_path))
    code, printed = trendmill("experiment")
    assert code == 0, printed
    assert "skipped doors: no n.gz, a.gz" in printed
    (tmp_path / "n.gz").write_bytes(gzip.compress(b"a,1 2\n"))
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"b,1 4\nc,4\n"))
    for known in (0, 1):
        code, printed = trendmill("experiment")
        assert code == 0, printed
        assert f"{1 - known} cell(s) of 1 grid(s) measured, {known} known" in printed
    assert {row["value"] for row in rows_of(copied) if row["metric"] == "recall"} == {0.5}
    [page] = (Path(line) for line in printed.splitlines() if line.endswith("experiments/index.html"))
    text = page.read_text()
    assert "Of 3 doors 2 were labelled abnormal." in text
    assert '<td class="prose">what opens closes</td>' in text
    assert "Not measured yet" not in text
