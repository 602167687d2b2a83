"""Plots of any values: XML that is well formed, words inside the drawing, ticks where they belong."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.drawing.axis import Scale
from cep_core.drawing.lettering import SIZE, SMALL, shortened, width_of
from cep_core.drawing.markers import marker_path
from cep_core.drawing.marks import Boxes, Marker, Polyline, Whiskers, Words
from cep_core.drawing.plot import Plot
from cep_core.drawing.svg import Stroke
from cep_core.drawing.ticks import power_ticks, round_ticks
from cep_core.drawing.tones import BLUE, DARK, INK, SERIES
from cep_core.experiments.slicing_strategies import STRATEGIES as SLICING
from cep_core.shedding.strategies import STRATEGIES as SHEDDING

WIDTH, HEIGHT = 270.0, 200.0
VALUES = st.floats(-1e12, 1e12, allow_nan=False)
POSITIVE = st.floats(1e-12, 1e12)
LETTERS = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cf", "Zl", "Zp")), max_size=40)


def elements(plot: Plot) -> list[ET.Element]:
    """Every element of the drawing, which must be XML."""
    return list(ET.fromstring(plot.svg()).iter())


def edges(text: ET.Element) -> tuple[float, float]:
    """Left and right of a text that is not turned."""
    wide = width_of(text.text or "", float(text.get("font-size", SIZE)))
    left = float(text.get("x", 0)) - wide * {"middle": 0.5, "end": 1.0}.get(text.get("text-anchor", ""), 0.0)
    return left, left + wide


@given(st.lists(st.tuples(VALUES, VALUES), max_size=6), st.lists(LETTERS, max_size=5), st.booleans())
def test_words_stay_inside(points: list[tuple[float, float]], names: list[str], rows: bool) -> None:
    """Whatever is drawn and however long it is called: no word leaves the drawing, no number is not one."""
    plot = Plot(WIDTH, HEIGHT, narrow=True)
    plot.points([x for x, _ in points], [y for _, y in points], Marker("o", BLUE), label="points")
    for name, (x, y) in zip(names, points, strict=False):
        plot.add(Words(x, y, shortened(name, 80.0)))
    if rows and names:
        plot.rows(names)
    plot.x.label, plot.y.label, plot.has_key = " ".join(names), "".join(names), True
    drawn = elements(plot)
    assert not re.search("nan|inf", " ".join(element.get("d", "") for element in drawn))
    for element in drawn:
        if element.tag.endswith("text") and not element.get("transform"):
            left, right = edges(element)
            assert left >= -0.1, element.text
            assert right <= WIDTH + 0.1 or right - left > 0.8 * WIDTH, element.text


@given(VALUES, VALUES, st.integers(2, 9), st.booleans())
def test_round_ticks_lie_between_the_ends(start: float, end: float, most: int, integer: bool) -> None:
    """At most as many as asked for, evenly spaced, and more than one wherever two round numbers fit."""
    low, high = min(start, end), max(start, end)
    ticks = round_ticks(low, high, most, integer=integer)
    near = 1e-6 * max(abs(low), abs(high), high - low)
    assert all(low - near <= tick <= high + near for tick in ticks)
    assert len(ticks) <= most
    assert not integer or high - low < 1 or all(tick == int(tick) for tick in ticks)


@given(POSITIVE, POSITIVE, st.integers(3, 9))
def test_powers_lie_between_the_ends(start: float, end: float, most: int) -> None:
    low, high = min(start, end), max(start, end)
    ticks = power_ticks(low, high, most)
    assert all(low * (1 - 1e-6) <= tick <= high * (1 + 1e-6) for tick in ticks)
    if high / low > 1000:
        assert {math.log10(tick) % 1 for tick in ticks} == {0.0}
    assert len(ticks) > 1 or high / low < 1.2


@given(VALUES, VALUES, VALUES)
def test_a_scale_keeps_order(first: float, last: float, value: float) -> None:
    """Its ends lie at its ends, and between them what lies between."""
    if abs(last - first) < 1e-3:
        return
    scale = Scale(first, last, 50.0, 150.0)
    assert (scale.at(first), round(scale.at(last), 6)) == (50.0, 150.0)
    assert min(first, last) <= scale.nearest(value) <= max(first, last)
    assert -0.001 <= scale.at(scale.nearest(value)) - 50.0 <= 100.001


def test_every_look_has_a_shape_and_a_dark_tone() -> None:
    """Markers that records of strategies and the palette name."""
    records = [record.marker for record in (*SLICING, *SHEDDING)]
    for marker in {*records, *(look.marker for look in SERIES), *"|_x<>d"}:
        assert re.fullmatch(r"[MLaz\d .e-]+", marker_path(marker, 10.0, 20.0, 6.0))
    assert {look.colour for look in SERIES} <= set(DARK)


def test_gaps_and_limits() -> None:
    """A line has a gap where a value is missing; whiskers end at the axis; a long name is cut, never the drawing."""
    plot = Plot(WIDTH, HEIGHT)
    line = Polyline([0, 1, 2, 3], [1.0, math.nan, 2.0, 3.0], Stroke(INK))
    scale = Scale(0, 10, 0, 100)
    assert line.drawn(scale, scale).count("M") == 2
    assert "M0 0L0 50" in Whiskers([0], [-5], [5], Stroke(INK)).drawn(scale, scale)
    plot.add(Boxes([(0, 1, 0, 1)], BLUE, [0.5]))
    plot.rows(["an airport with a name that is far too long for a phone"])
    assert "fill-opacity: 0.5" in plot.svg()
    assert "…</text>" in plot.svg()


def test_words_that_would_touch_are_left_out() -> None:
    """Ticks keep their places; of two whose words touch the second has none."""
    plot = Plot(WIDTH, HEIGHT)
    plot.points([0, 100], [0, 1], Marker("o", BLUE))
    plot.x.ticks([0, 1, 100], ["zero", "one", "hundred"])
    texts = [element.text for element in elements(plot)]
    assert {"zero", "hundred"} <= set(texts)
    assert "one" not in texts


@pytest.mark.parametrize("words", ["", "JFK", "東京", "é…"])
def test_widths_add_up(words: str) -> None:
    assert width_of(words * 2) == pytest.approx(2 * width_of(words), abs=0.02)
    assert width_of(words, SMALL) <= width_of(words)
