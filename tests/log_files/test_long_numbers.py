"""Identifiers of any length: equal in the engine's columns if, and only if, they are equal in the file."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.cli import main
from jobs.log_files.columns import attributes
from jobs.log_files.reading.log_file import FileOptions
from jobs.log_files.reading.several_files import open_log
from tests.counts import few

NUMBERS = st.one_of(st.integers(-9, 9), st.integers(-(10**37), 10**37), st.sampled_from([2**53 + 1, 2**63 - 1, 2**63]))


def quiet(done: int, total: int) -> None:
    assert 0 <= done <= total


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@few(40)
@given(numbers=st.lists(NUMBERS, min_size=1, max_size=6), excess=st.booleans())
def test_long_numbers_stay_apart(
    tmp_path_factory: pytest.TempPathFactory, form: str, numbers: list[int], excess: bool
) -> None:
    """As numbers if 64 bits hold them, else as texts, which is told; in a record of JSON, too."""
    numbers = [*numbers, numbers[0] + excess]
    file = tmp_path_factory.mktemp("long") / f"log.{form}"
    if form == "csv":
        file.write_text("ts,id\n" + "".join(f"{row},{number}\n" for row, number in enumerate(numbers)))
    elif form == "jsonl":
        rows = [{"ts": row, "of": {"id": number, "x": "a"}} for row, number in enumerate(numbers)]
        file.write_text("\n".join(map(json.dumps, rows)))
    else:
        table = pa.table({"ts": range(len(numbers)), "id": pa.array(numbers, pa.decimal128(38, 0))})
        pa.parquet.write_table(table, file)
    log = open_log([str(file)], FileOptions())
    table, notes = log.read(log.sample.column_names, quiet)
    kept = attributes(table)["of_id" if form == "jsonl" else "id"]
    assert kept.type == attributes(log.sample)["of_id" if form == "jsonl" else "id"].type
    assert list(map(int, kept.to_pylist())) == numbers
    fits = all(-(2**63) <= number < 2**63 for number in numbers)
    assert kept.type == (pa.int64() if fits else pa.string())
    assert bool(notes) == (not fits and form != "parquet")


def test_numbers_that_are_no_identifiers_stay_floats(tmp_path: Path) -> None:
    """With fractions or exponents, and where some are missing."""
    (tmp_path / "log.csv").write_text("ts,x,y\n1,1e30,1.5\n2,,123456789012345678901234567890\n")
    log = open_log([str(tmp_path / "log.csv")], FileOptions())
    table, notes = log.read(log.sample.column_names, quiet)
    assert [table.schema.field(name).type for name in ("x", "y")] == [pa.float64(), pa.float64()]
    assert notes == ["'y' holds numbers of more than 15 digits; they are rounded to floats of 64 bits"]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@few(40)
@given(
    numbers=st.lists(NUMBERS, min_size=1, max_size=6), fraction=st.sampled_from(["0.5", "-2.25", "7.0", "1e30", None])
)
def test_rounded_numbers_are_told(
    tmp_path_factory: pytest.TempPathFactory, form: str, numbers: list[int], fraction: str | None
) -> None:
    """Different numbers of a file are different in the engine's column, or a remark says that they were rounded."""
    texts = [*map(str, numbers), *([] if fraction is None else [fraction])]
    file = tmp_path_factory.mktemp("rounded") / f"log.{form}"
    if form == "csv":
        file.write_text("ts,x\n" + "".join(f"{row},{text}\n" for row, text in enumerate(texts)))
    else:
        file.write_text("".join(f'{{"ts": {row}, "x": {text}}}\n' for row, text in enumerate(texts)))
    log = open_log([str(file)], FileOptions())
    table, notes = log.read(log.sample.column_names, quiet)
    kept = attributes(table)["x"].to_pylist()
    exact = [{Decimal(text), Decimal(float(text)) if "e" in text else Decimal(text)} for text in texts]
    are_kept = all(Decimal(each) in of for each, of in zip(kept, exact, strict=True))
    assert are_kept or "rounded to floats" in " ".join(notes)
    if fraction is None:
        assert are_kept


def test_a_rounded_column_leaves_the_identifiers_beside_it_whole(tmp_path: Path) -> None:
    """Of JSON, where one column cannot be read as decimals, and another one writes a whole number with a point."""
    long = 2**60 + 1
    rows = [(10**29, long, long), (10**29 + 1, f"{long + 1}.0", 0.5)]
    lines = [f'{{"ts": {ts}, "id": {id_}, "n": {n}, "x": {x}}}' for ts, (id_, n, x) in enumerate(rows)]
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    log = open_log([str(tmp_path / "log.jsonl")], FileOptions())
    table, notes = log.read(log.sample.column_names, quiet)
    assert [str(table.schema.field(name).type) for name in ("id", "n", "x")] == ["string", "int64", "double"]
    assert table["n"].to_pylist() == [long, long + 1]
    assert [note.split("'")[1] for note in notes] == ["id", "x"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_two_long_identifiers_are_not_one(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """They were a match, once: both were rounded to one float."""
    file = tmp_path / f"log.{form}"
    numbers = [10**29 + 1, 10**29 + 2, 10**29 + 1]
    if form == "csv":
        rows = [f"{row},{kind},{number}\n" for row, kind, number in zip(range(3), "ABB", numbers, strict=True)]
        file.write_text("ts,event_type,id\n" + "".join(rows))
    else:
        ids = pa.array(numbers, pa.decimal128(38, 0))
        pa.parquet.write_table(pa.table({"ts": [1, 2, 3], "event_type": list("ABB"), "id": ids}), file)
    assert main(["match", "-e", "PATTERN SEQ(A a, B b) WHERE [id] WITHIN 9", str(file), "--csv"]) == 0
    printed = capsys.readouterr()
    assert [line.split(",")[-2:] for line in printed.out.splitlines()[1:]] == [["1", "3"]]
    assert "'id' holds whole numbers beyond 64 bits; they are read as texts" in printed.err
