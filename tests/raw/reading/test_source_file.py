"""Files are found or refused by their names and first bytes; none vanishes."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from jobs.exits import UnreadableSource
from jobs.raw.reading.source_file import files_at


def test_files_of_a_folder_in_the_order_of_their_names(tmp_path: Path) -> None:
    """Marks and hidden files are passed over, and told."""
    for name in ("b.csv", "a.csv", "_SUCCESS", ".a.csv.crc", "_metadata"):
        (tmp_path / name).touch()
    files = files_at(str(tmp_path))
    assert [file.name for file in files.read] == ["a.csv", "b.csv"]
    assert [file.name for file in files.passed] == [".a.csv.crc", "_SUCCESS", "_metadata"]
    assert [file.name for file in files_at(str(tmp_path / "*.csv")).read] == ["a.csv", "b.csv"]
    assert files_at(str(tmp_path / "absent")).read == ()
    (tmp_path / "[a]").mkdir()
    (tmp_path / "[a]" / "c.csv").touch()
    assert [file.name for file in files_at(str(tmp_path / "[a]")).read] == ["c.csv"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("_x.csv", b"n\n1\n", "its name begins with _"),
        ("x.csv.gz", b"", "at byte 0: the file is empty"),
        ("x.csv.zst", b"", "at byte 0: the file is empty"),
        ("x.csv.zip", b"PK", r"files of the kind \.zip are not read"),
        ("x.csv.lz4", b"", r"files of the kind \.lz4 are not read"),
        ("x.csv", gzip.compress(b"n\n1\n", mtime=0), r"those of gzip; its name should end in \.gz"),
        ("x.csv.gz", b"\x28\xb5\x2f\xfd1", "those of Zstandard"),
        ("x.csv", b"PAR1", "those of Parquet"),
        ("x.csv", b"PK\x03\x04", "those of zip"),
        ("x.csv", "n\n1\n".encode("utf-16"), "those of UTF-16 text"),
        (
            "x.csv.gz",
            gzip.compress("n\n1\n".encode("utf-16"), mtime=0),
            "unpacked, its first bytes are those of UTF-16 text",
        ),
        (
            "x.csv.gz",
            gzip.compress(gzip.compress(b"n\n1\n", mtime=0), mtime=0),
            "unpacked, its first bytes are those of gzip",
        ),
    ],
)
def test_files_that_stop_a_load(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    """By their names, before a row is read."""
    (tmp_path / "good.csv").write_text("n\n1\n")
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableSource, match=f"{name.replace('.', '[.]')}.*{message}"):
        files_at(str(tmp_path))


def test_a_folder_inside_a_folder_stops_a_load(tmp_path: Path) -> None:
    """A pattern reads its files."""
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "x.csv").touch()
    with pytest.raises(UnreadableSource, match="more: it is a folder inside a folder"):
        files_at(str(tmp_path))
    assert [file.name for file in files_at(str(tmp_path / "*" / "*")).read] == ["x.csv"]
