"""Events piece by piece, and the files of slices cut from them, against sorting and splitting all events at once."""

from __future__ import annotations

import tempfile
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from hypothesis import given, settings
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing import Cube, Plan, TimeRange, split
from jobs.lake.table_files import TableFile
from jobs.stages.slicing import event_pieces
from jobs.stages.slicing.cutting import cut, parts_of
from jobs.stages.slicing.stamps import ascending_stamps

D1, D2, D3 = (date(2024, 1, n) for n in (1, 2, 3))
EVENTS = pa.schema(
    [
        ("day", pa.date32()),
        ("event_type", pa.string()),
        ("ts", pa.int64()),
        ("seq", pa.int64()),
        ("x", pa.int64()),
    ]
)
SLICES = pa.schema([*EVENTS, ("run_id", pa.string()), ("pos", pa.int64()), ("y", pa.float64())])
ATOMS = (Atom("A", (("x", "v"),)), Atom("B", (("x", "v"),)))

rows = st.tuples(
    st.sampled_from([D1, D2, D3]), st.sampled_from("ABC"), st.integers(0, 5), st.none() | st.integers(0, 3)
)


def plan_of(plan_slices: int, ranges: tuple[TimeRange, ...] = (), name: str = "q") -> Plan:
    cube = Cube(frozenset(), (plan_slices,), (0,))
    return Plan((name,), ATOMS, ("v",), (AttributeType.INT,), (cube,), ranges=ranges)


def written(folder: Path, files: list[list[Any]]) -> pa.Table:
    """A table of one commit for each list of events; its events in the log's order."""
    tables, seq = [], 0
    for events in files:
        named = [
            {"day": day, "event_type": kind, "ts": 10 * day.day + ts, "seq": (seq := seq + 1), "x": x}
            for day, kind, ts, x in events
        ]
        tables.append(pa.Table.from_pylist(named, EVENTS))
        write_deltalake(folder, tables[-1], mode="append", partition_by=["day"])
    return pa.concat_tables(tables).sort_by([("ts", "ascending"), ("seq", "ascending")])


@settings(max_examples=20)
@given(st.lists(st.lists(rows, min_size=1, max_size=6), min_size=1, max_size=4), st.integers(1, 9))
def test_pieces_are_the_log_in_order(files: list[list[Any]], at_once: int) -> None:
    """Whether the files of a day overlap or follow each other; no stamp is divided; other days stay."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_pieces, "EVENTS_AT_ONCE", at_once)
        log = written(Path(name), files)
        pieces = list(event_pieces.event_pieces(Path(name), ["day", "seq", "ts", "x"], [D1, D3]))
        stamps_of_days = ascending_stamps(Path(name), [D1, D3])
    wanted = log.filter(pc.is_in(log["day"], pa.array([D1, D3])))
    assert [row for piece in pieces for row in piece.to_pylist()] == wanted.select(
        ["day", "seq", "ts", "x"]
    ).to_pylist()
    assert all(piece.num_rows >= at_once for piece in pieces[:-1])
    assert stamps_of_days.tolist() == wanted["ts"].to_pylist()
    stamps = [set(piece["ts"].to_pylist()) for piece in pieces]
    assert sum(map(len, stamps)) == len(set().union(*stamps))


@settings(max_examples=30)
@given(
    st.lists(st.lists(rows, max_size=6), max_size=4),
    st.integers(1, 5),
    st.integers(1, 9),
    st.lists(st.integers(11, 30), max_size=2, unique=True),
)
def test_slices_are_those_of_the_whole_log(files: list[list[Any]], count: int, most: int, cuts: list[int]) -> None:
    """Two plans, one with time ranges, with few files open at once; each file is in the log's order."""
    events = [row for rows_of_file in files for row in rows_of_file]
    named = [
        {"day": day, "event_type": kind, "ts": 10 * day.day + ts, "seq": seq, "x": x}
        for seq, (day, kind, ts, x) in enumerate(sorted(events, key=lambda row: 10 * row[0].day + row[2]))
    ]
    log = pa.Table.from_pylist(named, EVENTS)
    log = log.append_column("pos", pa.array(range(log.num_rows), pa.int64()))
    bounds = [0, *sorted(cuts), 100]
    ranges = tuple(TimeRange(begin, end, begin - 3) for begin, end in pairwise(bounds))
    plans = [(plan_of(count, name="q"), (D1, D2, D3)), (plan_of(2, ranges, name="r"), (D2, D3))]
    pieces = [log.slice(begin, 3) for begin in range(0, log.num_rows, 3)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written_files: list[TableFile] = []
        for parts in parts_of(plans, most):
            assert len(parts) == 1 or sum(len(numbers) for _, _, numbers in parts) <= most
            written_files += cut(parts, pieces, folder, SLICES, "run-1")
        slices = {
            (file.partition["plan_id"], int(file.partition["slice"])): pq.ParquetFile(folder / file.path).read()
            for file in written_files
        }
    assert len(slices) == len(written_files), "one file a slice"
    expected: dict[tuple[str, int], list[int]] = {}
    for plan, days in plans:
        of_days = log.filter(pc.is_in(log["day"], pa.array(days)))
        for row, number in zip(*(array.tolist() for array in split(plan, of_days)), strict=True):
            expected.setdefault((plan.plan_id, number), []).append(of_days["pos"][row].as_py())
    assert {key: table["pos"].to_pylist() for key, table in slices.items()} == expected
    for table in slices.values():
        assert table.schema.names == SLICES.names
        assert set(table["run_id"].to_pylist()) == {"run-1"}
        assert table["y"].null_count == table.num_rows
        assert table.select(EVENTS.names).to_pylist() == [named[pos] for pos in table["pos"].to_pylist()]
