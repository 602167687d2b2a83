"""Every operator on relations against its definition, point by point and valuation by valuation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.temporal.interval import Interval
from cep_core.monitoring.first_order.arrays.relation import Relation, truth
from cep_core.monitoring.first_order.operators.conjunction import star, triangle
from cep_core.monitoring.first_order.operators.difference import complement, difference
from cep_core.monitoring.first_order.operators.normal import merged
from cep_core.monitoring.first_order.operators.since import since, until
from cep_core.monitoring.first_order.operators.steps import nextly, previously
from cep_core.monitoring.first_order.operators.timeline import Timeline
from cep_core.monitoring.first_order.operators.union import projection, union
from cep_core.monitoring.first_order.operators.windows import eventually, once
from tests.monitoring.first_order.operators.drawn import (
    KINDS,
    POINTS,
    VALUES,
    intervals,
    satisfactions_of,
    timelines,
    within,
)
from tests.monitoring.first_order.valuations import Satisfactions, relation_of, satisfactions, setting_of

ALL = range(POINTS)


def relation(variables: str, satisfied: Satisfactions) -> Relation:
    return relation_of(satisfied, setting_of({name: KINDS[name] for name in variables}))


def expanded(relation_: Relation) -> Satisfactions:
    """Checks the normal form, too."""
    return satisfactions(relation_, setting_of({}), KINDS)


@given(st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES), st.integers(0, 9), st.integers(0, 4))))
def test_normal_form_of_any_runs(rows: list[tuple[int, int, int, int]]) -> None:
    x, y, begin, length = (np.array([row[place] for row in rows], np.int64) for place in range(4))
    normal = merged(Relation(("x", "y"), (x, y), begin, begin + length))
    assert expanded(normal) == {(point, (x, y)) for x, y, begin, size in rows for point in range(begin, begin + size)}


def test_floats_are_equal_if_their_values_are() -> None:
    floats = np.array([np.nan, 0.0, -0.0, -np.nan, np.inf, -np.inf])
    every = np.arange(6)
    normal = merged(Relation(("f",), (floats,), every, every + 1))
    assert normal.rows == 5  # 0.0 and -0.0 touch
    pairs = star([normal, Relation(("f",), (floats,), 0 * every, 0 * every + 6)])
    assert len({(str(value + 0.0), begin) for value, begin in zip(pairs.columns[0], pairs.begin, strict=True)}) == 5


@given(satisfactions_of("xy"), satisfactions_of("yz"), satisfactions_of("z"))
def test_conjunction(xy: Satisfactions, yz: Satisfactions, z: Satisfactions) -> None:
    left, right = relation("xy", xy), relation("yz", yz)
    pairs = {(p, (x, y, z)) for p, (x, y) in xy for q, (v, z) in yz if (p, y) == (q, v)}
    assert expanded(star([left, right])) == pairs
    product = {(p, (x, y, v)) for p, (x, y) in xy for q, (v,) in z if p == q}
    assert expanded(star([left, relation("z", z)])) == product
    assert expanded(star([left, truth(POINTS)])) == xy
    assert expanded(star([right, relation("z", z)])) == {(p, (y, v)) for p, (y, v) in yz if (p, (v,)) in z}


@given(satisfactions_of("xy"), satisfactions_of("xz"), satisfactions_of("x"))
def test_star_of_three(xy: Satisfactions, xz: Satisfactions, x: Satisfactions) -> None:
    joined = star([relation("xy", xy), relation("xz", xz), relation("x", x)])
    pairs = {(p, (u, y, z)) for p, (u, y) in xy for q, (v, z) in xz if (p, u) == (q, v)}
    assert expanded(joined) == {(p, row) for p, row in pairs if (p, row[:1]) in x}


@given(satisfactions_of("xy"), satisfactions_of("yz"), satisfactions_of("zxw"))
def test_triangle(xy: Satisfactions, yz: Satisfactions, zxw: Satisfactions) -> None:
    joined = triangle([relation("xy", xy), relation("yz", yz), relation("zxw", zxw)])
    around = {(p, (x, y, z, w)) for p, (z, x, w) in zxw for q, (v, y) in xy if (p, x) == (q, v)}
    assert expanded(joined) == {(p, row) for p, row in around if (p, (row[1], row[2])) in yz}


@given(satisfactions_of("xy"), satisfactions_of("y", dense=True), satisfactions_of(""))
def test_difference(xy: Satisfactions, y: Satisfactions, bare: Satisfactions) -> None:
    left = relation("xy", xy)
    assert expanded(difference(left, relation("y", y))) == {(p, (u, v)) for p, (u, v) in xy if (p, (v,)) not in y}
    assert expanded(difference(left, relation("", bare))) == {(p, row) for p, row in xy if (p, ()) not in bare}
    assert expanded(complement(relation("", bare), POINTS)) == {(p, ()) for p in ALL} - bare


@given(satisfactions_of("xy"), satisfactions_of("xy"))
def test_union_and_projection(first: Satisfactions, second: Satisfactions) -> None:
    turned = relation("xy", second).of_variables(["y", "x"])
    joined = union(relation("xy", first), turned)
    assert expanded(joined.of_variables(["x", "y"])) == first | second
    assert expanded(projection(relation("xy", first), {"x"})) == {(p, (y,)) for p, (_, y) in first}
    assert expanded(projection(relation("xy", first), {"x", "y"})) == {(p, ()) for p, _ in first}


@given(timelines(), intervals(), satisfactions_of("x"))
def test_previous_and_next(line: Timeline, interval: Interval, x: Satisfactions) -> None:
    body = relation("x", x)
    later = {(p + 1, row) for p, row in x if p + 1 < POINTS and within(line, interval, p, p + 1)}
    assert expanded(previously(body, interval, line)) == later
    earlier = {(p - 1, row) for p, row in x if p > 0 and within(line, interval, p, p - 1)}
    assert expanded(nextly(body, interval, line)) == earlier


@given(timelines(), intervals(), satisfactions_of("x"))
def test_once_and_eventually(line: Timeline, interval: Interval, x: Satisfactions) -> None:
    body = relation("x", x)
    after = {(i, row) for p, row in x for i in ALL if p <= i and within(line, interval, p, i)}
    assert expanded(once(body, interval, line)) == after
    before = {(i, row) for p, row in x for i in ALL if p >= i and within(line, interval, p, i)}
    assert expanded(eventually(body, interval, line)) == before


SIDES: Mapping[str, str] = {"x": "xy", "": "x", "yx": "xy"}


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("left", SIDES)
@given(st.data())
def test_since_and_until(left: str, negated: bool, data: st.DataObject) -> None:
    right = SIDES[left]
    line, interval = data.draw(timelines()), data.draw(intervals())
    held = data.draw(satisfactions_of(left, dense=data.draw(st.booleans())))
    anchors = data.draw(satisfactions_of(right, dense=data.draw(st.booleans())))

    def holds(point: int, row: tuple[int | float | str, ...]) -> bool:
        values = dict(zip(right, row, strict=True))
        return ((point, tuple(values[name] for name in left)) in held) != negated

    sides = relation(left, held), relation(right, anchors)
    after = {
        (i, row)
        for j, row in anchors
        for i in ALL
        if j <= i and within(line, interval, j, i) and all(holds(k, row) for k in range(j + 1, i + 1))
    }
    assert expanded(since(*sides, interval, line, negated=negated)) == after
    before = {
        (i, row)
        for j, row in anchors
        for i in ALL
        if j >= i and within(line, interval, j, i) and all(holds(k, row) for k in range(i, j))
    }
    assert expanded(until(*sides, interval, line, negated=negated)) == before
