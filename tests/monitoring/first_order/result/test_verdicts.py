"""Rows of verdicts against the relation point by point: all rows, each once, in order, whatever the batches."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.time_points import OFFSET
from cep_core.events.schema import AttributeType
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.first_order.result.verdicts import row_batches, rows, verdict_schema
from tests.monitoring.first_order.valuations import Satisfactions, relation_of, setting_of

INT, FLOAT, STRING, BOOL = AttributeType.INT, AttributeType.FLOAT, AttributeType.STRING, AttributeType.BOOL
VALUES: dict[AttributeType, st.SearchStrategy[Any]] = {
    INT: st.sampled_from([-(2**63), -1, 0, 5, 2**63 - 1]),
    FLOAT: st.sampled_from([-math.inf, -0.5, 0.0, 5e-324, math.inf]),
    STRING: st.text("abBé\U0001f600", max_size=2),
}
STAMPS = [3, 3, 3, 4, 9, 9, 10, 12]


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, AttributeType], Satisfactions]:
    kinds = draw(st.lists(st.sampled_from(list(VALUES)), max_size=3))
    row = st.tuples(*(VALUES[kind] for kind in kinds))
    point = st.integers(0, len(STAMPS) - 1)
    held = draw(st.lists(st.tuples(row, point, point), max_size=12))
    return (
        dict(zip("xyz", kinds, strict=False)),
        {(p, values) for values, begin, end in held for p in range(begin, end + 1)},
    )


@given(cases(), st.none() | st.integers(0, 9), st.integers(1, 20), st.booleans())
def test_rows_are_the_satisfactions_in_order(
    case: tuple[dict[str, AttributeType], Satisfactions], decided: int | None, most: int, offsets: bool
) -> None:
    types, held = case
    setting = setting_of(types, STAMPS)
    log = PointLog(np.array(STAMPS, np.int64))
    relation = relation_of(held, setting)
    place = OFFSET if offsets else "tp"
    expected = [
        (STAMPS[p], p - STAMPS.index(STAMPS[p]) if offsets else p, *values)
        for p, values in sorted(held)
        if decided is None or p < decided
    ]
    table = rows(relation, log, setting.texts, types, decided, place=place)
    assert table.schema == verdict_schema(types, place)
    assert list(zip(*(column.to_pylist() for column in table.columns), strict=True)) == expected
    batches = list(row_batches(relation, log, setting.texts, types, decided, place=place, most=most))
    assert pa.Table.from_batches(batches, table.schema).equals(table)
    for batch in batches:  # no more than asked for, but for the rows of one point
        assert (
            0 < batch.num_rows <= most
            or len(set(zip(*(batch.column(i).to_pylist() for i in (0, 1)), strict=True))) == 1
        )
    for before, after in pairwise(batches):  # batches are as full as whole points allow
        assert before.column(1)[-1] != after.column(1)[0] or before.column(0)[-1] != after.column(0)[0]


def test_a_log_that_begins_later_numbers_its_points_on() -> None:
    relation = Relation((), (), np.array([0]), np.array([3]))
    batches = row_batches(relation, PointLog(np.array([5, 6, 7])), Texts(), {}, first=100)
    assert [row for batch in batches for row in batch["tp"].to_pylist()] == [100, 101, 102]


def test_variables_may_be_called_like_a_column() -> None:
    relation = Relation(("ts",), (np.array([8]),), np.array([0]), np.array([1]))
    table = rows(relation, PointLog(np.array([5])), Texts(), {"ts": INT})
    assert table.column_names == ["ts", "tp", "ts"]
    assert [column.to_pylist() for column in table.columns] == [[5], [0], [8]]


def test_bools_come_back() -> None:
    relation = Relation(("x",), (np.array([1, 0]),), np.array([0, 0]), np.array([1, 1]))
    assert rows(relation, PointLog(np.array([5])), Texts(), {"x": BOOL})["x"].to_pylist() == [False, True]


def test_nan_comes_last() -> None:
    relation = Relation(("x",), (np.array([math.nan, math.inf, 1.0]),), np.zeros(3, np.int64), np.ones(3, np.int64))
    assert str(rows(relation, PointLog(np.array([5])), Texts(), {"x": FLOAT})["x"].to_pylist()) == "[1.0, inf, nan]"


def test_listing_streams() -> None:
    """The first batches of a run of 2^40 points come at once: rows that are not asked for are not made."""
    relation = Relation(("x",), (np.array([3, 4]),), np.zeros(2, np.int64), np.full(2, 1 << 40))
    batches = row_batches(relation, PointLog(np.arange(1 << 20)), Texts(), {"x": INT}, most=64)
    assert [next(batches)["tp"].to_pylist()[0] for _ in range(3)] == [0, 32, 64]
