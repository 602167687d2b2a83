"""Runs, ranges of them and the log's order, against sorting all events in Python; and refused rows taken out."""

from __future__ import annotations

import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from jobs.bundles import bundles
from jobs.stages.loading.event_files import in_log_order
from jobs.stages.loading.event_ranges import event_ranges
from jobs.stages.loading.event_runs import RowsTakenOut, open_run, write_run
from jobs.stages.loading.log_order import DAY_BITS
from jobs.stages.loading.row_bitmaps import ROWS, RowBitmaps
from jobs.workload.operating_days import OperatingDays, day_number

DAYS = OperatingDays(timedelta(hours=8), "s")
D1, D2, D3 = (date(2024, 1, n) for n in (1, 2, 3))
FIRST = DAYS.interval(D1)[0]
SCHEMA = pa.schema(
    [
        ("event_type", pa.string()),
        ("ts", pa.int64()),
        ("_own_seq", pa.int64()),
        ("_rank", pa.int32()),
        ("_id", pa.int64()),
        ("_hash", pa.int64()),
        ("_order_0_number", pa.int64()),
        ("_order_0_text", pa.string()),
    ]
)

Event = tuple[str, int, int, int, int, int | None, str | None]

events = st.tuples(
    st.sampled_from("AB"),
    st.sampled_from([FIRST, FIRST + 1, FIRST + 1, FIRST + 86_399, FIRST + 86_400, FIRST + 172_799]),
    st.integers(0, 1),
    st.integers(0, 3),
    st.sampled_from([-(1 << 63), 0, (1 << 63) - 1]),
    st.none() | st.integers(-1, 1),
    st.none() | st.sampled_from(["", "a", "é"]),
)


def table_of(rows: list[Event]) -> pa.Table:
    named = [
        {
            "event_type": kind,
            "ts": ts,
            "_rank": rank,
            "_id": row,
            "_hash": hash_,
            "_order_0_number": n,
            "_order_0_text": t,
        }
        for kind, ts, rank, row, hash_, n, t in rows
    ]
    return pa.Table.from_pylist(named, SCHEMA)


def sorts(event: dict[str, Any]) -> tuple[Any, ...]:
    """The log's order: ts, source, order columns with nulls first, hash, type."""
    number, text = event["_order_0_number"], event["_order_0_text"]
    of_order = (number is not None, number or 0, text is not None, (text or "").encode())
    return (event["ts"], event["_rank"], *of_order, event["_hash"], event["event_type"])


@given(st.lists(st.lists(events, min_size=1, max_size=8), max_size=4), st.integers(1, 5))
def test_ranges_of_all_runs_give_the_logs_order(runs: list[list[Event]], most: int) -> None:
    """However events are divided into runs, and however small ranges are; `seq` counts without a gap."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.arrow" for number in range(len(runs))]
        for path, rows in zip(paths, runs, strict=True):
            write_run(table_of(rows), path)
        ranges = list(event_ranges(paths, [D1, D2], DAYS, most))
        read = [(each, in_log_order(each)) for each in ranges]
    given_events = [row for rows in runs for row in table_of(rows).to_pylist()]
    tasks = list(bundles(ranges, lambda each: each.events, most))
    assert [each for task in tasks for each in task] == ranges
    assert all(len(task) == 1 or sum(each.events for each in task) <= most for task in tasks)
    for day in (D1, D2):
        of_day = [event for each, table in read if each.day == day for event in table.to_pylist()]
        expected = sorted((event for event in given_events if DAYS.day_of(event["ts"]) == day), key=sorts)
        assert [sorts(event) for event in of_day] == [sorts(event) for event in expected]
        assert [event["seq"] - (day_number(day) << DAY_BITS) for event in of_day] == list(range(len(expected)))
    for _, table in read:
        stamps = set(table["ts"].to_pylist())
        rest = [event for _, piece in read if piece is not table for event in piece["ts"].to_pylist()]
        assert stamps.isdisjoint(rest), "a range holds all events of its stamps"


@given(st.lists(events, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_events_that_name_their_own_seq_keep_it(rows: list[Event], random: Any) -> None:
    """They are ordered by it among equal stamps."""
    own = random.sample(range(100), len(rows))
    table = table_of(rows).set_column(2, "_own_seq", pa.array(own, pa.int64()))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "0.arrow"
        write_run(table, path)
        read = [event for each in event_ranges([path], [D1, D2], DAYS, 2) for event in in_log_order(each).to_pylist()]
    assert [(event["ts"], event["seq"]) for event in read] == sorted(zip(table["ts"].to_pylist(), own, strict=True))


@given(st.lists(events, min_size=1, max_size=8), st.sets(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=1))
def test_events_of_refused_rows_leave_their_run(rows: list[Event], refused: set[tuple[int, int]]) -> None:
    """All others stay, in their order."""
    with tempfile.TemporaryDirectory() as folder:
        run, path = Path(folder) / "0.arrow", Path(folder) / "refused.arrow"
        write_run(table_of(rows), run)
        before = open_run(run).to_pylist()
        ranks, ids = zip(*sorted(refused), strict=True)
        names = pa.table({"rank": pa.array(ranks, pa.int32()), "id": pa.array(ids, pa.int64())})
        with pa.ipc.new_file(path, names.schema) as file:
            file.write_table(names)
        RowsTakenOut(path)(run)
        after = open_run(run).to_pylist()
    assert after == [event for event in before if (event["_rank"], event["_id"]) not in refused]


stamps = st.none() | st.sampled_from(
    [FIRST, FIRST - 1, FIRST + 86_400, FIRST + 172_800, DAYS.calendar[0] - 1, DAYS.calendar[1] + 1, (1 << 63) - 1]
)
numbers = st.sampled_from([0, 1, ROWS - 1, ROWS, 3 * ROWS + 5, 1 << 40])


@given(st.lists(st.lists(st.tuples(st.integers(-1, 1), numbers, stamps), min_size=1, max_size=20), max_size=3))
def test_bitmaps_hold_the_rows_of_each_kind(batches: list[list[tuple[int, int, int | None]]]) -> None:
    """Over several batches, against sets; and each batch's events of the run's days are told."""
    bitmaps, expected = RowBitmaps([D3, D2], D1, DAYS), dict[tuple[int | None, int, str], set[int]]()
    last: dict[tuple[int | None, int, str], int] = {}
    for batch in batches:
        ranks, rows, times = (np.array(column) for column in zip(*[(k, r, t or 0) for k, r, t in batch], strict=True))
        in_run = bitmaps.add(ranks, rows, times, np.array([ts is not None for _, _, ts in batch]))
        kinds = [kind_of(ts) for _, _, ts in batch]
        assert in_run.tolist() == [kind in (str(D2), str(D3)) for kind in kinds]
        for (rank, row, ts), kind in zip(batch, kinds, strict=True):
            key = (rank if rank >= 0 else None, row // ROWS + 1, kind)
            expected.setdefault(key, set()).add(row % ROWS)
            if ts is not None:
                last[key] = max(ts, last.get(key, ts))
    by_key = {(row["rank"], row["bucket"], row["kind"]): row for row in bitmaps.rows()}
    assert {key: bits_in(row["rows"]) for key, row in by_key.items()} == expected
    assert {key: row["last_ts"] for key, row in by_key.items() if row["last_ts"] is not None} == last


def kind_of(ts: int | None) -> str:
    if ts is None:
        return "timeless"
    if not DAYS.calendar[0] <= ts <= DAYS.calendar[1]:
        return "outside"
    day = DAYS.day_of(ts)
    return "before" if day < D1 else str(day) if day in (D2, D3) else "later"


def bits_in(rows: bytes) -> set[int]:
    return {8 * place + bit for place, byte in enumerate(rows) for bit in range(8) if byte >> bit & 1}
