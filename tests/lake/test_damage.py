"""Damaged files name the byte; whole ones, and files of other kinds, are left in peace."""

from __future__ import annotations

import bz2
import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jobs.exits import UnreadableSource
from jobs.raw.damage import damage, refuse_damaged

NUMBER = random.Random(7).random()
TEXT = "".join(f"{n},{NUMBER}\n" for n in range(60_000)).encode()
PACKED: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress}


@pytest.mark.parametrize("suffix", PACKED)
def test_a_file_of_several_streams_is_whole(tmp_path: Path, suffix: str) -> None:
    """As `cat a.gz b.gz` makes it."""
    file = tmp_path / f"x.csv{suffix}"
    file.write_bytes(PACKED[suffix](TEXT) + PACKED[suffix](b"more\n"))
    assert damage(file) is None


@pytest.mark.parametrize("suffix", PACKED)
def test_the_end_that_is_missing(tmp_path: Path, suffix: str) -> None:
    """The byte is the file's length, also where the second stream is the broken one."""
    file = tmp_path / f"x.csv{suffix}"
    packed = PACKED[suffix](b"first\n") + PACKED[suffix](TEXT)
    file.write_bytes(packed[: len(packed) * 2 // 3])
    broken = damage(file)
    assert broken is not None
    assert broken[0] == len(packed) * 2 // 3
    assert "stream ends early" in broken[1]


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("streams", [0, 1])
def test_a_wrong_byte(tmp_path: Path, suffix: str, streams: int) -> None:
    """The decoder notices at the wrong byte or after it, never before: what precedes the named byte is readable."""
    file, begin = tmp_path / f"x.csv{suffix}", PACKED[suffix](b"first\n") * streams
    packed = bytearray(begin + PACKED[suffix](TEXT))
    wrong = len(begin) + (len(packed) - len(begin)) // 2
    for place in range(wrong, wrong + 8):
        packed[place] ^= 0xFF
    file.write_bytes(packed)
    broken = damage(file)
    assert broken is not None
    assert wrong <= broken[0] < len(packed)


def test_an_empty_file_is_no_stream(tmp_path: Path) -> None:
    """Zero bytes are not a compressed text, not even an empty one."""
    file = tmp_path / "x.csv.gz"
    file.touch()
    assert damage(file) == (0, "the file is empty")
    file.write_bytes(gzip.compress(b""))
    assert damage(file) is None


def test_a_parquet_file_without_its_end(tmp_path: Path) -> None:
    """Cut short by a delivery that broke off."""
    file = tmp_path / "x.parquet"
    pq.write_table(pa.table({"n": range(1_000)}), file)
    assert damage(file) is None
    whole = file.read_bytes()
    file.write_bytes(whole[:-10])
    broken = damage(file)
    assert broken is not None
    assert broken[0] == len(whole) - 10


def test_folders_and_uris_are_looked_into_other_places_are_not(tmp_path: Path) -> None:
    """A `file:` URI is this machine's; what only Spark can open is not judged here."""
    folder = tmp_path / "a b"
    folder.mkdir()
    (folder / "good.csv").write_text("x\n")
    refuse_damaged([str(folder), folder.as_uri(), "s3a://bucket/bad.csv.gz", str(folder / "absent.gz")])
    (folder / "bad.csv.gz").write_bytes(gzip.compress(TEXT)[:-9])
    for place in (str(folder), folder.as_uri(), (folder / "bad.csv.gz").as_uri()):
        with pytest.raises(UnreadableSource, match=r"bad\.csv\.gz at byte \d+: the gzip stream ends early"):
            refuse_damaged([place])
