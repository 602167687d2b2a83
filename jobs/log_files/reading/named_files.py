"""The files that the texts of a command line name: files, folders, patterns such as `logs/*.csv`, and standard input.

Standard input is copied into a temporary file, since a log is read twice: its first rows, then the columns that are
needed. Its form and compression are told by its first bytes.
"""

from __future__ import annotations

import glob
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

import pyarrow as pa

from jobs.exits import RunError, UnreadableSource

STANDARD_INPUT = "-"
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd", ".lz4": "lz4"}
"""By suffix, the names of compressions that are read."""
_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst", b"\x04\x22\x4d\x18": ".lz4"}
_PLAIN_MAGIC = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow", b"{": ".jsonl", b"[": ".json"}


@dataclass(frozen=True)
class NamedFiles:
    """Files in the order in which they are read. `notes` tell what a folder holds that is not read."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...] = ()
    kept: IO[bytes] | None = None
    """The copy of standard input, which is removed with this value."""


def named_files(texts: Sequence[str], stdin: BinaryIO | None = None) -> NamedFiles:
    """The files of these texts. A folder gives its files by name; a pattern those that fit, by name.

    Raises RunError for a text that names nothing.
    """
    if STANDARD_INPUT in texts:
        if len(texts) > 1:
            raise RunError("standard input (-) is one log by itself: name either it or files")
        return _copied(stdin or sys.stdin.buffer)
    paths: list[Path] = []
    notes: list[str] = []
    for text in texts:
        path = Path(text)
        if path.is_dir():
            inside = sorted(path.iterdir())
            files = [file for file in inside if file.is_file() and not file.name.startswith(".")]
            if not files:
                raise RunError(f"no file is in the folder {path}")
            paths += files
            if left_out := [file.name for file in inside if file not in files]:
                notes.append(f"{path}: not read: {', '.join(left_out)} (folders, and names that begin with a dot)")
        elif path.is_file():
            paths.append(path)
        elif fitting := sorted(Path(name) for name in glob.glob(text, recursive=True) if Path(name).is_file()):
            paths += fitting
        else:
            raise RunError(f"no such file: {path}")
    return NamedFiles(tuple(paths), tuple(notes))


def form_suffix(path: Path) -> str:
    """The suffix that tells a file's form, in lower case, without that of a compression; else empty.

    >>> form_suffix(Path("a.CSV.gz")), form_suffix(Path("a"))
    ('.csv', '')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSED]
    return suffixes[-1] if suffixes else ""


def _copied(stdin: BinaryIO) -> NamedFiles:
    first = stdin.read(1 << 16)
    if not first:
        raise UnreadableSource(Path("standard input"), "it has no rows")
    compression = next((suffix for magic, suffix in _MAGIC.items() if first.startswith(magic)), "")
    begin = _unpacked(first, compression).lstrip(b"\xef\xbb\xbf \t\r\n")
    form = next((suffix for magic, suffix in _PLAIN_MAGIC.items() if begin.startswith(magic)), ".csv")
    copy = tempfile.NamedTemporaryFile(prefix="standard-input-", suffix=form + compression)  # noqa: SIM115 (kept)
    copy.write(first)
    shutil.copyfileobj(stdin, copy, 1 << 20)
    copy.flush()
    return NamedFiles((Path(copy.name),), (), copy)


def _unpacked(block: bytes, compression: str) -> bytes:
    """The first bytes of a block's content."""
    if not compression:
        return block
    try:
        return bytes(pa.CompressedInputStream(pa.BufferReader(block), COMPRESSED[compression]).read(64))
    except (OSError, pa.ArrowException):
        return b""  # the message about damage comes from reading the whole
