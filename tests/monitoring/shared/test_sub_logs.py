"""Sub-logs by the values of attributes: each has its own events and its own points."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.monitoring.shared.sub_logs import sub_log_of, sub_logs

TYPES = {"A": {"x": pa.int64(), "y": pa.string()}, "B": {"x": pa.int64(), "y": pa.string()}, "C": {"x": pa.int64()}}
events = st.lists(
    st.tuples(
        st.sampled_from("ABC"), st.integers(0, 4), st.none() | st.integers(0, 2), st.none() | st.sampled_from("uv")
    ),
    max_size=12,
).map(lambda rows: sorted(rows, key=lambda row: row[1]))
Row = tuple[str, int, int | None, str | None]


def log_of(rows: list[Row]) -> PointLog:
    by_type = {}
    for name, columns in TYPES.items():
        own = [row for row in rows if row[0] == name]
        values = {"x": [row[2] for row in own], "y": [row[3] for row in own]}
        arrays = {attribute: pa.array(values[attribute], kind) for attribute, kind in columns.items()}
        seq = np.array([rows.index(row) for row in own], np.int64)
        by_type[name] = TypedEvents(np.array([row[1] for row in own], np.int64), arrays, seq)
    return PointLog(np.array([0, 0, 5, 5, 9]), by_type)


@given(events, st.sampled_from([("x",), ("x", "y")]))
def test_each_has_its_own_events_and_points(rows: list[Row], attributes: tuple[str, ...]) -> None:
    carriers = [name for name, columns in TYPES.items() if set(attributes) <= columns.keys()]
    expected = {}
    for values in product(*({"x": range(3), "y": "uv"}[attribute] for attribute in attributes)):
        own = [row for row in rows if row[0] in carriers and row[2 : 2 + len(attributes)] == values]
        points = sorted({row[1] for row in own})
        if own:
            expected[values] = (
                [[0, 0, 5, 5, 9][point] for point in points],
                sorted((row[0], points.index(row[1]), row[2]) for row in own),
            )
    made = {}
    for values, log in sub_logs(log_of(rows), attributes):
        held = [
            (name, int(point), x)
            for name, of_type in log.events.items()
            for point, x in zip(of_type.point, of_type.columns["x"].to_pylist(), strict=True)
        ]
        made[values] = (log.stamps.tolist(), sorted(held))
        assert same_logs(sub_log_of(log_of(rows), attributes, values), log)
    assert made == expected
    assert list(made) == sorted(made)


def same_logs(left: PointLog, right: PointLog) -> bool:
    """Whether two logs have the same points and events, in the same order."""
    seqs = [
        {name: [] if events.seq is None else events.seq.tolist() for name, events in log.events.items()}
        for log in (left, right)
    ]
    points = [{name: events.point.tolist() for name, events in log.events.items()} for log in (left, right)]
    return left.stamps.tolist() == right.stamps.tolist() and seqs[0] == seqs[1] and points[0] == points[1]


def test_a_sub_log_that_no_event_has() -> None:
    """Floats are asked by their own value, NaN too; a value of another type is no event's."""
    values = pa.array([0.5, float("nan"), None])
    log = PointLog(np.array([1, 2, 3]), {"A": TypedEvents(np.arange(3), {"x": values})})
    assert sub_log_of(log, ["x"], (float("nan"),)).stamps.tolist() == [2]
    for value in (1.5, "a"):
        with pytest.raises(ValueError, match=f"no event has x = {value!r}"):
            sub_log_of(log, ["x"], (value,))
