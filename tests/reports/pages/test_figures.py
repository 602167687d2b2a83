"""Drawings: the same bytes for the same numbers, any size of numbers, one look for each strategy, dark pages."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.tones import DARK, INK, SERIES
from jobs.reports.answers.aggregations.ranking import rank
from jobs.reports.answers.changes import Change
from jobs.reports.comparisons.slicing_comparison import MeasuredSlicing, SlicingComparison
from jobs.reports.figures.distribution import distribution_figure
from jobs.reports.figures.drawing.figure import NARROW, WIDE, Figure, drawn
from jobs.reports.figures.drawing.time_axis import explodes, label_times
from jobs.reports.figures.more_workers import more_workers_figure
from jobs.reports.figures.rhythm import rhythm_figure
from jobs.reports.figures.slicing_loads import strategies_figure
from jobs.reports.figures.trailing import trailing_figure
from jobs.reports.figures.when import when_figure
from jobs.reports.figures.windows import windows_figure
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import Magnitude
from jobs.stages.measuring.wall_time import WORKERS, Cut, Work, walls
from tests.counts import few
from tests.reports.answers.test_aggregation import GROUPED, PLAIN, aggregated, row

DAY = date(2013, 3, 8)
INTERVAL = (1362729600, 1362816000)
CLOCK = Clock("s", "America/New_York")


def letters(figure: Figure, *, narrow: bool = False) -> list[str]:
    """Every text of a drawing."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawn(figure, narrow=narrow))


def trailing(*values: Magnitude, today: Magnitude) -> Figure:
    before = {DAY - timedelta(days=n + 1): value for n, value in enumerate(values)}
    figure = trailing_figure({"a_query": Change(today, before)}, DAY)
    assert figure is not None
    return figure


def windows(text: str, *rows: dict[str, object]) -> Figure:
    figure = windows_figure(aggregated(text)[0], "q", rank(*aggregated(text, *rows)), DAY, CLOCK)
    assert figure is not None
    return figure


@few(50)
@given(
    st.integers(0, 86_400 * 366),
    st.one_of(st.integers(0, 7200), st.integers(0, 86_400)),
    st.sampled_from(["UTC", "America/New_York", "Asia/Kolkata"]),
    st.booleans(),
)
def test_an_axis_of_times_has_ticks(into_year: int, length: int, zone: str, narrow: bool) -> None:
    """Also of one minute, or of one moment: each where its words say, in local time."""
    plot, clock, first = Plot(600, 200, narrow=narrow), Clock("s", zone), 1_704_067_200 + into_year
    origin = first // 3600 * 3600
    label_times(plot, clock, origin, first, first + length)
    ticks = plot.x.ticks_for(*plot.x.reach([]), 500)
    assert 1 <= len(ticks) <= 10
    for tick in ticks:
        moment = clock.at(origin + round(tick.at * 3600))
        assert tick.lines[0] in (f"{moment:%H:%M}", f"{moment:%H:%M:%S}")
        assert moment.second == 0 or tick.lines[0].count(":") == 2


def test_the_same_numbers_give_the_same_bytes() -> None:
    """No date, no version, no random identifier; two figures of a page do not share identifiers."""
    first, again = (trailing(Magnitude.of(3), today=Magnitude.of(9)) for _ in range(2))
    assert drawn(first, narrow=False) == drawn(again, narrow=False)
    assert "<metadata" not in drawn(first, narrow=False)


@pytest.mark.parametrize("narrow", [False, True])
def test_drawings_have_the_width_of_their_page(narrow: bool) -> None:
    """A phone gets its own drawing, not a small one."""
    text = drawn(trailing(Magnitude.of(3), today=Magnitude.of(9)), narrow=narrow)
    assert f'width="{(NARROW if narrow else WIDE) * 72:g}pt"' in text


def test_dark_pages_get_dark_drawings() -> None:
    """Every colour of the palette has its counterpart, and drawings use no colour without one."""
    figure = windows(GROUPED, *(row(n + 1, window=w, who=f"w{n}") for n in range(9) for w in range(3)))
    text = drawn(figure, narrow=False)
    assert "prefers-color-scheme: dark" in text
    used = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", text.split("</style>", 1)[1]))
    assert used <= set(DARK)
    assert {look.colour for look in SERIES} <= set(DARK)


def test_counts_beyond_floats_are_drawn_on_a_logarithmic_axis() -> None:
    """10^5000 is no float; its logarithm is."""
    rows = [row(None, window=0, log10=5000.0, who="u"), row(7, window=1, log10=0.845, who="u")]
    figure = windows(GROUPED, *rows)
    assert "trends (log scale)" in letters(figure)
    assert any(re.fullmatch(r"1e\d{4}", text) for text in letters(figure))
    assert explodes([Magnitude.of(10**7)])
    assert not explodes([Magnitude.of(20), Magnitude.of(300)])


def test_logarithmic_axes_are_labelled_in_plain_text() -> None:
    """Letters stay letters in a drawing, so no label may be a formula."""

    def draw(plot: Plot) -> None:
        plot.line([20, 90], [1e-3, 1e8], Stroke(INK))
        plot.x.logarithmic = plot.y.logarithmic = True

    drawing = drawn(Figure("powers", "alt", "caption", ("x", "y"), [(20, 0.001), (90, 1e8)], draw), narrow=False)
    assert {"10⁸", "20", "50"} <= set(re.findall(">([^<]+)<", drawing))
    assert "$" not in drawing


def test_one_window_is_drawn_as_bars_with_their_numbers() -> None:
    """Nothing can be seen of a line with one point."""
    figure = windows(GROUPED, row(12, who="u"), row(3, who="v"))
    assert {"u", "v", "12", "3"} <= set(letters(figure))
    assert windows(PLAIN, row(5)).header[0] == "group"


def test_a_figure_of_nothing_does_not_exist() -> None:
    """Pages say so in words."""
    query, results = aggregated(GROUPED)
    assert windows_figure(query, "q", rank(query, results), DAY, CLOCK) is None
    assert rhythm_figure({}, {}, [], INTERVAL, DAY, CLOCK) is None
    assert trailing_figure({"q": Change(Magnitude.of(1), {})}, DAY) is None
    assert when_figure({"q": {3: Magnitude.of(0)}}, {"q": str}, [], INTERVAL, DAY, CLOCK) is None
    assert strategies_figure(SlicingComparison({"queries": ["q"], "lower_bound": None}, [])) is None


def test_more_workers_are_drawn_with_every_part() -> None:
    """A line for each part and for the whole, from one worker on; two numbers of workers make no drawing."""
    looked_at = walls(Work(5.0, 1e6, {"q": 900.0}), lambda workers: [Cut(("q",), 1e6, 1 / workers, 1.0)])
    figure = more_workers_figure(looked_at, DAY)
    assert figure is not None
    assert {"start and driver", "divided", "evaluate", "together", "1", "1,024"} <= set(letters(figure))
    assert "16 min with 1 worker" in figure.alt
    assert f"n = {len(looked_at)} numbers of workers" in figure.caption
    assert [row[0] for row in figure.rows] == [wall.workers for wall in looked_at] == list(WORKERS)
    assert more_workers_figure(looked_at[:2], DAY) is None


def test_figures_count_what_they_show() -> None:
    """Captions name n; alternative texts tell the finding."""
    today = {("A", 3): 5, ("B", 4): 7}
    before = {DAY - timedelta(days=1): {3: 4}, DAY - timedelta(days=2): {}}
    figure = rhythm_figure(today, before, ["A", "B"], INTERVAL, DAY, CLOCK)
    assert figure is not None
    assert "n = 12 events" in figure.caption
    assert "median and range of the 2 loaded days before" in figure.caption
    assert "the most in one hour: 8 Mar 07:00 to 08:00" in figure.alt
    assert [line[1:4] for line in figure.rows][3:5] == [[5, 0, 2.0], [0, 7, 0.0]]


def test_strategies_show_the_lower_bound() -> None:
    """Lowest maximum load first, as shares, beside the bound."""
    measured = [MeasuredSlicing("broadcast", {}, 0.5, 2.0, 1.5), MeasuredSlicing("plan in use", {}, 0.75, 1.0, 2.0)]
    plan = {"plan_id": "ab", "queries": ["q"], "slices": 4, "lower_bound": 0.25, "first_day": DAY, "last_day": DAY}
    figure = strategies_figure(SlicingComparison(plan, measured))
    assert figure is not None
    assert {"lower bound", "50 %, 2.00 copies", "75 %, 1.00 copies"} <= set(letters(figure))
    assert "The lower bound is 25 %." in figure.caption


@pytest.mark.filterwarnings("error")
def test_strategies_of_a_day_without_relevant_events_have_room() -> None:
    plan = {"plan_id": "ab", "queries": ["q"], "slices": 4, "lower_bound": 0.0, "first_day": DAY, "last_day": DAY}
    figure = strategies_figure(SlicingComparison(plan, [MeasuredSlicing("plan in use", {}, 0.0, None, None)]))
    assert figure is not None
    assert "0 %" in letters(figure)


def test_hostile_texts_stay_texts_in_drawings() -> None:
    """Markup and formulas in values are neither XML nor mathematics."""
    figure = windows(GROUPED, row(12, who="<script>$x^2$"), row(3, who="a&b"))
    assert {"&lt;script&gt;$x^2$", "a&amp;b"} <= set(letters(figure))


def test_a_distribution_sets_today_over_the_days_before() -> None:
    """A row a group, largest first; n of today and of before; what exceeds everything before is said in words."""
    today = [row(10 ** (n + 1), window=n, who=who) for who in "uv" for n in range(4 if who == "u" else 6)]
    before = [{**row(30, window=-24 * n, who="v"), "day": DAY - timedelta(days=n)} for n in (1, 2, 3)]
    query, results = aggregated(GROUPED, *today)
    earlier = pa.Table.from_pylist(before)
    figure = distribution_figure(query, "q", rank(query, results), earlier, DAY)
    assert figure is not None
    assert [row[0] for row in figure.rows] == ["v"] * 9 + ["u"] * 4
    assert "Above everything before: v." in figure.alt
    assert "n = 10 results certain on 8 March 2013" in figure.caption
    assert "the 3 results of 3 days before" in figure.caption
    assert {"v", "u", "trends in one window (log scale)"} <= set(letters(figure))
    none = earlier.slice(0, 0)
    assert distribution_figure(query, "q", rank(query, results.slice(0, 7)), none, DAY) is None
    alone = distribution_figure(query, "q", rank(query, results), none, DAY)
    assert alone is not None
    assert "There is no earlier day to compare with." in alone.caption
