"""What a grid's page says first: what was lost, and whether strategies had a choice at all."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from unittest.mock import MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.experiments.grids.grid import grid_of
from cep_core.experiments.grids.summaries import summary_of
from cep_core.experiments.loads import described_load
from jobs.reports.experiments_page import answer_of
from jobs.reports.figures.grid import figures_of

GRID = grid_of(
    "small",
    {
        "title": "Q1",
        "log": {"generate": "quotes", "quotes": 9000},
        "queries": {"Q1": {"window": 500}},
        "axes": {"load": [1.4, 2.0]},
        "strategies": ["none", "pSPICE", "PM-BL", "E-BL", "clairvoyant"],
        "seeds": 1,
        "bound_ms": 5,
        "costs": {"event": 500},
    },
)
LOST = {"none": 0.0, "pSPICE": 0.1, "PM-BL": 0.2, "E-BL": 0.3, "clairvoyant": 0.0}
BEGIN = "At 140 % of the rate that the operator can bear pSPICE misses 10 % of the matches, PM-BL 20 %, E-BL 30 %"


def answered(**choices: tuple[float, float]) -> str:
    """With so many drops and such a share of choice for some strategies (`_`: a hyphen), at both loads."""
    of_strategies: dict[str, dict[str, float]] = {name: {"lost": lost} for name, lost in LOST.items()}
    for name, (drops, choice) in choices.items():
        of_strategies[name.replace("_", "-")] |= {"drops": drops, "choice": choice}
    rows = [
        {"strategy": name, "parameters": json.dumps({"load": load}), "metric": metric, "seed": 0, "value": value}
        for name, metrics in of_strategies.items()
        for load in (1.4, 2.0)
        for metric, value in metrics.items()
    ]
    return answer_of(GRID, summary_of(rows))


@pytest.mark.parametrize(
    ("further", "misses"), [(0.1, "10 %"), (0.1004, "10 %"), (0.15, "10 % to 15 %"), (0.08, "8 % to 10 %")]
)
def test_over_another_axis_a_range_is_told_where_its_ends_read_differently(further: float, misses: str) -> None:
    rows = [
        {"strategy": name, "parameters": json.dumps({"load": 1.4, "n": n}), "metric": "lost", "seed": 0, "value": value}
        for name, first in LOST.items()
        for n, value in ((1, first), (2, further if name == "pSPICE" else first))
    ]
    assert answer_of(GRID, summary_of(rows)).startswith(
        f"At 140 % of the rate that the operator can bear pSPICE misses {misses} of the matches, PM-BL 20 %, E-BL 30 %"
    )


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({}, ""),
        ({"pSPICE": (0.0, 1.0)}, ""),
        (
            {"pSPICE": (30.0, 1.0), "PM_BL": (10.0, 0.0)},
            " In 75 % of all drops strategies could choose, because not all partial matches had to be dropped.",
        ),
        (
            {"pSPICE": (10.0, 1.0), "PM_BL": (30.0, 0.0)},
            " In 25 % of all drops strategies could choose, because not all partial matches had to be dropped: too "
            "few to compare strategies.",
        ),
        # nobody can use one that knows the future
        (
            {"pSPICE": (10.0, 0.5), "clairvoyant": (1_000.0, 0.0)},
            " In 50 % of all drops strategies could choose, because not all partial matches had to be dropped.",
        ),
    ],
)
def test_a_grid_says_whether_there_was_a_choice(choices: dict[str, tuple[float, float]], sentence: str) -> None:
    """Weighted by drops, over all loads; little choice is said in words; rows of former versions count no drops."""
    assert answered(**choices) == f"{BEGIN}, clairvoyant 0 %.{sentence}"


@given(
    st.lists(st.sampled_from([1.2, 1.4, 1.8, 2.0]), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from([300, 500, 900]), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from([1, 4, 16]), min_size=1, max_size=3, unique=True),
    st.booleans(),
)
def test_a_line_has_one_value_of_each_further_axis(
    loads: list[float], windows: list[int], factors: list[int], varies_costs: bool
) -> None:
    """A grid of two loads was drawn as one line through both, and its caption named one. All numbers are in the CSV."""
    axes = {"load": loads, "window": windows} | ({"tau_factor": factors} if varies_costs else {})
    grid = replace(GRID, queries={"Q1": {}}, axes=axes)
    settings = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    rows = [
        {"strategy": name, "parameters": json.dumps(setting), "metric": metric, "seed": 0, "value": value}
        for name in LOST
        for number, setting in enumerate(settings)
        for metric, value in (("lost", number), ("match_probability", setting["window"]))
    ]
    [figure] = figures_of(grid, summary_of(rows))
    plot = MagicMock()
    figure.draw(plot)
    axis = "tau_factor" if varies_costs else "load" if len(loads) > 1 else "window"
    at = {"load": described_load(loads), "window": sorted(windows)[len(windows) // 2]}
    shown = sorted(
        (setting[axis], number)
        for number, setting in enumerate(settings)
        if all(name == axis or setting[name] == value for name, value in at.items())
    )
    lines = {call.kwargs["label"]: list(zip(*call.args[:2], strict=True)) for call in plot.line.call_args_list}
    assert lines == dict.fromkeys((name for name in LOST if name != "none"), shown)
    assert len(figure.rows) == len(settings) * len(lines)
    further = len(settings) // len(shown)
    assert figure.caption.endswith(f" one of {further} such settings; the numbers have all.") == (further > 1)
    assert (f"at {described_load(loads):.0%}".replace("%", " %") in figure.caption) == (axis != "load")
