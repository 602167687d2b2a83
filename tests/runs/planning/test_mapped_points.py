"""Time-points are read from files: in the order of their stamps, whichever file has them, and without a copy."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import write_deltalake

from cep_core.language.evaluator import Reach
from jobs.stages.evaluating.reading import Reading, pieces
from jobs.stages.slicing.mapped_points import SCHEMA, map_points, open_points

MANY = 200_000


def stored(folder: Path, *files: tuple[range, int]) -> Path:
    """A table of points, written file by file: stamps, and how many points each of them has."""
    for stamps, points in files:
        rows = pa.table({"ts": list(stamps), "points": [points] * len(stamps)}, schema=SCHEMA)
        rows = rows.append_column("day", pa.array([date(2013, 1, 1)] * len(stamps)))
        write_deltalake(folder / "table", rows, mode="append")
    return folder / "table"


def test_points_come_in_order_from_any_files(tmp_path: Path) -> None:
    table = stored(tmp_path, (range(10, 14), 2), (range(0), 1), (range(3), 1))
    points = open_points(map_points(table, tmp_path / "mapped"))
    assert points.schema == SCHEMA
    assert points.to_pydict() == {"ts": [0, 1, 2, 10, 11, 12, 13], "points": [1, 1, 1, 2, 2, 2, 2]}


def test_no_points_are_none(tmp_path: Path) -> None:
    table = stored(tmp_path, (range(0), 1))
    assert open_points(map_points(table, tmp_path / "mapped")).equals(SCHEMA.empty_table())


def test_files_that_overlap_are_refused(tmp_path: Path) -> None:
    table = stored(tmp_path, (range(0, 10, 2), 1), (range(1, 11, 2), 1))
    with pytest.raises(ValueError, match="not sorted by ts"):
        map_points(table, tmp_path / "mapped")


def test_a_worker_looks_at_the_points_where_they_are(tmp_path: Path) -> None:
    """However many there are: neither the search for a part nor the part itself is a copy."""
    folder = map_points(stored(tmp_path, (range(MANY), 3)), tmp_path / "mapped")
    before = pa.total_allocated_bytes()
    points = open_points(folder)
    reading = Reading(Reach(time=10, points=1), np.zeros(0, np.int64), points)
    part = reading.points_of(MANY // 2, MANY // 2 + 100, (0, MANY))
    assert part is not None
    assert part["ts"].to_pylist() == list(range(MANY // 2 - 1, MANY // 2 + 101))
    assert pa.total_allocated_bytes() - before < 10_000
    assert not points["ts"].to_numpy().flags.owndata


def test_parts_have_so_many_points_even_where_a_slice_has_no_event(tmp_path: Path) -> None:
    points = open_points(map_points(stored(tmp_path, (range(MANY), 3)), tmp_path / "mapped"))
    cut = pieces((0, MANY), Reading(Reach(time=10), np.zeros(0, np.int64), points), limit=MANY)
    assert len(cut) == 4
    assert [days[0] for days in cut] == [MANY * number // 4 for number in range(4)]
    assert len(pieces((0, MANY), Reading(Reach(time=10), np.zeros(0, np.int64)), limit=MANY)) == 1
