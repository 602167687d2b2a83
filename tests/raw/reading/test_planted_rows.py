"""Random files of good and bad rows: none is lost, none invented, whatever the blocks, ranges and compression are."""

from __future__ import annotations

import bz2
import gzip
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from jobs.raw.reading.file_ledger import RowLedger
from jobs.raw.reading.ranges import survey_text
from jobs.raw.reading.row_judgement import OFFSET, ORDINAL, RAW
from jobs.raw.reading.text_blocks import FileRange
from jobs.raw.reading.text_rows import read_text
from tests.counts import few
from tests.raw.reading.planted_files import NAMES, PlantedFile, Refusal, Values, planted_file

Found = tuple[list[tuple[int, int, Values]], list[Refusal], list[int], RowLedger]


def rows_in(file: PlantedFile, parts: tuple[FileRange, ...], block: int) -> Found:
    """Good rows, refused rows, hashes and ledger of some ranges."""
    good: list[tuple[int, int, Values]] = []
    refused: list[Refusal] = []
    hashes, ledger = [], RowLedger()
    for part in parts:
        for rows in read_text(part, file.form, block):
            check_texts(file, rows.rows)
            columns = [rows.rows.column(name).to_pylist() for name in (*NAMES, ORDINAL, OFFSET)]
            good += [(row[-2], row[-1], row[:-2]) for row in zip(*columns, strict=True)]
            hashes += rows.rows.column("_hash").to_pylist()
            refused += [(r["ordinal"], r["offset"], r["rule"], r["raw"]) for r in rows.refused.to_pylist()]
            ledger += rows.ledger
    return good, refused, hashes, ledger


def check_texts(file: PlantedFile, rows: pa.RecordBatch) -> None:
    """The text of a good row stands in the file from its offset to a line end."""
    for offset, raw in zip(rows.column(OFFSET).to_pylist(), rows.column(RAW).to_pylist(), strict=True):
        end = offset + len(raw.encode())
        assert file.data[offset:end].decode() == raw
        assert file.data[end : end + 1] in (b"", b"\r", b"\n")


def packed(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The same text in every compression, of one stream and of two."""
    half = len(data) // 2
    yield ".gz", gzip.compress(data[:half]) + gzip.compress(data[half:])
    yield ".bz2", bz2.compress(data)
    yield ".zst", pa.Codec("zstd").compress(data, asbytes=True)


def check(file: PlantedFile, block: int, size: int, codec: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x")
        path.write_bytes(file.data)
        length = len(file.data)
        whole = rows_in(file, (FileRange(path, 0, length, length),), 1 << 20)
        good, refused, hashes, ledger = whole
        assert good == file.good
        assert refused == file.refused
        expected = {**file.ledger, "rows": file.rows, "refused": len(file.refused)}
        assert {name: getattr(ledger, name) for name in expected} == expected
        assert ledger.balance == 0
        survey = survey_text(path, file.form, size, block)
        assert survey.ranges[-1].end == length
        in_ranges = rows_in(file, survey.ranges, block)
        assert in_ranges[:3] == (good, refused, hashes)
        assert in_ranges[3].balance == 0
        suffix, data = list(packed(file.data))[codec]
        path = path.with_suffix(suffix)
        path.write_bytes(data)
        assert rows_in(file, survey_text(path, file.form).ranges, block) == whole


@few(150)
@given(
    st.sampled_from(["csv", "json"]),
    st.integers(0, 12),
    st.integers(0, 1 << 32),
    st.integers(1, 300),
    st.integers(1, 2000),
    st.integers(0, 2),
)
def test_no_row_is_lost_or_invented(format: Any, rows: int, seed: int, block: int, size: int, codec: int) -> None:
    """Good rows have the values that were written, bad ones their rule and text; the ledger's equation holds.

    Read as a whole, in ranges of `size` bytes and compressed, in blocks of `block` bytes.
    """
    check(planted_file(Random(seed), format, rows), block, size, codec)
