"""Rows are dealt into parts, tables grow, triangles go by pairs or at once: none of it changes a result."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.kernels import partitions
from cep_core.monitoring.first_order.operators import conjunction
from cep_core.monitoring.first_order.operators.conjunction import star, triangle
from cep_core.monitoring.first_order.operators.normal import merged
from tests.monitoring.first_order.operators.drawn import KINDS, satisfactions_of
from tests.monitoring.first_order.valuations import Satisfactions, relation_of, satisfactions, setting_of

Run = tuple[int, int, int]


def relation(variables: str, satisfied: Satisfactions) -> Relation:
    return relation_of(satisfied, setting_of({name: KINDS[name] for name in variables}))


def expanded(relation_: Relation) -> Satisfactions:
    return satisfactions(relation_, setting_of({}), KINDS)


@given(*(satisfactions_of(names) for names in ("xy", "yz", "zx", "yw")), st.sampled_from([0, 2]))
def test_parts_and_pairs_change_nothing(
    xy: Satisfactions, yz: Satisfactions, zx: Satisfactions, yw: Satisfactions, pairs: int
) -> None:
    parts = [relation("xy", xy), relation("yz", yz), relation("zx", zx)]
    every = [part.of_rows(np.argsort(part.begin, kind="stable")) for part in (*parts, relation("yw", yw))]
    expected = expanded(star([every[0], every[1], every[3]])), expanded(triangle(parts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partitions, "LIVING", 1)
        patch.setattr(conjunction, "PAIRS", pairs)
        assert expanded(star([every[0], every[1], every[3]])) == expected[0]
        around = triangle(parts)
        assert (around.variables, expanded(around)) == (("x", "y", "z"), expected[1])
        assert [expanded(merged(part)) for part in parts] == [xy, yz, zx]


def drawn(seed: int, rows: int, values: int) -> tuple[Relation, list[Run]]:
    """Runs of one variable, several thousand of which hold at one time."""
    random = np.random.default_rng(seed)
    begin = np.sort(random.integers(0, 300, rows))
    end = begin + random.integers(0, 200, rows)
    value = random.integers(0, values, rows)
    return Relation(("x",), (value,), begin, end), list(zip(*map(np.ndarray.tolist, (value, begin, end)), strict=True))


def maximal(runs: list[Run]) -> list[Run]:
    """Runs of one value that overlap or touch, as one."""
    joined: list[Run] = []
    for value, begin, end in sorted(run for run in runs if run[1] < run[2]):
        if joined and joined[-1][0] == value and begin <= joined[-1][2]:
            joined[-1] = value, joined[-1][1], max(joined[-1][2], end)
        else:
            joined.append((value, begin, end))
    return joined


@pytest.mark.parametrize("values", [9, 5000])
def test_tables_hold_what_holds_at_one_time(values: int) -> None:
    (first, runs), (second, later_runs) = drawn(1, 6000, values), drawn(2, 700, values)
    left, right = merged(first), merged(second)
    rows = zip(*(column.tolist() for column in (*left.columns, left.begin, left.end)), strict=True)
    assert sorted(rows) == maximal(runs)
    of_value = defaultdict(list)
    for value, begin, end in maximal(later_runs):
        of_value[value].append((begin, end))
    met = [
        (value, max(begin, start), min(end, stop))
        for value, begin, end in maximal(runs)
        for start, stop in of_value[value]
        if max(begin, start) < min(end, stop)
    ]
    joined = star([left, right])
    assert sorted(
        zip(*(column.tolist() for column in (*joined.columns, joined.begin, joined.end)), strict=True)
    ) == sorted(met)
    assert (np.diff(joined.begin) >= 0).all()
