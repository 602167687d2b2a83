"""A comparison of shedding strategies with given losses, and what its first sentence begins with."""

from __future__ import annotations

from jobs.reports.comparisons.shedding_comparison import SheddingComparison
from jobs.reports.comparisons.shedding_rows import shedding_of
from jobs.reports.words.clock import Clock
from tests.reports.lake.small_days import DAY
from tests.reports.lake.small_shedding import CHOICE, LEAST, measured

TOLD = "At 140 % load over the busiest 3 hours"
CLOCK = Clock("s", "America/New_York")


def of(choice: float = CHOICE, least: float = LEAST, **lost: float) -> SheddingComparison:
    """A day on which strategies lost so much; `_` stands for a blank, `late_X` is how often X broke the bound."""
    late = {name.removeprefix("late_"): share for name, share in lost.items() if name.startswith("late_")}
    kept = {name: share for name, share in lost.items() if not name.startswith("late_")}
    names = {"PM_BL": "PM-BL", "E_BL": "E-BL", "trend_counts": "trend counts"}
    shedding = shedding_of(
        measured(
            DAY,
            {names.get(name, name): share for name, share in kept.items()},
            {names.get(name, name): share for name, share in late.items()},
            choice=choice,
            least=least,
        )
    )
    assert shedding is not None
    return shedding
