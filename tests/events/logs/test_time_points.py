"""Time-points of tables: by timestamp, by event, by a column; and the log of points that monitors read."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs.time_points import BY_EVENT, BY_TIMESTAMP, offsets_of, point_log_of, points_of

rows = st.lists(st.tuples(st.integers(-3, 3), st.sampled_from("AB"), st.integers(0, 2)), max_size=12).map(sorted)


def table(events: list[tuple[int, str, int]]) -> pa.Table:
    columns = list(zip(*events, strict=True)) or [(), (), ()]
    types = {"ts": pa.int64(), "event_type": pa.string(), "batch": pa.int64()}
    return pa.table({name: pa.array(column, types[name]) for name, column in zip(types, columns, strict=True)})


def point_keys(events: list[tuple[int, str, int]], points: str) -> list[tuple[int, int]]:
    """The point of each event by definition."""
    second = {BY_TIMESTAMP: lambda k: 0, BY_EVENT: lambda k: k, "batch": lambda k: events[k][2]}[points]
    return [(event[0], second(k)) for k, event in enumerate(events)]


@given(rows, st.sampled_from([BY_TIMESTAMP, BY_EVENT, "batch"]))
def test_offsets_number_the_points_of_each_stamp(events: list[tuple[int, str, int]], points: str) -> None:
    keys = point_keys(events, points)
    offsets = [sorted({key for key in keys if key[0] == ts}).index((ts, place)) for ts, place in keys]
    assert offsets_of(table(events), points).tolist() == offsets


@given(rows, st.sampled_from([BY_TIMESTAMP, BY_EVENT, "batch"]), st.sets(st.integers(-4, 4), max_size=3))
def test_the_log_has_every_point_and_every_event(
    events: list[tuple[int, str, int]], points: str, further: set[int]
) -> None:
    """Points without events are kept where the caller knows them."""
    log = table(events)
    offset = offsets_of(log, points)
    log = log.append_column("offset", pa.array(offset))
    counted = dict(zip(*points_of(log["ts"].to_numpy(), offset).to_pydict().values(), strict=True))
    every = {ts: counted.get(ts, 0) or 1 for ts in {*counted, *further}}
    stamps = sorted(every)
    known = pa.table({"ts": pa.array(stamps, pa.int64()), "points": pa.array([every[ts] for ts in stamps], pa.int64())})
    read = point_log_of(log, {"A": ["batch"], "B": ["batch"]}, known)
    assert read.stamps.tolist() == [ts for ts in stamps for _ in range(every[ts])]
    seen = sorted(
        (int(read.stamps[point]), int(point), name, value)
        for name, of_type in read.events.items()
        for point, value in zip(of_type.point, of_type.columns["batch"].to_pylist(), strict=True)
    )
    first = {ts: sum(every[earlier] for earlier in stamps if earlier < ts) for ts in stamps}
    assert seen == sorted(
        (ts, first[ts] + int(place), name, batch) for (ts, name, batch), place in zip(events, offset, strict=True)
    )
