"""What an evaluation reads of a slice's file, and that every question answers the same from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import AttributeType, LogSchema
from cep_core.language.settings import DEFAULTS
from cep_core.slicing import Cube, Plan
from jobs.stages.evaluating.assignment import Assignment, QueryText
from jobs.stages.evaluating.large_slices import RowsOfFile, stamps_of
from jobs.stages.evaluating.slices.slice_files import SliceFile, asked_slices, events_of
from jobs.workload.compiled import compile_questions
from jobs.workload.declaration import load_workload

ASKED = (("a", "b"), ("b",))
"""The queries of two plans."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("slices")


COLUMNS = {"event_type": pa.string(), "ts": pa.int64(), "name": pa.string()}


@pytest.mark.parametrize("rows", [2, 100])
def test_texts_are_codes_of_one_dictionary(tmp_path: Path, rows: int) -> None:
    """However many groups of rows the file has; its other columns are not read."""
    written = pa.table(
        {
            "event_type": pa.array(["A", "B", "B", "C", "A"]),
            "ts": pa.array(range(5)),
            "name": pa.array(["x", None, "y", "x", "z"]),
            "unread": pa.array(range(5)),
        }
    )
    path = tmp_path / "slice.parquet"
    pq.write_table(written, path, row_group_size=rows)
    read = events_of(SliceFile(str(path), "p", 0), COLUMNS, most=5)
    assert isinstance(read, pa.Table)
    assert read.column_names == list(COLUMNS)
    for name in ("event_type", "name"):
        (codes,) = read.column(name).chunks
        assert codes.dictionary_decode().to_pylist() == written.column(name).to_pylist()
        assert len(codes.dictionary.unique()) == len(codes.dictionary)


def test_only_slices_of_the_queries_that_are_asked_are_opened() -> None:
    """A second round asks for the tables of few queries; the slices of other plans have nothing for it."""
    plans = [Plan(queries, (), ("x",), (AttributeType.INT,), (Cube(frozenset(), (2,), (None,)),)) for queries in ASKED]
    contents = tuple(plan.to_dict() for plan in plans)
    for name, asked in (("a", plans[:1]), ("b", plans)):
        expected = {(plan.plan_id, number) for plan in asked for number in range(2)}
        assignment = Assignment(contents, (QueryText(name, "q.cep", "", DEFAULTS),), {}, ("s", "total", (), (), ()), 9)
        assert asked_slices(assignment) == expected


@given(st.integers(1, 9), st.integers(0, 20), st.integers(0, 20))
def test_a_large_slice_gives_any_part_of_its_file(folder: Path, of_group: int, offset: int, length: int) -> None:
    """Whatever groups of rows the file has: the same rows as the whole file, in codes of one dictionary."""
    names = pa.array([None if row % 5 == 0 else f"n{row % 7}" for row in range(20)], pa.string())
    written = pa.table({"event_type": pa.array(list("AABBC") * 4), "ts": pa.array(range(20)), "name": names})
    path = folder / f"{of_group}.parquet"
    pq.write_table(written, path, row_group_size=of_group)
    rows = events_of(SliceFile(str(path), "p", 0), COLUMNS, most=19)
    assert isinstance(rows, RowsOfFile)
    assert rows.num_rows == 20
    assert stamps_of(rows).tolist() == list(range(20))
    assert isinstance(stamps_of(rows), np.memmap), "of a hundred million events they would take 800 MB"
    length = min(length, 20 - offset)
    part = rows.slice(offset, length)
    assert part.to_pylist() == written.slice(offset, length).to_pylist()
    assert all(column.num_chunks <= 1 for column in part.columns)


@pytest.mark.parametrize("workload", ["nyc_flights", "data_usage"])
def test_every_question_answers_the_same_from_codes(workload: str) -> None:
    """Queries and policies of the samples, each on random events whose texts are texts, and codes of dictionaries."""
    declared = load_workload(workload)
    events = _random_events(declared.schema)
    coded = pa.table(
        {
            name: column.dictionary_encode() if column.type == pa.string() else column
            for name, column in zip(events.column_names, events.columns, strict=True)
        }
    )
    compiled, _ = compile_questions(declared)
    evaluated = 0
    for question in compiled.values():
        for table in question.evaluator.tables:
            if table.evaluate is not None:
                expected, given = (list(table.evaluate(log)) for log in (events, coded))
                assert len(given) == len(expected)
                for batch, wanted in zip(given, expected, strict=True):
                    assert batch.equals(wanted, check_metadata=True), (question.name, table.suffix)
                evaluated += 1
    assert evaluated >= len(compiled) > 3


def _random_events(schema: LogSchema, count: int = 200) -> pa.Table:
    random = np.random.default_rng(17)
    values = {
        AttributeType.INT: lambda: random.integers(0, 9, count),
        AttributeType.FLOAT: lambda: random.uniform(0, 9, count),
        AttributeType.STRING: lambda: random.choice(["a", "b", "c"], count),
        AttributeType.BOOL: lambda: random.choice([True, False], count),
    }
    attributes = {name: own.type for declared in schema.types.values() for name, own in declared.items()}
    return pa.table(
        {
            "event_type": random.choice(sorted(schema.types), count),
            "ts": np.arange(count) * 300,
            **dict.fromkeys(("seq", "pos"), np.arange(count)),
            **{name: pa.array(values[kind]()) for name, kind in attributes.items()},
        }
    )
