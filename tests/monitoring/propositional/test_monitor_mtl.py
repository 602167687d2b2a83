"""`cep.monitor_mtl`: texts and tables, columns, modes, sub-logs, ends, and streams with flat memory."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep
from cep_core.language.errors import QueryError
from cep_core.propositional_on_log import PropositionalOnLog
from cep_core.stream_settings import StreamSettings

EXAMPLE = "@1 a\n@2 a\n@2 a\n@3 b\n@4 a b\n"
SOON = "a UNTIL[0,1] b"
MODES = ("naive", "local", "global")
TABLE = pa.table({"event_type": ["a", "b", "a", "a", "b"], "ts": [1, 2, 3, 4, 9], "x": [1, 1, 2, 2, 2]})


def rows(table: pa.Table | pa.RecordBatchReader) -> list[tuple[object, ...]]:
    whole = table.read_all() if isinstance(table, pa.RecordBatchReader) else table
    return [tuple(row.values()) for row in whole.to_pylist()]


def test_a_text_log() -> None:
    verdicts = cep.monitor_mtl(SOON, EXAMPLE)
    assert verdicts.column_names == ["ts", "offset", "verdict", "equal_ts", "equal_offset"]
    assert rows(verdicts) == [
        (1, 0, False, None, None),
        (2, 1, None, 2, 0),
        (2, 0, True, None, None),
        (3, 0, True, None, None),
        (4, 0, True, None, None),
    ]


@pytest.mark.parametrize("mode", MODES)
def test_resolved_has_a_row_for_each_decided_point(mode: str) -> None:
    verdicts = cep.monitor_mtl(SOON, EXAMPLE + "@4 a\n", mode=mode, resolved=True)
    assert verdicts.column_names == ["tp", "ts", "offset", "verdict"]
    assert rows(verdicts) == [(0, 1, 0, False), (1, 2, 0, True), (2, 2, 1, True), (3, 3, 0, True), (4, 4, 0, True)]
    closed = cep.monitor_mtl(SOON, EXAMPLE + "@4 a\n", mode=mode, resolved=True, end="closed")
    assert rows(closed) == [*rows(verdicts), (5, 4, 1, False)]


def test_a_file_and_a_pipe_are_as_a_text(tmp_path: Path) -> None:
    file = tmp_path / "example.log"
    file.write_text(EXAMPLE)
    policy = tmp_path / "soon.mtl"
    policy.write_text(SOON)
    expected = rows(cep.monitor_mtl(SOON, EXAMPLE))
    assert rows(cep.monitor_mtl(policy, file)) == expected
    assert rows(cep.monitor_mtl(SOON, io.BytesIO(EXAMPLE.encode()), batches=True)) == expected


def test_verdicts_of_a_pipe_come_when_they_are_decided() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as log, os.fdopen(writing, "wb", buffering=0) as lines:
        batches = iter(cep.monitor_mtl(SOON, log, batches=True))
        lines.write(b"@1 a\n")
        assert next(batches).num_rows == 0
        lines.write(b"@1 a b\n")
        assert [row["verdict"] for row in next(batches).to_pylist()] == [True, True]
        lines.close()
        assert not list(batches)


def test_a_table_with_points_by_timestamp_event_and_column() -> None:
    ties = pa.table({"event_type": ["a", "b", "a"], "ts": [1, 1, 2], "batch": [8, 8, 5]})
    formula = "b IMPLIES PREV a"
    assert rows(cep.monitor_mtl(formula, ties)) == [(1, 0, False, None, None), (2, 0, True, None, None)]
    by_event = cep.monitor_mtl(formula, ties, points="by_event")
    assert [row[:3] for row in rows(by_event)] == [(1, 0, True), (1, 1, True), (2, 0, True)]
    assert rows(cep.monitor_mtl(formula, ties, points="batch")) == rows(cep.monitor_mtl(formula, ties))
    own = ties.append_column("point", pa.array([2, 1, 1]))
    assert [row[:3] for row in rows(cep.monitor_mtl(formula, own))] == [(1, 0, False), (1, 1, True), (2, 0, True)]
    with pytest.raises(ValueError, match="there is no column 'bach'"):
        cep.monitor_mtl(formula, ties, points="bach")


@pytest.mark.parametrize("mode", MODES)
def test_sub_logs_have_their_values_in_a_column(mode: str) -> None:
    formula = "a IMPLIES EVENTUALLY[0,2] b"
    verdicts = cep.monitor_mtl(formula, TABLE, for_each="x", mode=mode)
    assert [(row[0], row[2], row[-1]) for row in rows(verdicts)] == [
        (1, True, 1),
        (2, True, 1),
        (3, False, 2),
        (4, False, 2),
        (9, True, 2),
    ]
    assert rows(cep.monitor_mtl(formula, TABLE, for_each=["x"], mode=mode, resolved=True)) == [
        (0, 1, 0, True, 1),
        (1, 2, 0, True, 1),
        (0, 3, 0, False, 2),
        (1, 4, 0, False, 2),
        (2, 9, 0, True, 2),
    ]
    closed = cep.monitor_mtl(formula, TABLE, for_each="x", mode=mode, resolved=True, end="closed")
    assert rows(closed) == rows(cep.monitor_mtl(formula, TABLE, for_each="x", resolved=True))


def test_the_schema_tells_the_mode_that_is_used() -> None:
    assert cep.monitor_mtl(SOON, EXAMPLE).schema.metadata == {b"mode": b"local"}
    unbounded = cep.monitor_mtl("a UNTIL b", "@1 a\n@1 a\n@2 a\n@3 a")
    assert unbounded.schema.metadata == {b"mode": b"global"}
    assert rows(unbounded) == [(1, 1, None, 1, 0), (2, 0, None, 1, 0)]
    assert cep.monitor_mtl("a UNTIL b", EXAMPLE, mode="naive").schema.metadata == {b"mode": b"naive"}


def test_an_error_comes_behind_what_was_told_before_it() -> None:
    batches = iter(cep.monitor_mtl(SOON, "@1 b\n@2 b\n@1 b\n", batches=True))
    assert next(batches).num_rows == 2
    with pytest.raises(cep.LogError, match=r"<log>:3: a stamp before 2"):
        next(batches)


def test_wrong_questions() -> None:
    with pytest.raises(ValueError, match="mode is one of naive, local, global"):
        cep.monitor_mtl("a", EXAMPLE, mode="fast")
    with pytest.raises(ValueError, match="end is 'open' or 'closed'"):
        cep.monitor_mtl("a", EXAMPLE, end="shut")
    with pytest.raises(ValueError, match="need a table"):
        cep.monitor_mtl("a", EXAMPLE, for_each="x")
    with pytest.raises(QueryError):
        cep.monitor_mtl("a UNTIL", EXAMPLE)


def test_what_was_seen_and_told_is_counted() -> None:
    asked = PropositionalOnLog(SOON, EXAMPLE + "@0 a\n@9 a", StreamSettings(skip_bad=True))
    asked.table()
    tally = asked.tally
    assert (tally.points, tally.truths, tally.violations, tally.equivalences, tally.open, tally.skipped) == (
        6,
        4,
        1,
        1,
        1,
        1,
    )


class Lines(io.RawIOBase):
    """A log that is made while it is read."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self.lines = lines

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        line = next(self.lines, b"")
        memoryview(buffer)[: len(line)] = line  # type: ignore[call-overload]
        return len(line)


@pytest.mark.parametrize("mode", ["local", "global"])
def test_a_caller_who_streams_on_keeps_nothing(mode: str) -> None:
    lines = (b"@%d a\n" % (i // 100) * 50 for i in range(200))
    asked = PropositionalOnLog(SOON, Lines(lines), StreamSettings(mode=mode))
    most = 0
    for _ in asked.stream():
        most = max(most, asked.monitor.open_records)
    assert asked.tally.points == 10_000
    assert most <= 4


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["", " a", " b", " a b"])), max_size=12))
def test_a_text_and_a_table_with_the_same_points_agree(drawn: list[tuple[int, str]]) -> None:
    stamps = [sum(gap for gap, _ in drawn[: i + 1]) for i in range(len(drawn))]
    text = "".join(f"@{ts}{names}\n" for ts, (_, names) in zip(stamps, drawn, strict=True))
    events = [
        (name, ts, point)
        for point, (ts, (_, names)) in enumerate(zip(stamps, drawn, strict=True))
        for name in [*names.split(), "tick"]
    ]
    table = pa.table(
        {
            "event_type": pa.array([event[0] for event in events], pa.string()),
            "ts": pa.array([event[1] for event in events], pa.int64()),
            "point": pa.array([event[2] for event in events], pa.int64()),
        }
    )
    formula = "a IMPLIES (EVENTUALLY[1,2] b OR PREV[0,1] ONCE[1,3] b)"
    assert rows(cep.monitor_mtl(formula, table)) == rows(cep.monitor_mtl(formula, text))
