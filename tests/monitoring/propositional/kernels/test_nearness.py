"""Carries and pointers agree on traces of many words, also where stamps lie too far apart for offsets of 32 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cep_core.arrays import Ints
from cep_core.monitoring.propositional.arrays.columns import PointColumns
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.kernels.carries import since_within, until_within
from cep_core.monitoring.propositional.kernels.layout import columns_of
from cep_core.monitoring.propositional.kernels.pointers import since_between, until_between


@st.composite
def stamps_and_borders(draw: st.DrawFn) -> tuple[Ints, Ints, int]:
    """Stamps of up to 2,000 points, borders of sub-logs, and the constant of an interval, all at one scale."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    points = draw(st.sampled_from([64, 513, 1999, 2049]))
    gaps = random.choice(draw(st.sampled_from([[0, 1], [0, 0, 0, 1], [1], [0, 3, 500]])), points)
    gaps[random.random(points) < draw(st.sampled_from([0, 0.002]))] = 100_000
    scale = draw(st.sampled_from([1, 1, 2**26, 2**36]))
    stamps = np.cumsum(gaps) * scale + draw(st.integers(-5, 5))
    borders = np.sort(random.integers(0, points + 1, draw(st.sampled_from([0, 0, 3, 300]))))
    return stamps, np.concatenate([[0], borders, [points]]), draw(st.sampled_from([1, 7, 60])) * scale


@pytest.mark.parametrize(("carry", "pointer"), [(since_within, since_between), (until_within, until_between)])
@given(
    stamps_and_borders(), st.sampled_from([0.5, 0.99, 1.0]), st.sampled_from([0.01, 0.1, 0.6]), st.integers(0, 2**32)
)
def test_carries_say_what_pointers_say(
    carry: Any, pointer: Any, drawn: tuple[Ints, Ints, int], of_left: float, of_right: float, seed: int
) -> None:
    stamps, starts, high = drawn
    random = np.random.default_rng(seed)
    left, right = (random.random(len(stamps)) < share for share in (of_left, of_right))
    [columns] = columns_of(Trace(stamps, {}, starts), high)
    assert times_agree(columns, stamps, starts, high)
    event("a word is too long for offsets" if len(columns.of_words.exact) else "offsets")
    left, right = columns.packed(left), columns.packed(right)
    border = columns.first if carry is since_within else columns.last
    held = carry(left, right, border, columns.of_words, high)
    expected = np.empty(columns.places, np.bool_)
    pointer(columns.at_places(left), columns.at_places(right), columns.starts, columns.times, (0, high), expected)
    np.testing.assert_array_equal(columns.at_places(held), expected)


def times_agree(columns: PointColumns, stamps: Ints, starts: Ints, high: int) -> bool:
    """Whether neighbours of a sub-log are as far apart as their stamps, or both farther than an interval reaches."""
    times = columns.times[: columns.places]
    gaps, true = np.diff(times[columns.points] if columns.points is not None else times[:-1]), np.diff(stamps)
    inside = np.ones(len(stamps), np.bool_)
    inside[starts[starts < len(stamps)]] = False
    gaps, true = gaps[inside[1:]], true[inside[1:]]
    return bool(np.all((gaps == true) | ((gaps > high) & (true > high))) and np.all(np.diff(times) >= 0))
