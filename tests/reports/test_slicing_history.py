"""Slicing over the trailing 28 days: wins, margins, n, and days that were not compared."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from jobs.reports.comparisons.slicing_comparison import MeasuredSlicing, SlicingComparison, comparisons
from jobs.reports.comparisons.slicing_history import History, earlier_comparisons, history
from jobs.reports.figures.predicted_loads import predicted_loads_figure
from jobs.reports.figures.trailing_slicing import trailing_slicing_figure
from jobs.reports.lake_reader import LakeReader
from tests.reports.lake.reading import read
from tests.reports.lake.small_days import DAY, EMPTY, INCOMPLETE, SCRIPT
from tests.reports.pages.test_figures import letters


def compared(day: date, **loads: float) -> tuple[date, SlicingComparison]:
    measured = [MeasuredSlicing(name.replace("_", " "), {}, load, 1.0, 1.0) for name, load in loads.items()]
    measured.sort(key=lambda load: (load.load, load.strategy != "plan in use"))
    plan = {"plan_id": f"{day:%m%d}", "queries": ["late"], "slices": 4, "lower_bound": 0.25, "predicted_load": 0.3}
    return day, SlicingComparison(plan, measured)


def days(*loads: dict[str, float]) -> History:
    return History([compared(DAY - timedelta(days=len(loads) - 1 - n), **own) for n, own in enumerate(loads)])


def test_another_strategy_over_the_days() -> None:
    """Wins of all days compared, its mean margin against the plan in use, and who won else."""
    loads = [(0.4, 0.3), (0.2, 0.4), (0.4, 0.2)]
    past = days(*({"plan_in_use": used, "broadcast": broadcast} for used, broadcast in loads))
    assert past.clause("broadcast") == (
        "over the last 28 days it was best on 2 of 3 compared (plan in use on 1), on average 8.3 % above the "
        "plan in use"
    )
    [first, second] = past.records
    assert (first.strategy, first.wins, first.days, first.load) == ("broadcast", 2, 3, pytest.approx(0.3))
    assert first.margin == pytest.approx((0.25 - 1 + 0.5) / 3)
    assert (second.strategy, second.wins, second.margin) == ("plan in use", 1, 0.0)


def test_the_plan_in_use_over_the_days() -> None:
    """On days when another was better, by how much it was above that one; a tie is the plan's."""
    past = days({"plan_in_use": 0.3, "broadcast": 0.2}, {"plan_in_use": 0.3, "broadcast": 0.3})
    assert past.clause("plan in use") == (
        "over the last 28 days it was best on 1 of 2 compared (broadcast on 1), on average 25 % above the day's best"
    )
    always = days({"plan_in_use": 0.3, "broadcast": 0.4}, {"plan_in_use": 0.3, "broadcast": 0.4})
    assert always.clause("plan in use") == "over the last 28 days it was best on 2 of 2 compared"


def test_one_day_is_no_history() -> None:
    """Nothing is said of 28 days where today is the only one compared."""
    assert days({"plan_in_use": 0.3}).clause("plan in use") == ""


def test_days_without_rows_and_other_queries_are_left_out(places: Path) -> None:
    """Two days before were compared, one was not; today comes last."""
    reader = LakeReader(places / "lake" / "lines")
    [today], earlier = comparisons(reader, DAY), earlier_comparisons(reader, DAY)
    assert [day for day, _ in history(earlier, DAY, today).days] == [date(2013, 3, 5), date(2013, 3, 6), DAY]
    other_queries = SlicingComparison({**today.plan, "queries": ["snowball"]}, today.strategies)
    assert [day for day, _ in history(earlier, DAY, other_queries).days] == [DAY]
    later = DAY + timedelta(days=27)
    assert [day for day, _ in history(earlier_comparisons(reader, later), later, today).days] == [DAY, later]


def test_the_page_says_today_and_the_last_days(site: Path) -> None:
    """In its first sentence; the figure's numbers are those of the days."""
    page = read(site / "lines" / str(DAY) / "slicing.html")
    assert page.text("p", class_="finding") == [
        "For late_chains and snowball, hypercube with heavy hitters would have been best: its largest slice has 30 % "
        "of the events, 14 % less than the plan in use (35 %); over the last 28 days it was best on 1 of 3 compared "
        "(broadcast on 1 and plan in use on 1), on average 8.1 % below the plan in use."
    ]
    numbers = (site / "lines" / str(DAY) / "slicing-trailing-0011223344556677.csv").read_text(encoding="utf-8")
    assert numbers.splitlines() == [
        "day,best,best_load,plan_in_use_load,lower_bound",
        "2013-03-05,broadcast,0.4,0.5,0.25",
        "2013-03-06,plan in use,0.3,0.3,0.25",
        "2013-03-08,hypercube with heavy hitters,0.3,0.35,0.25",
    ]
    assert [SCRIPT, "0", "1", "100 %", "186 % larger"] in [
        page.text("td")[place : place + 5] for place, text in enumerate(page.text("td")) if text == SCRIPT
    ]


@pytest.mark.parametrize("day", [EMPTY, INCOMPLETE])
def test_a_day_without_a_plan_has_its_page(site: Path, day: date) -> None:
    """It says that nothing covers it."""
    [finding] = read(site / "lines" / str(day) / "slicing.html").text("p", class_="finding")
    assert finding.startswith("No slicing plan covers")


def test_the_drawing_names_winners_once() -> None:
    """The plan in use is a line, others are named in the legend once each, whatever the number of days."""
    past = days(*[{"plan_in_use": 0.4, "broadcast": 0.3}, {"plan_in_use": 0.2}] * 14)
    figure = trailing_slicing_figure(past)
    assert figure is not None
    texts = letters(figure)
    assert [texts.count(name) for name in ("plan in use", "broadcast", "lower bound")] == [1, 1, 1]
    assert "n = 28 days compared" in figure.caption
    assert "Days best: broadcast 14; plan in use 14." in figure.alt
    assert "8 Mar" in texts
    assert trailing_slicing_figure(History([compared(DAY)])) is None


def test_predicted_against_measured(site: Path) -> None:
    """B8: the figure's numbers by plan; 5 March is above 1.2 times its prediction, 8 March is not, so nothing warns."""
    numbers = (site / "lines" / str(DAY) / "slicing-predicted-0011223344556677.csv").read_text(encoding="utf-8")
    header, *rows = numbers.splitlines()
    assert header == "day,plan,predicted_load,measured_load,ratio"
    assert [row.split(",")[:4] for row in rows] == [
        ["2013-03-05", "0305030503050305", "0.3", "0.5"],
        ["2013-03-06", "0306030603060306", "0.3", "0.3"],
        ["2013-03-08", "0011223344556677", "0.3", "0.35"],
    ]
    assert not read(site / "lines" / str(DAY) / "slicing.html").text("p", class_="notice")


def test_a_load_far_above_its_prediction_warns() -> None:
    """Above 1.2 times, and no sooner; the days before are counted."""
    assert days({"plan_in_use": 0.36}).warning == ""
    assert "1.5 times what the plan predicted (30 %). Results are right" in days({"plan_in_use": 0.45}).warning
    past = days({"plan_in_use": 0.4}, {"plan_in_use": 0.3}, {"plan_in_use": 0.6})
    assert past.warning.startswith(
        "The largest slice of late has 60 % of the events, 2.0 times what the plan predicted (30 %); more than 1.2 "
        "times on 2 of the 3 measured days."
    )
    assert not days({"plan_in_use": 0.9}, {"broadcast": 0.9}).warning


def test_the_drawing_marks_what_is_too_high() -> None:
    figure = predicted_loads_figure(days({"plan_in_use": 0.3}, {"plan_in_use": 0.6}))
    assert figure is not None
    assert {"predicted", "measured", "above 1.2 times"} <= set(letters(figure))
    assert figure.alt.endswith("Above 1.2 times the prediction: 1 day.")
    calm = predicted_loads_figure(days({"plan_in_use": 0.3}, {"plan_in_use": 0.3}))
    assert calm is not None
    assert "above 1.2 times" not in letters(calm)
    assert predicted_loads_figure(days({"plan_in_use": 0.6})) is None


def test_other_numbers_of_slices_are_predicted(site: Path) -> None:
    """Fewest first, with the bound that no plan of so many slices beats; days without predictions say nothing."""
    page = read(site / "lines" / str(DAY) / "slicing.html")
    cells = [element.text for element in page.all("td", class_="number")]
    place = cells.index("60 %", cells.index("2"))
    assert cells[place - 1 : place + 7] == ["2", "60 %", "1.25", "5 %", "16", "7.5 %", "1.25", "5 %"]
    [section] = read(site / "lines" / str(EMPTY) / "slicing.html").text("main")
    assert "Predicted for other numbers of slices" not in section
