"""How long a run may take, by the seconds that stages of earlier runs took for so many events.

A stage's seconds are a line over the events of its days: a fixed part and a part for each event, fitted to the last
runs of the lake's journal (least squares, neither part below 0). One run, or several of one size, give its seconds, and
more in proportion beyond that size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jobs.lake.dataset import read_table
from jobs.runs.recorded_days import Ledger

LATEST = 20
"""Runs of a stage that are looked at, the last ones."""
STAGES = {
    "load": ("ingest", "validate"),
    "slice": ("statistics", "plan_slices", "slice_events"),
    "evaluate": ("evaluate", "compare"),
}
"""The stages of each task."""
PUBLISH = "publish"

Measured = Sequence[tuple[int, float]]
"""For each run of a stage: the events of its days, and its seconds."""


@dataclass(frozen=True)
class PastRuns:
    """The seconds of stages in earlier runs of a lake."""

    stages: Mapping[str, Measured]
    published: Measured
    """For each report: 1 day, and its seconds."""

    @property
    def many(self) -> int:
        """The most runs that a stage's seconds are taken from."""
        return max((len(measured) for measured in self.stages.values()), default=0)

    def of_task(self, task: str, events: int, days: int) -> float | None:
        """The seconds that a task may take for days with so many events; None if no earlier run has done it."""
        if task == PUBLISH:
            return float(np.mean([seconds for _, seconds in self.published])) * days if self.published else None
        measured = [self.stages[stage] for stage in STAGES[task] if stage in self.stages]
        return sum(expected(runs, events) for runs in measured) if measured else None


def past_runs(lake: Path, reports: Path, workload: str, ledger: Ledger) -> PastRuns:
    """What the journal of a lake and the records of its reports tell. Stages that failed do not count."""
    kept = read_table(lake / workload / "runs", ["day", "run_id", "stage", "status", "seconds", "started_at"])
    runs: dict[str, dict[tuple[object, ...], tuple[float, int]]] = {}
    for row in [] if kept is None else kept.sort_by("started_at").to_pylist():
        if row["status"] != "done":
            continue
        of_stage = runs.setdefault(row["stage"], {})
        run = (row["started_at"], row["run_id"])
        events = ledger.days[row["day"]].events if row["day"] in ledger.days else 0
        of_stage[run] = row["seconds"], of_stage.get(run, (0.0, 0))[1] + events
    stages = {
        stage: [(events, seconds) for seconds, events in list(of_stage.values())[-LATEST:]]
        for stage, of_stage in runs.items()
    }
    return PastRuns(stages, _published(reports / workload))


def _published(home: Path) -> Measured:
    """The seconds of the last reports."""
    if not home.is_dir():
        return []
    records = sorted(home.glob("*/run.json"), key=lambda path: path.stat().st_mtime)[-LATEST:]
    return [(1, float(json.loads(path.read_text(encoding="utf-8"))["seconds"])) for path in records]


def expected(measured: Measured, events: int) -> float:
    """The seconds of a stage for so many events.

    >>> expected([(100, 2.0)], 50), expected([(100, 2.0)], 200), expected([(100, 2.0), (300, 4.0)], 200)
    (2.0, 4.0, 3.0)
    """
    sizes = np.array([size for size, _ in measured], np.float64)
    seconds = np.array([taken for _, taken in measured])
    if len(set(sizes.tolist())) < 2:
        return float(seconds.mean() * max(events / max(sizes[0], 1), 1))
    slope, fixed = np.polyfit(sizes, seconds, 1)
    if slope < 0:
        slope, fixed = 0.0, seconds.mean()
    elif fixed < 0:
        slope, fixed = (sizes * seconds).sum() / (sizes * sizes).sum(), 0.0
    return round(float(fixed + slope * events), 6)
