"""The first sentence of the Slicing page: which strategy would have been best today, and by how much."""

from __future__ import annotations

from jobs.reports.comparisons.slicing_comparison import MeasuredSlicing, SlicingComparison
from jobs.reports.pages.slicing import compared


def said(*loads: tuple[str, float]) -> str:
    measured = [MeasuredSlicing(name, {}, load, 1.0, 1.0) for name, load in loads]
    plan = {"plan_id": "ab", "queries": ["late"], "slices": 4, "lower_bound": 0.25}
    return compared(SlicingComparison(plan, measured))


def test_another_strategy_is_better() -> None:
    """By how much its largest slice is smaller than that of the plan in use."""
    assert said(("broadcast", 0.3), ("plan in use", 0.4)) == (
        "For late, broadcast would have been best: its largest slice has 30 % of the events, 25 % less than the plan "
        "in use (40 %)."
    )


def test_the_plan_in_use_is_best() -> None:
    """Against the next one, equals left out."""
    assert said(("plan in use", 0.3), ("partition key", 0.3), ("broadcast", 0.6)) == (
        "For late, the plan in use was best: its largest slice has 30 % of the events, 50 % below the next, broadcast."
    )
    assert said(("plan in use", 1.0)).endswith("100 % of the events, as with every other strategy.")


def test_nothing_measured() -> None:
    """Nothing is said."""
    assert said() == ""
