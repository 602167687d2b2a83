"""Drawings of days with thousands of episodes or windows show what can be told apart; those of few show each."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.drawing.tones import QUIET
from jobs.reports.answers.aggregations.ranking import rank
from jobs.reports.figures.distribution import ALIKE, distribution_figure
from jobs.reports.figures.distribution import EACH as EACH_WINDOW
from jobs.reports.figures.drawing.closeness import fewer_alike, joined, thinned
from jobs.reports.figures.drawing.figure import Figure, drawn
from jobs.reports.figures.violations.band import EACH, band_figure
from jobs.reports.words.clock import Clock
from tests.reports.answers.test_aggregation import GROUPED, aggregated, row

DAY, INTERVAL, SECONDS = date(2013, 3, 8), (1362729600, 1362816000), 86_400
DOT = "a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0z"
WHOLE = st.integers(0, 60)
ARROW = f'z" style="fill: {QUIET}"'
MERGED = "Episodes too close to be told apart are drawn as one."


def bands(*spans: tuple[int, int], reaching: int = 0) -> Figure:
    """Episodes from when to when, in seconds of the day; the last `reaching` of them may go on."""
    rows = [
        {
            "first_ts": INTERVAL[0] + begin,
            "last_ts": INTERVAL[0] + end,
            "points": 2,
            "touches_begin": False,
            "touches_end": len(spans) - number <= reaching,
        }
        for number, (begin, end) in enumerate(spans)
    ]
    episodes = pa.Table.from_pylist(rows)
    figure = band_figure("p", episodes, None, INTERVAL, DAY, Clock(), len(rows))
    assert figure is not None
    return figure


def lines_of(drawing: str) -> list[tuple[float, float]]:
    """From where to where bands are drawn, without those of no length."""
    [*courses] = re.findall(r'd="([^"]*)" style="fill: none; stroke: #0072b2; stroke-width: 6', drawing)
    ends = [re.findall(r"M([0-9.]+) [0-9.]+L([0-9.]+)", course) for course in courses]
    return [(float(begin), float(end)) for own in ends for begin, end in own if begin != end]


@pytest.mark.parametrize("narrow", [False, True])
def test_each_of_few_episodes_is_drawn(narrow: bool) -> None:
    """Also where they hide each other, and the caption says nothing of it."""
    figure = bands(*[(0, 30)] * EACH)
    drawing = drawn(figure, narrow=narrow)
    assert (drawing.count(DOT), len(lines_of(drawing))) == (EACH, EACH)
    assert MERGED not in figure.caption


@pytest.mark.parametrize("narrow", [False, True])
def test_of_many_episodes_those_that_can_be_told_apart_are_drawn(narrow: bool) -> None:
    """A thousand in the first hour, one that begins there and lasts, one alone in the evening that may go on."""
    figure = bands(*((3 * n, 3 * n + 1) for n in range(1000)), (60, SECONDS // 2), (80_000, 85_000), reaching=1)
    drawing = drawn(figure, narrow=narrow)
    first, second = lines_of(drawing)
    assert first[1] < second[0]
    assert 0 < drawing.count(DOT) < 30
    assert (MERGED in figure.caption, "n = 1,002 of 1,002 episodes" in figure.caption) == (True, True)
    assert len(figure.rows) == 1002
    alone = drawn(bands((80_000, 85_000), reaching=1), narrow=narrow)
    assert (drawing.count(ARROW), alone.count(ARROW)) == (1, 1)
    assert len(drawn(bands(*((n, n + 1) for n in range(50_000))), narrow=narrow)) < 50_000


def test_windows_at_one_place_are_drawn_twice_at_most() -> None:
    """Of more dots than a strip can show. The largest is always drawn."""
    few, many = ([row(10 + n % 7, window=n, who="u") for n in range(number)] for number in (EACH_WINDOW, 2000))
    for rows, dots, said in ((few, EACH_WINDOW, False), (many, ALIKE * 7 * 7, True)):
        query, results = aggregated(GROUPED, *rows)
        figure = distribution_figure(query, "q", rank(query, results), results.slice(0, 0), DAY)
        assert figure is not None
        drawing = drawn(figure, narrow=False)
        assert 14 <= drawing.count(DOT) <= dots
        assert (drawing.count(DOT) == dots) is not said
        assert (f"each dot is one window; of more at one place, {ALIKE} are drawn." in figure.caption) is said
        assert f"n = {len(rows):,} results" in figure.caption
        assert len(figure.rows) == len(rows)


@given(st.lists(st.tuples(WHOLE, WHOLE).map(lambda ends: (min(ends), max(ends))), max_size=12), st.integers(0, 4))
def test_joined_spans_cover_the_same_but_for_small_gaps(spans: list[tuple[int, int]], apart: int) -> None:
    spans.sort()
    merged = joined(spans, apart)
    moments = {moment / 2 for begin, end in spans for moment in range(2 * begin, 2 * end + 1)}
    covered = {moment / 2 for begin, end in merged for moment in range(int(2 * begin), int(2 * end) + 1)}
    assert moments <= covered
    assert {begin for begin, _ in merged} <= {begin for begin, _ in spans}
    assert {end for _, end in merged} <= {end for _, end in spans}
    assert all(after[0] - before[1] > apart for before, after in pairwise(merged))
    assert all(any(abs(moment - real) <= apart for real in moments) for moment in covered - moments)


@given(st.lists(WHOLE, max_size=20), st.integers(1, 5))
def test_no_place_is_far_from_one_that_is_kept(places: list[int], apart: int) -> None:
    kept = thinned(sorted(places), apart)
    assert set(kept) <= set(places)
    assert all(after - before >= apart for before, after in pairwise(kept))
    assert all(any(0 <= place - other < apart for other in kept) for place in places)


@given(st.lists(st.tuples(WHOLE, st.integers(0, 2)), max_size=30), st.integers(1, 9), st.integers(1, 3))
def test_a_cell_keeps_its_first_places(places: list[tuple[int, int]], apart: int, most: int) -> None:
    kept = fewer_alike(places, apart, most)
    cells = [(x // apart, y) for x, y in places]
    assert kept == [number for number, cell in enumerate(cells) if cells[:number].count(cell) < most]
