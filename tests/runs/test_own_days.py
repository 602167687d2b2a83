"""Grids over the workload's own days: loaded if need be, measured once, again when a day is corrected."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc
import pytest

from tests.runs.lake.lakes import CommandLine, SmallLake
from tests.runs.lake.small_workload import day, write_day

pytestmark = pytest.mark.spark

GRID = """
title: Climbs on the fourth day
log: {{read: events, train: [2013-01-01, 2013-01-03], judge: [2013-01-{judged}, 2013-01-{judged}]}}
queries: {{climbs: {{weight: 2}}}}
axes: {{training_days: [1, 3], load: [1.2, 1.8]}}
strategies: [none, pSPICE, PM-BL, E-BL, greedy look-ahead]
seeds: 2
bound_ms: 0.0002
costs: {{state: 6, event: 20, lookup: 1, draw: 1}}
relations:
  bound_breaks_without:
"""


@pytest.fixture
def grid(copied: SmallLake) -> Path:
    """The copied workload's grid, on a day that its lake lacks and its source has."""
    folder = copied.home / "experiments"
    folder.mkdir()
    (folder / "climbs.yaml").write_text(GRID.format(judged="04"))
    return folder / "climbs.yaml"


def names_of(lake: SmallLake) -> set[str]:
    """The experiments of the grid that the lake holds: one for each state of its days."""
    return {name for name in lake.table("experiments")["experiment"].to_pylist() if name.startswith("grid:")}


def test_days_are_loaded_and_measured_once(trendmill: CommandLine, copied: SmallLake, grid: Path) -> None:
    """Two lengths of training, two seeds; as many matches as the query's own table lists; the answer on the page."""
    code, printed = trendmill("experiment")
    assert code == 0, printed
    assert "4 cell(s) of 1 grid(s) measured, 0 known" in printed
    assert day(3) in copied.table("events")["day"].to_pylist()
    names = names_of(copied)
    rows = [row for row in copied.table("experiments").to_pylist() if row["experiment"] in names]
    assert {row["parameters"] for row in rows} == {
        f'{{"load": {load}, "training_days": {days}}}' for load in (1.2, 1.8) for days in (1, 3)
    }
    [page] = (Path(line) for line in printed.splitlines() if line.endswith("experiments/index.html"))
    text = page.read_text()
    assert "Climbs on the fourth day" in text
    assert "of the matches, PM-BL" in text
    assert "days before that train the model" in text
    assert (page.parent / "climbs-lost.svg").exists()
    code, printed = trendmill("experiment")
    assert code == 0, printed
    assert "0 cell(s) of 1 grid(s) measured, 4 known" in printed
    assert page.read_text() == text
    copied.run(3, 3)
    listed = pc.sum(pc.equal(copied.table("climbs")["day"], day(3))).as_py()
    assert {row["value"] for row in rows if row["metric"] == "matches"} == {listed} != {0}


def test_a_corrected_day_is_measured_again(trendmill: CommandLine, copied: SmallLake, grid: Path) -> None:
    """The page shows the new numbers; those of the day as it was stay in the table."""
    code, printed = trendmill("experiment")
    assert code == 0, printed
    before = names_of(copied)
    file = copied.home / "data" / f"{day(2).isoformat()}.csv"
    file.write_text(file.read_text().replace(",m1,", ",m0,"))
    copied.run(2, 2)
    code, printed = trendmill("experiment", "--publish-only")
    assert code == 0, printed
    [page] = (Path(line) for line in printed.splitlines() if line.endswith("experiments/index.html"))
    assert "0 of 4 cells" in page.read_text()
    code, printed = trendmill("experiment")
    assert code == 0, printed
    assert "4 cell(s) of 1 grid(s) measured, 0 known" in printed
    assert "Not measured yet" not in page.read_text()
    assert len(before) == 1
    assert len(names_of(copied)) == 2


def test_a_day_that_nobody_has_is_told(trendmill: CommandLine, copied: SmallLake, grid: Path) -> None:
    """Its grid is skipped by name; a day that the gate refuses is as one that is not there."""
    grid.write_text(GRID.format(judged="06"))
    code, printed = trendmill("experiment")
    assert code == 0, printed
    assert "skipped climbs: no events of 2013-01-06 in the lake" in printed
    write_day(copied.home, 3, broken=True)
    grid.write_text(GRID.format(judged="04"))
    code, printed = trendmill("experiment")
    assert code == 0, printed
    assert "skipped climbs: no events of 2013-01-04 in the lake" in printed


def test_a_wrong_grid_is_told(trendmill: CommandLine, grid: Path) -> None:
    """With the file, the key and the nearest name."""
    for wrong, said in (
        (GRID.format(judged="04").replace("climbs: {weight", "climb: {weight"), "did you mean 'climbs'?"),
        (GRID.format(judged="04").replace("[1, 3]", "[1, 4]"), "there are 1 to 3 days to train on"),
        (GRID.format(judged="03"), "the days that train come before those that are judged"),
    ):
        grid.write_text(wrong)
        code, printed = trendmill("check")
        assert code == 2
        assert "experiments/climbs.yaml" in printed
        assert said in printed
